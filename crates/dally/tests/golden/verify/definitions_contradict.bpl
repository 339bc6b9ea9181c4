// No function is what these say: nothing can be proved of them.
function f(x: int): int { g(x) + 1 }
function g(x: int): int { f(x) }

procedure main()
{
  assert f(3) == 100;
}
