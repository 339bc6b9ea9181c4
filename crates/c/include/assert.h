/* May be included more than once, with and without NDEBUG. */
#undef assert
#ifdef NDEBUG
#define assert(e) ((void)0)
#else
#define assert(e) __dally_check((e) ? 1 : 0, "assertion failed: ", #e)
#endif
#undef static_assert
#define static_assert _Static_assert
