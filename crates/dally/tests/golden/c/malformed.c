// Errors that the parser reports.
unsigned float real;
char empty = '';
int main(void) { return 0; }
