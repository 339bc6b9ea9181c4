procedure none() { }
procedure main()
{
  var t: task int;
  var r: int;
  call r, r := wait(t);
  call {:async} t, r := none();
  call {:async} {:level high} none();
  call {:async t, r} none();
  assume {:yield} r == 0;
  assume {:wait} true;
  assume {:wait 1, t} true;
  assume {:seal 1} true;
  call corral_atomic_begin(1);
}
