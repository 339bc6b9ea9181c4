// flags: --json --exact --delays 1 --constraint x<=3

var x: int;
var y: int;

procedure main()
{
    x := 0;
    y := 0;
    async call serve();
    async call client();
}

// Runs for ever, with infinitely many states.
procedure serve()
{
    while (true)
    {
        x := x + 1;
        yield;
    }
}

procedure client()
{
    yield;
    y := x;
    assert y <= 10;
}
