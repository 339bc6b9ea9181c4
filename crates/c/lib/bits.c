/* Operations of GCC on bits. The count of zeros of 0 is undefined. */
int __builtin_popcountll(unsigned long long x) {
  int count = 0;
  while (x != 0) { count += x % 2; x /= 2; }
  return count;
}
int __builtin_popcount(unsigned x) { return __builtin_popcountll(x); }
int __builtin_popcountl(unsigned long x) { return __builtin_popcountll(x); }
int __builtin_parity(unsigned x) { return __builtin_popcountll(x) % 2; }
int __builtin_parityl(unsigned long x) { return __builtin_popcountll(x) % 2; }
int __builtin_parityll(unsigned long long x) { return __builtin_popcountll(x) % 2; }
int __builtin_ctzll(unsigned long long x) {
  __dally_check(x != 0, "__builtin_ctz: the argument is 0");
  int count = 0;
  while (x % 2 == 0) { count++; x /= 2; }
  return count;
}
int __builtin_ctz(unsigned x) { return __builtin_ctzll(x); }
int __builtin_ctzl(unsigned long x) { return __builtin_ctzll(x); }
static int __dally_width(unsigned long long x) {
  int width = 0;
  while (x != 0) { width++; x /= 2; }
  return width;
}
int __builtin_clz(unsigned x) {
  __dally_check(x != 0, "__builtin_clz: the argument is 0");
  return 32 - __dally_width(x);
}
int __builtin_clzll(unsigned long long x) {
  __dally_check(x != 0, "__builtin_clz: the argument is 0");
  return 64 - __dally_width(x);
}
int __builtin_clzl(unsigned long x) { return __builtin_clzll(x) - (64 - 8 * (int)sizeof(long)); }
int __builtin_ffsll(long long x) { return x == 0 ? 0 : __builtin_ctzll(x) + 1; }
int __builtin_ffs(int x) { return x == 0 ? 0 : __builtin_ctzll((unsigned)x) + 1; }
int __builtin_ffsl(long x) { return x == 0 ? 0 : __builtin_ctzll((unsigned long)x) + 1; }
int ffs(int x) { return __builtin_ffs(x); }
unsigned short __builtin_bswap16(unsigned short x) { return x % 256 * 256 + x / 256; }
unsigned __builtin_bswap32(unsigned x) {
  return x % 256 * 16777216 + x / 256 % 256 * 65536 + x / 65536 % 256 * 256 + x / 16777216;
}
unsigned long long __builtin_bswap64(unsigned long long x) {
  return (unsigned long long)__builtin_bswap32(x) * 4294967296 + __builtin_bswap32(x / 4294967296);
}
void __builtin_assume(_Bool condition) { __dally_assume(condition); }
