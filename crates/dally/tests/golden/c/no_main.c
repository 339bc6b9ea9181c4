// A program needs a function main.
int helper(void) { return 1; }
