// flags: --liveness
// There is nothing to look for.
procedure main()
{
}
