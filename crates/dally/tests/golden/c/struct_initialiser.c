// An initialiser copies a struct member by member, like an assignment.
#include <assert.h>
#include <pthread.h>

struct pair {
    int x, y;
} shared = {1, 1};

struct outer {
    struct pair inner;
    int z;
};

void *writer(void *argument)
{
    struct pair both = {2, 2};
    shared = both;
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    struct outer copy = {shared, 3};
    assert(copy.inner.x == copy.inner.y);
    pthread_join(thread, 0);
    return 0;
}
