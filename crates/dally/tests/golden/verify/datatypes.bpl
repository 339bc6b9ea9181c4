// Constructors are distinct and injective, testers distinguish them, and lists are finite.
datatype List { Nil(), Cons(head: int, tail: List) }

procedure push(l: List, x: int) returns (r: List)
{
  r := Cons(x, l);
}

procedure main()
{
  var l, k: List;
  assert Cons(1, Nil()) != Nil();
  assume Cons(1, l) == Cons(1, k);
  assert l == k;
  assert l is Nil || l is Cons;
  assume l is Cons;
  assert l->tail != l;
  call k := push(l, 3);
  assert k->head == 3 && k->tail == l;
  k := k->(head := 4);
  assert k == Cons(4, l);
  assert l->head == 4;
}
