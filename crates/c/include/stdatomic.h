#ifndef __DALLY_STDATOMIC_H
#define __DALLY_STDATOMIC_H
typedef enum memory_order {
  memory_order_relaxed, memory_order_consume, memory_order_acquire, memory_order_release, memory_order_acq_rel,
  memory_order_seq_cst
} memory_order;
typedef _Atomic(_Bool) atomic_bool;
typedef _Atomic(char) atomic_char;
typedef _Atomic(signed char) atomic_schar;
typedef _Atomic(unsigned char) atomic_uchar;
typedef _Atomic(short) atomic_short;
typedef _Atomic(unsigned short) atomic_ushort;
typedef _Atomic(int) atomic_int;
typedef _Atomic(unsigned) atomic_uint;
typedef _Atomic(long) atomic_long;
typedef _Atomic(unsigned long) atomic_ulong;
typedef _Atomic(long long) atomic_llong;
typedef _Atomic(unsigned long long) atomic_ullong;
typedef _Atomic(size_t) atomic_size_t;
typedef _Atomic(ptrdiff_t) atomic_ptrdiff_t;
typedef _Atomic(intptr_t) atomic_intptr_t;
typedef _Atomic(uintptr_t) atomic_uintptr_t;
typedef _Atomic(intmax_t) atomic_intmax_t;
typedef _Atomic(uintmax_t) atomic_uintmax_t;
typedef _Atomic(int8_t) atomic_int_least8_t;
typedef _Atomic(int16_t) atomic_int_least16_t;
typedef _Atomic(int32_t) atomic_int_least32_t;
typedef _Atomic(int64_t) atomic_int_least64_t;
typedef _Atomic(uint8_t) atomic_uint_least8_t;
typedef _Atomic(uint16_t) atomic_uint_least16_t;
typedef _Atomic(uint32_t) atomic_uint_least32_t;
typedef _Atomic(uint64_t) atomic_uint_least64_t;
typedef _Atomic(int8_t) atomic_int_fast8_t;
typedef _Atomic(int_fast16_t) atomic_int_fast16_t;
typedef _Atomic(int_fast32_t) atomic_int_fast32_t;
typedef _Atomic(int64_t) atomic_int_fast64_t;
typedef _Atomic(uint8_t) atomic_uint_fast8_t;
typedef _Atomic(uint_fast16_t) atomic_uint_fast16_t;
typedef _Atomic(uint_fast32_t) atomic_uint_fast32_t;
typedef _Atomic(uint64_t) atomic_uint_fast64_t;
typedef _Atomic(int8_t) atomic_int8_t;
typedef _Atomic(int16_t) atomic_int16_t;
typedef _Atomic(int32_t) atomic_int32_t;
typedef _Atomic(int64_t) atomic_int64_t;
typedef _Atomic(uint8_t) atomic_uint8_t;
typedef _Atomic(uint16_t) atomic_uint16_t;
typedef _Atomic(uint32_t) atomic_uint32_t;
typedef _Atomic(uint64_t) atomic_uint64_t;
typedef _Atomic(wchar_t) atomic_wchar_t;
typedef struct { _Atomic(_Bool) __set; } atomic_flag;
#define ATOMIC_FLAG_INIT { 0 }
#define ATOMIC_VAR_INIT(value) (value)
#define ATOMIC_BOOL_LOCK_FREE 2
#define ATOMIC_CHAR_LOCK_FREE 2
#define ATOMIC_SHORT_LOCK_FREE 2
#define ATOMIC_INT_LOCK_FREE 2
#define ATOMIC_LONG_LOCK_FREE 2
#define ATOMIC_LLONG_LOCK_FREE 2
#define ATOMIC_POINTER_LOCK_FREE 2
#define kill_dependency(value) (value)
#define atomic_is_lock_free(p) 1
#define atomic_thread_fence(order) __atomic_thread_fence(order)
#define atomic_signal_fence(order) __atomic_signal_fence(order)
#define atomic_init(p, value) __atomic_store_n(p, value, memory_order_relaxed)
#define atomic_load_explicit(p, order) __atomic_load_n(p, order)
#define atomic_load(p) __atomic_load_n(p, memory_order_seq_cst)
#define atomic_store_explicit(p, value, order) __atomic_store_n(p, value, order)
#define atomic_store(p, value) __atomic_store_n(p, value, memory_order_seq_cst)
#define atomic_exchange_explicit(p, value, order) __atomic_exchange_n(p, value, order)
#define atomic_exchange(p, value) __atomic_exchange_n(p, value, memory_order_seq_cst)
#define atomic_compare_exchange_strong_explicit(p, expected, value, success, failure) \
  __atomic_compare_exchange_n(p, expected, value, 0, success, failure)
#define atomic_compare_exchange_strong(p, expected, value) \
  __atomic_compare_exchange_n(p, expected, value, 0, memory_order_seq_cst, memory_order_seq_cst)
#define atomic_compare_exchange_weak_explicit(p, expected, value, success, failure) \
  __atomic_compare_exchange_n(p, expected, value, 1, success, failure)
#define atomic_compare_exchange_weak(p, expected, value) \
  __atomic_compare_exchange_n(p, expected, value, 1, memory_order_seq_cst, memory_order_seq_cst)
#define atomic_fetch_add_explicit(p, value, order) __atomic_fetch_add(p, value, order)
#define atomic_fetch_add(p, value) __atomic_fetch_add(p, value, memory_order_seq_cst)
#define atomic_fetch_sub_explicit(p, value, order) __atomic_fetch_sub(p, value, order)
#define atomic_fetch_sub(p, value) __atomic_fetch_sub(p, value, memory_order_seq_cst)
#define atomic_fetch_or_explicit(p, value, order) __atomic_fetch_or(p, value, order)
#define atomic_fetch_or(p, value) __atomic_fetch_or(p, value, memory_order_seq_cst)
#define atomic_fetch_xor_explicit(p, value, order) __atomic_fetch_xor(p, value, order)
#define atomic_fetch_xor(p, value) __atomic_fetch_xor(p, value, memory_order_seq_cst)
#define atomic_fetch_and_explicit(p, value, order) __atomic_fetch_and(p, value, order)
#define atomic_fetch_and(p, value) __atomic_fetch_and(p, value, memory_order_seq_cst)
#define atomic_flag_test_and_set_explicit(flag, order) __atomic_exchange_n(&(flag)->__set, 1, order)
#define atomic_flag_test_and_set(flag) __atomic_exchange_n(&(flag)->__set, 1, memory_order_seq_cst)
#define atomic_flag_clear_explicit(flag, order) __atomic_store_n(&(flag)->__set, 0, order)
#define atomic_flag_clear(flag) __atomic_store_n(&(flag)->__set, 0, memory_order_seq_cst)
#endif
