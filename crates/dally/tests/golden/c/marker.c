# 1 "/etc/passwd"
int main(void) { return 1 + ; }
