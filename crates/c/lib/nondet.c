/* Arbitrary values, under the names that verifiers give them. */
_Bool __VERIFIER_nondet_bool(void) { return __dally_nondet(_Bool); }
char __VERIFIER_nondet_char(void) { return __dally_nondet(char); }
signed char __VERIFIER_nondet_schar(void) { return __dally_nondet(signed char); }
unsigned char __VERIFIER_nondet_uchar(void) { return __dally_nondet(unsigned char); }
short __VERIFIER_nondet_short(void) { return __dally_nondet(short); }
unsigned short __VERIFIER_nondet_ushort(void) { return __dally_nondet(unsigned short); }
int __VERIFIER_nondet_int(void) { return __dally_nondet(int); }
unsigned __VERIFIER_nondet_uint(void) { return __dally_nondet(unsigned); }
unsigned __VERIFIER_nondet_unsigned(void) { return __dally_nondet(unsigned); }
long __VERIFIER_nondet_long(void) { return __dally_nondet(long); }
unsigned long __VERIFIER_nondet_ulong(void) { return __dally_nondet(unsigned long); }
long long __VERIFIER_nondet_longlong(void) { return __dally_nondet(long long); }
unsigned long long __VERIFIER_nondet_ulonglong(void) { return __dally_nondet(unsigned long long); }
signed char __VERIFIER_nondet_signed_char(void) { return __dally_nondet(signed char); }
unsigned char __VERIFIER_nondet_unsigned_char(void) { return __dally_nondet(unsigned char); }
short __VERIFIER_nondet_short_int(void) { return __dally_nondet(short); }
short __VERIFIER_nondet_signed_short(void) { return __dally_nondet(short); }
short __VERIFIER_nondet_signed_short_int(void) { return __dally_nondet(short); }
unsigned short __VERIFIER_nondet_unsigned_short(void) { return __dally_nondet(unsigned short); }
unsigned short __VERIFIER_nondet_unsigned_short_int(void) { return __dally_nondet(unsigned short); }
int __VERIFIER_nondet_signed_int(void) { return __dally_nondet(int); }
unsigned __VERIFIER_nondet_unsigned_int(void) { return __dally_nondet(unsigned); }
long __VERIFIER_nondet_long_int(void) { return __dally_nondet(long); }
long __VERIFIER_nondet_signed_long(void) { return __dally_nondet(long); }
long __VERIFIER_nondet_signed_long_int(void) { return __dally_nondet(long); }
unsigned long __VERIFIER_nondet_unsigned_long(void) { return __dally_nondet(unsigned long); }
unsigned long __VERIFIER_nondet_unsigned_long_int(void) { return __dally_nondet(unsigned long); }
long long __VERIFIER_nondet_long_long(void) { return __dally_nondet(long long); }
long long __VERIFIER_nondet_long_long_int(void) { return __dally_nondet(long long); }
long long __VERIFIER_nondet_signed_long_long(void) { return __dally_nondet(long long); }
long long __VERIFIER_nondet_signed_long_long_int(void) { return __dally_nondet(long long); }
unsigned long long __VERIFIER_nondet_unsigned_long_long(void) { return __dally_nondet(unsigned long long); }
unsigned long long __VERIFIER_nondet_unsigned_long_long_int(void) { return __dally_nondet(unsigned long long); }
unsigned long __VERIFIER_nondet_size_t(void) { return __dally_nondet(unsigned long); }
unsigned char __VERIFIER_nondet_u8(void) { return __dally_nondet(unsigned char); }
unsigned short __VERIFIER_nondet_u16(void) { return __dally_nondet(unsigned short); }
unsigned __VERIFIER_nondet_u32(void) { return __dally_nondet(unsigned); }
unsigned long long __VERIFIER_nondet_u64(void) { return __dally_nondet(unsigned long long); }
signed char __VERIFIER_nondet_S8(void) { return __dally_nondet(signed char); }
signed char __VERIFIER_nondet_int8_t(void) { return __dally_nondet(signed char); }
unsigned char __VERIFIER_nondet_uint8_t(void) { return __dally_nondet(unsigned char); }
short __VERIFIER_nondet_int16_t(void) { return __dally_nondet(short); }
unsigned short __VERIFIER_nondet_uint16_t(void) { return __dally_nondet(unsigned short); }
int __VERIFIER_nondet_int32_t(void) { return __dally_nondet(int); }
unsigned __VERIFIER_nondet_uint32_t(void) { return __dally_nondet(unsigned); }
long long __VERIFIER_nondet_int64_t(void) { return __dally_nondet(long long); }
unsigned long long __VERIFIER_nondet_uint64_t(void) { return __dally_nondet(unsigned long long); }
long long __VERIFIER_nondet_loff_t(void) { return __dally_nondet(long long); }
unsigned long __VERIFIER_nondet_pthread_t(void) { return __dally_nondet(unsigned long); }
unsigned long __VERIFIER_nondet_sector_t(void) { return __dally_nondet(unsigned long); }
void *__VERIFIER_nondet_pointer(void) { return (void *)__dally_nondet(unsigned long); }
void *__VERIFIER_nondet_pchar(void) { return (void *)__dally_nondet(unsigned long); }
void *__VERIFIER_nondet_charp(void) { return (void *)__dally_nondet(unsigned long); }
void *__VERIFIER_nondet_voidp(void) { return (void *)__dally_nondet(unsigned long); }
float __VERIFIER_nondet_float(void) { __dally_unsupported("floating-point numbers"); return 0; }
double __VERIFIER_nondet_double(void) { __dally_unsupported("floating-point numbers"); return 0; }
_Bool __SMACK_nondet_bool(void) { return __dally_nondet(_Bool); }
char __SMACK_nondet_char(void) { return __dally_nondet(char); }
signed char __SMACK_nondet_schar(void) { return __dally_nondet(signed char); }
unsigned char __SMACK_nondet_uchar(void) { return __dally_nondet(unsigned char); }
short __SMACK_nondet_short(void) { return __dally_nondet(short); }
unsigned short __SMACK_nondet_ushort(void) { return __dally_nondet(unsigned short); }
int __SMACK_nondet_int(void) { return __dally_nondet(int); }
unsigned __SMACK_nondet_uint(void) { return __dally_nondet(unsigned); }
unsigned __SMACK_nondet_unsigned(void) { return __dally_nondet(unsigned); }
long __SMACK_nondet_long(void) { return __dally_nondet(long); }
unsigned long __SMACK_nondet_ulong(void) { return __dally_nondet(unsigned long); }
long long __SMACK_nondet_longlong(void) { return __dally_nondet(long long); }
unsigned long long __SMACK_nondet_ulonglong(void) { return __dally_nondet(unsigned long long); }
signed char __SMACK_nondet_signed_char(void) { return __dally_nondet(signed char); }
unsigned char __SMACK_nondet_unsigned_char(void) { return __dally_nondet(unsigned char); }
short __SMACK_nondet_short_int(void) { return __dally_nondet(short); }
short __SMACK_nondet_signed_short(void) { return __dally_nondet(short); }
short __SMACK_nondet_signed_short_int(void) { return __dally_nondet(short); }
unsigned short __SMACK_nondet_unsigned_short(void) { return __dally_nondet(unsigned short); }
unsigned short __SMACK_nondet_unsigned_short_int(void) { return __dally_nondet(unsigned short); }
int __SMACK_nondet_signed_int(void) { return __dally_nondet(int); }
unsigned __SMACK_nondet_unsigned_int(void) { return __dally_nondet(unsigned); }
long __SMACK_nondet_long_int(void) { return __dally_nondet(long); }
long __SMACK_nondet_signed_long(void) { return __dally_nondet(long); }
long __SMACK_nondet_signed_long_int(void) { return __dally_nondet(long); }
unsigned long __SMACK_nondet_unsigned_long(void) { return __dally_nondet(unsigned long); }
unsigned long __SMACK_nondet_unsigned_long_int(void) { return __dally_nondet(unsigned long); }
long long __SMACK_nondet_long_long(void) { return __dally_nondet(long long); }
long long __SMACK_nondet_long_long_int(void) { return __dally_nondet(long long); }
long long __SMACK_nondet_signed_long_long(void) { return __dally_nondet(long long); }
long long __SMACK_nondet_signed_long_long_int(void) { return __dally_nondet(long long); }
unsigned long long __SMACK_nondet_unsigned_long_long(void) { return __dally_nondet(unsigned long long); }
unsigned long long __SMACK_nondet_unsigned_long_long_int(void) { return __dally_nondet(unsigned long long); }
unsigned long __SMACK_nondet_size_t(void) { return __dally_nondet(unsigned long); }
unsigned char __SMACK_nondet_u8(void) { return __dally_nondet(unsigned char); }
unsigned short __SMACK_nondet_u16(void) { return __dally_nondet(unsigned short); }
unsigned __SMACK_nondet_u32(void) { return __dally_nondet(unsigned); }
unsigned long long __SMACK_nondet_u64(void) { return __dally_nondet(unsigned long long); }
signed char __SMACK_nondet_S8(void) { return __dally_nondet(signed char); }
signed char __SMACK_nondet_int8_t(void) { return __dally_nondet(signed char); }
unsigned char __SMACK_nondet_uint8_t(void) { return __dally_nondet(unsigned char); }
short __SMACK_nondet_int16_t(void) { return __dally_nondet(short); }
unsigned short __SMACK_nondet_uint16_t(void) { return __dally_nondet(unsigned short); }
int __SMACK_nondet_int32_t(void) { return __dally_nondet(int); }
unsigned __SMACK_nondet_uint32_t(void) { return __dally_nondet(unsigned); }
long long __SMACK_nondet_int64_t(void) { return __dally_nondet(long long); }
unsigned long long __SMACK_nondet_uint64_t(void) { return __dally_nondet(unsigned long long); }
long long __SMACK_nondet_loff_t(void) { return __dally_nondet(long long); }
unsigned long __SMACK_nondet_pthread_t(void) { return __dally_nondet(unsigned long); }
unsigned long __SMACK_nondet_sector_t(void) { return __dally_nondet(unsigned long); }
void *__SMACK_nondet_pointer(void) { return (void *)__dally_nondet(unsigned long); }
void *__SMACK_nondet_pchar(void) { return (void *)__dally_nondet(unsigned long); }
void *__SMACK_nondet_charp(void) { return (void *)__dally_nondet(unsigned long); }
void *__SMACK_nondet_voidp(void) { return (void *)__dally_nondet(unsigned long); }
float __SMACK_nondet_float(void) { __dally_unsupported("floating-point numbers"); return 0; }
double __SMACK_nondet_double(void) { __dally_unsupported("floating-point numbers"); return 0; }
void *__VERIFIER_nondet(void) { return (void *)__dally_nondet(unsigned long); }
int __SMACK_nondet(void) { return __dally_nondet(int); }
_Bool nondet_bool(void) { return __dally_nondet(_Bool); }
char nondet_char(void) { return __dally_nondet(char); }
unsigned char nondet_uchar(void) { return __dally_nondet(unsigned char); }
short nondet_short(void) { return __dally_nondet(short); }
unsigned short nondet_ushort(void) { return __dally_nondet(unsigned short); }
int nondet_int(void) { return __dally_nondet(int); }
unsigned nondet_uint(void) { return __dally_nondet(unsigned); }
long nondet_long(void) { return __dally_nondet(long); }
unsigned long nondet_ulong(void) { return __dally_nondet(unsigned long); }
