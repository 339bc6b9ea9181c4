// Four philosophers who take the fork with the lower number first: some philosopher can always eat.
//
// check: proved
// check --scheduler portfolio: proved

var fork: [int]bool; // on the table
var eating: [int]bool;

procedure {:entrypoint} main()
{
  fork := (lambda place: int :: true);
  eating := (lambda place: int :: false);
  call {:async} philosopher(0, 1);
  call {:async} philosopher(1, 2);
  call {:async} philosopher(2, 3);
  call {:async} philosopher(0, 3); // takes the right fork first
}

procedure take(place: int)
{
  assume {:await} fork[place];
  fork[place] := false;
  yield;
}

procedure philosopher(lower: int, higher: int)
{
  call take(lower);
  call take(higher);
  assert !eating[lower] && !eating[higher];
  eating[lower] := true;
  eating[higher] := true;
  yield;
  eating[lower] := false;
  eating[higher] := false;
  fork[lower] := true;
  fork[higher] := true;
}
