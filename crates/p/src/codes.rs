//! The codes of diagnostics that only P programs have: 600 to 699, and three that are older than the ranges.
//!
//! Codes that other languages have, too, are constants of [`Code`](dally_text::code::Code).

dally_text::codes! {
    TABLE "P" [600..=699, 904..=906];

    UNKNOWN_EVENT = 601 Error "An undeclared event"
        => "declare the event, or correct the name";
    UNKNOWN_MACHINE = 602 Error "An undeclared machine or interface"
        => "declare the machine, or correct the name";
    UNKNOWN_STATE = 603 Error "An undeclared state"
        => "declare the state, or correct the name; functions outside of machines have no states";
    BAD_STATE = 604 Error "A machine without one start state, or a state with two handlers for one event"
        => "a machine has one `start state`; a state has one `entry`, one `exit` and one handler for each event";
    BAD_HANDLER = 605 Error "A function that cannot be a handler"
        => "a handler is a function of the machine with at most one parameter, and none on exit";
    MONITOR_OPERATION = 606 Error "An operation that is not allowed in a monitor"
        => "monitors cannot send, announce, create, receive, defer or choose";
    STATE_CHANGE = 607 Error "A `raise` or `goto` that is not allowed here"
        => "do not change state in functions that return a value, in exit handlers, or in transition functions";
    NO_RETURN = 608 Error "A function with a path that returns no value"
        => "return a value at the end";
    BAD_FORMAT = 609 Error "A malformed format string"
        => "write `{0}` for an argument and `{{` for a brace";
    BAD_MODULE = 610 Error "Modules that cannot be composed"
        => "the message names the conflicting or missing machines";
    BAD_TEST = 611 Error "An undeclared test, or one that cannot be run as declared"
        => "the message gives the reason; `--list-tests` lists the tests";
    BAD_PROJECT = 612 Error "A project file that cannot be used"
        => "the message gives the reason";
    NOT_ASSERTED = 613 Warning "A specification that no test asserts"
        => "declare a test with `assert Spec in …`";
    BAD_STUB = 615 Error "A body that does not fit its foreign declaration"
        => "give the function the parameters and the result of the foreign declaration";

    VERIFIER_ONLY = 904 Warning "A construct of P's verifier, which exploration ignores"
        => "to check a property in every explored execution, assert a specification in a test";
    REFINEMENT = 906 Unsupported "A refinement test"
        => "declare a test that asserts a specification";
}
