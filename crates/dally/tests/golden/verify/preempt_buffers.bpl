// flags: --preempt --zields 2 --yields 1
// Preemption switches buffers, too: [FSE12 §6] inserts zields where there are several.
var x: int;

procedure {:entrypoint} {:buffer 0} soft()
{
    x := 1;
    assert x == 1;
}

procedure {:entrypoint} {:buffer 1} hard()
{
    x := 2;
}
