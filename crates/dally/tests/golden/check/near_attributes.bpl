// Attributes that are nearly ours; the others belong to other tools, or resemble nothing.
var {:rnage 0, 3} x, y: int;
var {:houdini} {:not} {:existential true} z: int;

procedure {:entrypiont} {:inline 1} {:timeLimit 5} main()
{
    x := 0;
    call {:asinc} p();
    assume {:awiat} x == 1;
    if {:atmoic} (x == 1)
    {
        assert x == 1;
    }
}

procedure {:noyeild} p()
{
    x := 1;
}
