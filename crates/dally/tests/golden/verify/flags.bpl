// flags: --scheduler lal-reps --delays 2
procedure main()
{
}
