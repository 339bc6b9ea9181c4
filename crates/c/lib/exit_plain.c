/* The end of the program, where no functions run. */
void exit(int status) { __dally_exit_program(); }
