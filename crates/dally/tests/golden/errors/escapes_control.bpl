// Text that a terminal would act upon is shown as replacement characters.
axiom [31mred[0m ;
