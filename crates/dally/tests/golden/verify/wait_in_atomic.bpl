// flags: --delays 2
// A wait in an atomic section for a task that has ended lets no other task run.
var x: int;

procedure main()
{
    var t: task;
    x := 0;
    call {:async} t := p();
    call wait(t);
    if {:atomic} (true)
    {
        call {:async} q();
        call wait(t);
        assert x == 0;
    }
}

procedure p()
{
}

procedure q()
{
    x := 1;
}
