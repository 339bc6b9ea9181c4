#ifndef __DALLY_ERR_H
#define __DALLY_ERR_H
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#define __DALLY_TELL(format) va_list list; va_start(list, format); if (format != 0) vprintf(format, list); va_end(list)
static inline void warn(const char *format, ...) { __DALLY_TELL(format); }
static inline void warnx(const char *format, ...) { __DALLY_TELL(format); }
static inline void err(int status, const char *format, ...) { __DALLY_TELL(format); exit(status); }
static inline void errx(int status, const char *format, ...) { __DALLY_TELL(format); exit(status); }
#endif
