// Requests that the heap refuses by return value and errno, leaving everything as it was.
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "calls.hpp"

namespace {

int failures = 0;

void expect(bool holds, const char* what, int line) {
  if (holds) return;
  if (++failures > 20) return;
  fprintf(stderr, "refusals.cpp:%d: %s (errno %d)\n", line, what, errno);
}
#define EXPECT(condition) expect((condition), #condition, __LINE__)

/// The call yields null and sets errno to `error`.
#define EXPECT_REFUSED(call, error)                                                                \
  do {                                                                                             \
    errno = 0;                                                                                     \
    EXPECT((call) == nullptr);                                                                     \
    EXPECT(errno == (error));                                                                      \
  } while (0)

constexpr std::size_t too_many[] = {std::size_t{PTRDIFF_MAX} + 1, SIZE_MAX - 4096, SIZE_MAX - 15,
                                    SIZE_MAX - 1, SIZE_MAX};
constexpr std::size_t block_sizes[] = {48, 20 << 10, 100 << 10, 40 << 20};

void too_large() {
  for (const std::size_t n : too_many) {
    EXPECT_REFUSED(heap.malloc(n), ENOMEM);
    EXPECT_REFUSED(heap.calloc(1, n), ENOMEM);
    EXPECT_REFUSED(heap.calloc(n, 1), ENOMEM);
    EXPECT_REFUSED(heap.realloc(nullptr, n), ENOMEM);
    EXPECT_REFUSED(heap.memalign(64, n), ENOMEM);
    EXPECT_REFUSED(heap.aligned_alloc(4096, n), ENOMEM);
    EXPECT_REFUSED(heap.valloc(n), ENOMEM);
    EXPECT_REFUSED(heap.pvalloc(n), ENOMEM);
    void* out = &failures;
    EXPECT(heap.posix_memalign(&out, 64, n) == ENOMEM);
    EXPECT(out == &failures);
  }
}

void products_that_wrap() {
  const std::size_t half = std::size_t{1} << 32;
  EXPECT_REFUSED(heap.calloc(half, half), ENOMEM);
  EXPECT_REFUSED(heap.calloc(half + 1, half), ENOMEM);  // wraps to a small number
  EXPECT_REFUSED(heap.calloc(SIZE_MAX, 2), ENOMEM);
  EXPECT_REFUSED(heap.reallocarray(nullptr, half, half), ENOMEM);
  EXPECT_REFUSED(heap.reallocarray(nullptr, SIZE_MAX / 2 + 2, 2), ENOMEM);
}

void refused_resizes_keep_the_block() {
  for (const std::size_t n : block_sizes) {
    auto* p = static_cast<unsigned char*>(heap.malloc(n));
    EXPECT(p != nullptr);
    if (p == nullptr) continue;
    memset(p, 0x5a, n);
    for (const std::size_t much : too_many) EXPECT_REFUSED(heap.realloc(p, much), ENOMEM);
    EXPECT_REFUSED(heap.reallocarray(p, SIZE_MAX / 2 + 2, 2), ENOMEM);
    std::size_t intact = 0;
    while (intact < n && p[intact] == 0x5a) ++intact;
    EXPECT(intact == n);
    EXPECT(heap.usable_size(p) >= n);
    heap.free(p);
  }
}

void bad_alignments() {
  constexpr std::size_t no_powers[] = {0, 3, 48, SIZE_MAX};
  for (const std::size_t align : no_powers) {
    EXPECT_REFUSED(heap.aligned_alloc(align, 64), EINVAL);
    void* out = &failures;
    errno = 77;
    EXPECT(heap.posix_memalign(&out, align, 64) == EINVAL);
    EXPECT(out == &failures && errno == 77);
  }
  void* out = &failures;
  EXPECT(heap.posix_memalign(&out, 4, 64) == EINVAL);  // not a multiple of sizeof(void*)
  EXPECT(out == &failures);
  EXPECT_REFUSED(heap.memalign(SIZE_MAX / 2 + 2, 64), EINVAL);  // rounded up, it would overflow
  EXPECT_REFUSED(heap.aligned_alloc(std::size_t{1} << 62, 64), ENOMEM);
  EXPECT_REFUSED(heap.aligned_alloc(std::size_t{1} << 63, 64), ENOMEM);
  EXPECT_REFUSED(heap.memalign(std::size_t{1} << 63, SIZE_MAX / 2), ENOMEM);
}

/// An alignment of direct-map size with a size of nothing is still a block of its own.
void hugely_aligned_nothing() {
  void* p = heap.aligned_alloc(std::size_t{64} << 20, 0);
  void* q = heap.aligned_alloc(std::size_t{64} << 20, 0);
  EXPECT(p != nullptr && q != nullptr && p != q);
  if (p == nullptr || q == nullptr) return;
  memset(p, 1, heap.usable_size(p));
  heap.free(p);
  heap.free(q);
}

/// Requests that nobody can fulfil must not use up what later ones need.
void refusals_cost_nothing() {
  constexpr int rounds = 200;
  static void* kept[rounds];
  for (void*& p : kept) {
    EXPECT_REFUSED(heap.malloc(PTRDIFF_MAX), ENOMEM);
    p = heap.malloc(3 << 20);  // makes the heap grow
    EXPECT(p != nullptr);
  }
  for (void* p : kept) heap.free(p);
}

void free_of_nothing() {
  errno = 77;
  heap.free(nullptr);
  EXPECT(errno == 77);
  EXPECT(heap.usable_size(nullptr) == 0);
  for (const std::size_t n : block_sizes) {
    void* p = heap.malloc(n);
    errno = 77;
    heap.free(p);
    EXPECT(errno == 77);
    p = heap.malloc(n);
    errno = 77;
    EXPECT(heap.realloc(p, 0) == nullptr);
    EXPECT(errno == 77);
  }
}

}  // namespace

int main() {
  free_of_nothing();
  too_large();
  products_that_wrap();
  refused_resizes_keep_the_block();
  bad_alignments();
  refusals_cost_nothing();
  hugely_aligned_nothing();
  free_of_nothing();
  return failures == 0 ? 0 : 1;
}
