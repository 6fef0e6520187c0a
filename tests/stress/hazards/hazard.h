// Shared by the hazard programs: checks that exit on failure, blocks that remember their size, RSS.
#ifndef HAZARD_H
#define HAZARD_H

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef HAZARD_HS_NAMES  // on the hs_ functions, where the program decides when the heap comes to
                        // life
#include "heapsmith/heapsmith.h"
#define malloc hs_malloc
#define free hs_free
#define realloc hs_realloc
#define calloc hs_calloc
#endif

enum { exit_skipped = 77 };

/* Ends the process at once when a condition does not hold: also in children and in signal handlers,
   where stdio may not be used. */
#define HAZARD_TEXT_OF(x) #x
#define HAZARD_TEXT(x) HAZARD_TEXT_OF(x)
#define REQUIRE(condition)                                                                         \
  do {                                                                                             \
    if (!(condition)) hazard_failed(__FILE__ ":" HAZARD_TEXT(__LINE__) ": " #condition);           \
  } while (0)

static inline void hazard_failed(const char* what) {
  if (write(2, what, strlen(what)) < 0 || write(2, "\n", 1) < 0) _exit(3);
  _exit(1);
}

/* The next of a sequence of numbers (xorshift). */
static inline uint64_t next_number(uint64_t* state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  return *state ^= *state << 17;
}

/* Sizes of every kind of block: small, from multi-slice slabs, large, now and then a direct map. */
static inline size_t some_size(uint64_t* state) {
  const uint64_t n = next_number(state), kind = n % 64;
  if (kind < 48) return 16 + n / 64 % 600;
  if (kind < 56) return 1000 + n / 64 % 30000;
  if (kind < 63 || n / 64 % 16 != 0) return 40000 + n / 64 % 200000;
  return (size_t)33 << 20;
}

/* A block whose length and both ends can be checked. */
static inline void* new_block(size_t bytes) {
  unsigned char* p = (unsigned char*)malloc(bytes);
  REQUIRE(p != NULL);
  p[bytes - 1] = (unsigned char)(bytes * 31);
  memcpy(p, &bytes, sizeof bytes);
  return p;
}

static inline void check_block(const void* block) {
  const unsigned char* p = (const unsigned char*)block;
  size_t bytes;
  memcpy(&bytes, p, sizeof bytes);
  REQUIRE(bytes >= 16 && bytes <= (size_t)34 << 20);
  REQUIRE(p[bytes - 1] == (unsigned char)(bytes * 31));
}

static inline void end_block(void* block) {
  if (block == NULL) return;
  check_block(block);
  memset(block, 0, sizeof(size_t));
  free(block);
}

/* Without stdio, so that a forked child may ask. Memory of files is the kernel's: it maps more of a
   library than a program touches, now and then. */
static inline long resident_kib(void) {
  char text[100] = "";
  const int fd = open("/proc/self/statm", O_RDONLY);
  REQUIRE(fd >= 0 && read(fd, text, sizeof text - 1) > 0);
  close(fd);
  char* end;  // the second number and the third, in OS pages
  const char* const resident = strchr(text, ' ');
  REQUIRE(resident != NULL);
  const long all = strtol(resident, &end, 10), of_files = strtol(end, NULL, 10);
  return (all - of_files) * (sysconf(_SC_PAGESIZE) / 1024);
}

#endif
