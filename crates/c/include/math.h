#ifndef __DALLY_MATH_H
#define __DALLY_MATH_H
#define INFINITY (__builtin_inff())
#define NAN (__builtin_nanf(""))
#define HUGE_VAL (__builtin_huge_val())
#define M_PI 3.14159265358979323846
#define M_E 2.7182818284590452354
double sqrt(double), pow(double, double), exp(double), log(double), log2(double), log10(double);
double sin(double), cos(double), tan(double), asin(double), acos(double), atan(double), atan2(double, double);
double floor(double), ceil(double), round(double), trunc(double), fabs(double), fmod(double, double);
double fmin(double, double), fmax(double, double), hypot(double, double), ldexp(double, int);
float sqrtf(float), powf(float, float), fabsf(float), floorf(float), ceilf(float), roundf(float);
long lround(double), lrint(double);
#endif
