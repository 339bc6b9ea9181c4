// What must not stay true for ever is a global of type bool.
var {:hot} number: int;
var {:hot} {:thread_local} own: bool;
var {:hot 1} argument: bool;

procedure main()
{
    var {:hot} inside: bool;
    inside := true;
}
