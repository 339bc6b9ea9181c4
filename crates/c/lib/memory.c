/* The heap, and functions on bytes. Allocation succeeds, unless the object is too large for any machine (2 GB here). */
void *malloc(size_t size) {
  if (size > 2147483647) return 0;
  return __dally_allocate(size, 0);
}
void *calloc(size_t count, size_t size) {
  if (size != 0 && count > 2147483647 / size) return 0;
  return __dally_allocate(count * size, 1);
}
void *aligned_alloc(size_t alignment, size_t size) { return __dally_allocate(size, 0); }
void *memalign(size_t alignment, size_t size) { return __dally_allocate(size, 0); }
void *valloc(size_t size) { return __dally_allocate(size, 0); }
void free(void *p) { __dally_release(p); }
void cfree(void *p) { __dally_release(p); }
int posix_memalign(void **p, size_t alignment, size_t size) { *p = __dally_allocate(size, 0); return 0; }

void *realloc(void *p, size_t size) {
  if (size > 2147483647) return 0;
  if (p != 0 && __dally_reuse) {
    /* The object may grow in its place. */
    size_t kept = __dally_object_size(p) < size ? __dally_object_size(p) : size;
    void *between = __dally_allocate(kept, 0);
    __dally_copy(between, p, kept);
    __dally_release(p);
    void *moved = __dally_allocate(size, 0);
    __dally_copy(moved, between, kept);
    __dally_release(between);
    return moved;
  }
  void *new = __dally_allocate(size, 0);
  if (p != 0) {
    size_t old = __dally_object_size(p);
    __dally_copy(new, p, old < size ? old : size);
    __dally_release(p);
  }
  return new;
}
void *reallocarray(void *p, size_t count, size_t size) {
  if (size != 0 && count > 2147483647 / size) return 0;
  return realloc(p, count * size);
}

void *memcpy(void *to, const void *from, size_t n) {
  __dally_check(!__dally_overlap(to, from, n), "memcpy: the areas overlap");
  __dally_move(to, from, n);
  return to;
}
void *memmove(void *to, const void *from, size_t n) { __dally_move(to, from, n); return to; }
void *mempcpy(void *to, const void *from, size_t n) { memcpy(to, from, n); return (char *)to + n; }
void *memset(void *p, int byte, size_t n) { __dally_fill(p, byte, n); return p; }
void bzero(void *p, size_t n) { __dally_fill(p, 0, n); }
void bcopy(const void *from, void *to, size_t n) { __dally_move(to, from, n); }

int memcmp(const void *a, const void *b, size_t n) {
  const unsigned char *x = a;
  const unsigned char *y = b;
  for (size_t i = 0; i < n; i++)
    if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
  return 0;
}
int bcmp(const void *a, const void *b, size_t n) { return memcmp(a, b, n); }

void *memchr(const void *p, int byte, size_t n) {
  const unsigned char *x = p;
  for (size_t i = 0; i < n; i++)
    if (x[i] == (unsigned char)byte) return (void *)(x + i);
  return 0;
}
