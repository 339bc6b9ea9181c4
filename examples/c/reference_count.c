// The last owner of an object frees it. The count is decremented in two steps, so that both owners may do so.
//
// check: bug 1
#include <pthread.h>
#include <stdlib.h>

struct object { int owners; };

void *release(void *argument) {
  struct object *object = argument;
  object->owners--;
  if (object->owners == 0)
    free(object);
  return NULL;
}

int main(void) {
  struct object *object = malloc(sizeof *object);
  object->owners = 2;
  pthread_t one, two;
  pthread_create(&one, NULL, release, object);
  pthread_create(&two, NULL, release, object);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  return 0;
}
