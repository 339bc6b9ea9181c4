// A two-stage race: a writer updates a and then b, each under its own lock, and a reader that runs between the
// stages sees one update without the other. There is no data race; the two critical sections should be one.
//
// The reader is posted first. Round robin needs a delay of the reader, until the writer has done its first
// stage, and then one of the writer: two delays. The reverse order needs one.
//
// check: bug 2
// check --scheduler rr:reverse: bug 1

var locked_a, locked_b: bool;
var a, b: int;

procedure {:entrypoint} main()
{
  locked_a := false;
  locked_b := false;
  a := 0;
  b := 0;
  call {:async} reader();
  call {:async} writer();
}

procedure writer()
{
  assume {:await} !locked_a;
  locked_a := true;
  a := 1;
  locked_a := false;
  yield;
  assume {:await} !locked_b;
  locked_b := true;
  b := a + 1;
  locked_b := false;
}

procedure reader()
{
  var seen_a, seen_b: int;

  assume {:await} !locked_a;
  locked_a := true;
  seen_a := a;
  locked_a := false;
  if (seen_a == 0) // the writer has not started
  {
    return;
  }
  yield;
  assume {:await} !locked_b;
  locked_b := true;
  seen_b := b;
  locked_b := false;
  assert seen_b == seen_a + 1;
}
