// The second loop changes nothing and never yields: whoever waits may do so for ever, within one step.
var {:hot} waits: bool;

procedure main()
{
    waits := false;
    while (*)
    {
    }
    waits := true;
    while (*)
    {
    }
    waits := false;
}
