#include <assert.h>

int sensor(void);

int main(void) {
  assert(sensor() != 1);
}
