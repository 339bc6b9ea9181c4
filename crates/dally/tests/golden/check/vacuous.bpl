// Every execution is discarded, and no assertion is reached. `assert false` is not expected to be.
var x: int;

procedure main()
{
    x := 0;
    call {:async} p();
    assume x == 1;
    assert x == 1;
}

procedure p()
{
    if (x == 2)
    {
        assume false;
    }
    assert x >= 0;
    if (*)
    {
        assume x == 3;
    }
    if (x == 4)
    {
        assert false;
    }
    yield;
    assert x == 0;
}
