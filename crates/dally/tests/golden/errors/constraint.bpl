// A constraint is a condition, at a global variable.
var {:constraint number} number: int;
var {:constraint} nothing: int;
var {:constraint missing > 0} unknown: int;
var {:constraint number < 10} good: int;

procedure main()
{
    var {:constraint true} inside: bool;
    inside := true;
}
