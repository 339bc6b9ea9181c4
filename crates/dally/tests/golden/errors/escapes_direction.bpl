// Text that turns the direction of writing around is shown as replacement characters.
axiom "‮ abc" == 1;
