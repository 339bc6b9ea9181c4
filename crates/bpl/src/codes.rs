//! The codes of diagnostics that only Boogie programs have.
//!
//! Codes that other languages have, too, are constants of [`Code`](dally_text::code::Code). Numbers below 500 lie
//! between those: they are older than the ranges. New codes of Boogie are taken from 500 to 599.

dally_text::codes! {
    TABLE "Boogie" [
        5..=5, 102..=102, 104..=107, 204..=205, 210..=214, 305..=306, 402..=405, 500..=599, 901..=903, 907..=907,
    ];

    BAD_PRAGMA = 5 Error "An unknown directive, or an unbalanced conditional"
        => "directives are `#if`, `#elsif`, `#else`, `#endif` or `#line`";

    AMBIGUOUS_OPERATORS = 102 Error "Operators that need parentheses between them"
        => "add parentheses: `&&` with `||`, `==>` with `<==`, comparisons in a row";
    MISPLACED_CLAUSE = 104 Error "A clause that is not allowed here"
        => "remove the clause";
    BAD_EXTRACT = 105 Error "Malformed bounds of a bitvector extraction"
        => "write `e[high:low]` with two numbers";
    BAD_ATTRIBUTE = 106 Error "An attribute with wrong arguments"
        => "the message says which arguments the attribute takes";
    BAD_PARAMETER = 107 Error "A malformed parameter list of a function"
        => "write `name: type` for every parameter, or only types";

    UNKNOWN_PROCEDURE = 204 Error "An undeclared procedure"
        => "declare the procedure, or correct the name";
    UNKNOWN_LABEL = 205 Error "An undeclared label"
        => "declare the label in the same body, or correct the name";
    UNUSED_TYPE_VARIABLE = 210 Error "A type variable that no argument determines"
        => "use the type variable in a parameter, or remove it";
    GLOBAL_IN_STATELESS_CONTEXT = 211 Error "A global variable in a stateless context"
        => "axioms, functions and pure procedures cannot read globals: pass the value as an argument";
    MISPLACED_OLD = 212 Error "`old` outside of a two-state context"
        => "use `old` in postconditions and bodies only";
    BAD_TRIGGER = 213 Error "A pattern that cannot be a trigger"
        => "a trigger applies functions to all bound variables, without boolean operators";
    NOT_WELL_FOUNDED = 214 Error "A datatype that has no finite value"
        => "add a constructor without a field of the datatype itself";

    SIGNATURE_MISMATCH = 305 Error "An implementation whose signature differs from its procedure's"
        => "use the types of the procedure";
    OLD_DIVISION = 306 Warning "`/` of integers, read as `div` as in versions of Boogie without reals; only where the program has no reals and would be ill-typed otherwise"
        => "write `div`";

    NOT_IN_MODIFIES = 402 Error "An assignment to a global that is not in the `modifies` clause"
        => "add the variable to the clause, or leave the clause out";
    ASSIGNED_TWICE = 403 Error "A variable assigned twice by one statement"
        => "split the assignment";
    IMPURE = 404 Error "A side effect in a pure procedure"
        => "pure procedures do not assign globals, call only pure procedures, and do not post or yield";
    BAD_ASSUMPTION_VARIABLE = 405 Error "A misused assumption variable"
        => "write `a := a && e`, once";

    BAD_ASYNC = 501 Error "A malformed asynchronous construct"
        => "the message shows the syntax";
    NO_ENTRY = 502 Error "No entry point"
        => "mark one with `{:entrypoint}`, call it `main`, or name it with `--entry`";
    NEAR_ATTRIBUTE = 503 Warning "An attribute that no tool is known to have, and that is nearly one of dally's"
        => "correct the name; as it is, the attribute has no effect";

    CIVL = 901 Unsupported "A Civl construct"
        => "Civl is not supported";
    NOT_EXPLICIT = 902 Unsupported "A construct that explicit search cannot evaluate"
        => "give the function a body, the constant a value, the variable a range";
    NOT_SEQUENTIAL = 903 Unsupported "A construct that a sequentialisation cannot translate"
        => "the message says which translation can, or what to change";
    NOT_VERIFIED = 907 Unsupported "A construct that the verifier cannot handle"
        => "the message names the construct";
}
