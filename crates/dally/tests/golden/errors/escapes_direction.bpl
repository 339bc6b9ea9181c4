// Characters that change the direction of text are shown as replacement characters.
axiom "‮ abc" == 1;
