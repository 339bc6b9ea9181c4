/* The end of a thread, in programs without destructors and cleanup handlers. */
void pthread_exit(void *result) { __dally_exit_thread(result); }
