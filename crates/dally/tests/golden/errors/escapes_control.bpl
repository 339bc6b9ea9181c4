// Control characters are shown as replacement characters.
axiom [31mred[0m ;
