// flags: --smt-log /dev/null/logs
// If the log cannot be written, verification does not start.
procedure main()
{
  assert true;
}
