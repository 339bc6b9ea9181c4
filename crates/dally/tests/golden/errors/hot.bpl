// Only globals of type bool can be marked {:hot}.
var {:hot} number: int;
var {:hot} {:thread_local} own: bool;
var {:hot 1} argument: bool;

procedure main()
{
    var {:hot} inside: bool;
    inside := true;
}
