/* To abort is a bug. */
void abort(void) { __dally_fail("abort() is called"); }
