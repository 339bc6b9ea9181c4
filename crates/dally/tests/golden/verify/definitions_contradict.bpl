// No function satisfies these definitions: nothing is proved from them.
function f(x: int): int { g(x) + 1 }
function g(x: int): int { f(x) }

procedure main()
{
  assert f(3) == 100;
}
