// flags: --modular
// Loops that are entered at two blocks: a jump to `other` leads to a copy of it.
procedure sound()
{
  var i: int;
  i := 1;
  goto head, other;
head:
  assert i > 0;
  goto other;
other:
  i := i + 1;
  goto head, done;
done:
  assert i > 1;
}

procedure wrong()
{
  var i: int;
  i := 1;
  goto head, other;
head:
  assert i > 0;
  goto other;
other:
  i := i + 1;
  goto head, done;
done:
  assert i > 2;
}
