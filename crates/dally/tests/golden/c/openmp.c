// OpenMP is ignored, with a warning.
#include <assert.h>
int n;
int main(void){
#pragma omp parallel for
  for(int i=0;i<4;i++) n++;
  assert(n==4); return 0;}
