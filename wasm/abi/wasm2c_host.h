/* What every host has that translates the module by wasm2c: the module's memory, the clock and random bytes. A program includes it in one
   file, after its `struct w2c_portail`, the argument that wasm2c passes to every import, with the member `w2c_module module`. */
#include <string.h>
#include <sys/random.h>
#include <time.h>

/* Returns the bytes at a pointer of the module, valid until the module's next call. */
static uint8_t* at(struct w2c_portail* host, uint32_t pointer) { return w2c_module_memory(&host->module)->data + pointer; }

/* Copies the bytes into a buffer of the module, for the next call. */
static uint32_t buffer(struct w2c_portail* host, const void* bytes, size_t size) {
  if (size == 0) return 0;
  const uint32_t pointer = w2c_module_allocate(&host->module, (uint32_t)size);
  memcpy(at(host, pointer), bytes, size);
  return pointer;
}

static u64 microseconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (u64)now.tv_sec * 1000000 + (u64)now.tv_nsec / 1000;
}

u64 w2c_portail_now(struct w2c_portail* host) {
  (void)host;
  return microseconds(CLOCK_REALTIME);
}

u64 w2c_portail_monotonic(struct w2c_portail* host) {
  (void)host;
  return microseconds(CLOCK_MONOTONIC);
}

void w2c_portail_random(struct w2c_portail* host, u32 bytes, u32 size) {
  for (u32 done = 0; done < size;) {
    const ssize_t got = getrandom(at(host, bytes) + done, size - done, 0);
    if (got > 0) done += (u32)got;
  }
}
