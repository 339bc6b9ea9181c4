// flags: --constraint own<3

var {:thread_local} own: int;

procedure main()
{
    own := 0;
}
