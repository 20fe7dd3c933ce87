/* Makes the randomness of a process depend only on a seed.
 *
 * The shim is preloaded before a process's C library. getrandom returns a pseudo-random sequence with the seed
 * LEADAPI_TEST_RANDOM.
 */

#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/types.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t state;

__attribute__((constructor)) static void seed(void) {
    const char *text = getenv("LEADAPI_TEST_RANDOM");
    state = text ? strtoull(text, NULL, 10) : 0;
}

/* SplitMix64. */
static uint64_t next(void) {
    uint64_t z = (state += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

ssize_t getrandom(void *buffer, size_t length, unsigned flags) {
    (void)flags;
    unsigned char *bytes = buffer;
    pthread_mutex_lock(&lock);
    for (size_t at = 0; at < length; at++) bytes[at] = (unsigned char)next();
    pthread_mutex_unlock(&lock);
    return (ssize_t)length;
}
