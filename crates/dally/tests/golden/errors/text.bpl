// Errors of the lexer.
#nonsense
axiom 0x1.8e2f2e1 == 1;
axiom {:a "no end\"} true;
axiom {:a "[31mred"} true;
axiom a & b;
	axiom	@@@;
/* never closed
