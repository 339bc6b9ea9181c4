// flags: --liveness
// The program declares no liveness property.
procedure main()
{
}
