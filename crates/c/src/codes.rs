//! The codes of diagnostics that only C programs have: 700 to 799.
//!
//! Codes that other languages have, too, are constants of [`Code`](dally_text::code::Code).

dally_text::codes! {
    TABLE "C" [700..=799];

    FOREIGN_FILE = 701 Error "A line marker that names a file outside of the program's folders"
        => "preprocess the file again, or remove the line markers (`cc -E -P`)";
    NOT_PREPROCESSED = 702 Error "A preprocessing directive in preprocessed text"
        => "preprocess the file with `cc -E`, or name it `.c`";
    UNSUPPORTED = 703 Unsupported "A construct of C that dally does not support"
        => "the message names the construct; write it in another way";
    INCOMPLETE = 704 Error "An incomplete type where its size is needed"
        => "define the struct, union or enumeration, or give the length of the array";
    NOT_CONSTANT = 705 Error "An expression that must be constant"
        => "use literals, enumerators and `sizeof`";
    NOT_AN_LVALUE = 706 Error "An operand that denotes no object"
        => "assign to a variable, a member, an element or the target of a pointer";
    BAD_INITIALISER = 707 Error "An initialiser that does not fit its type"
        => "the message gives the reason";
    BAD_DECLARATION = 708 Error "Declaration specifiers or declarators that do not fit together"
        => "the message gives the reason";
    BAD_MEMBER = 709 Error "A member that a struct or union cannot have"
        => "the message gives the reason";
    BAD_LABEL = 710 Error "A label that is missing or defined twice"
        => "each label that a `goto` names is defined once in its function";
    BAD_CASE = 711 Error "A `case` or `default` outside of a `switch`, or one that occurs twice"
        => "each value occurs once in a `switch`";
    ASSERTION_FAILED = 712 Error "A static assertion that does not hold"
        => "the message quotes its text";
    CONFLICT = 713 Error "Declarations of one name that contradict each other"
        => "give the name the same type everywhere";
    TOO_MANY_VALUES = 714 Error "An initialiser with more values than dally handles"
        => "fill the array in a loop";
    NOT_CALLABLE = 715 Error "A call of something that is no function"
        => "call a function, or a pointer to one";
    BAD_ESCAPE = 716 Error "A malformed character or escape sequence"
        => "C has `\\n`, `\\t`, `\\0`, `\\x41`, `\\u00e9` and the like";

    BAD_EVENT = 717 Error "An attribute or operation of `dally.h` that does not fit its function"
        => "docs/c.md lists the operations of `dally.h`";

    IMPLICIT_FUNCTION = 730 Warning "A call of a function that is not declared"
        => "declare the function, or include its header";
    IMPLICIT_INT = 731 Warning "A declaration without a type"
        => "write `int`";
    DOUBTFUL_CONVERSION = 732 Warning "A conversion between pointers and integers, or between pointers of different types, without a cast"
        => "write the cast, or correct the types";
    EXCESS_INITIALISER = 733 Warning "More initialisers than there are members or elements"
        => "remove the excess values, which are ignored";
    DOUBTFUL_RETURN = 735 Warning "A `return` that does not fit the result of its function"
        => "return a value from functions that have a result, and only from those";
    PARALLEL_PRAGMA = 736 Warning "A pragma of OpenMP, which is ignored"
        => "write the threads with pthread_create; without OpenMP, the statement is sequential";
    MALFORMED_PACK = 737 Warning "A malformed `#pragma pack`, which is ignored"
        => "GCC has `pack(n)`, `pack()`, `pack(push)`, `pack(push, n)` and `pack(pop)`, where n is 1, 2, 4, 8 or 16";

    NO_MAIN = 750 Error "A program without `main`"
        => "give all files of the program";
    EXTERNAL_FUNCTION = 751 Warning "A function without a body"
        => "define it, or a model of it; by default its result is arbitrary";
    EXTERNAL_VARIABLE = 752 Warning "A variable that is declared, but not defined"
        => "give the file that defines it";
    INTERNAL = 753 Error "A program that dally fails to lower"
        => "report it: this is a mistake in dally";
    PREPROCESSOR = 754 Error "A file that cannot be preprocessed"
        => "the message is that of the C compiler; `-I` names folders of headers, and `-D` defines macros";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_valid() {
        assert_eq!(TABLE.validate(&[dally_text::code::Code::COMMON]), Ok(()));
    }
}
