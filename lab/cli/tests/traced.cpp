// A program that records parts of itself, for the tests of libheapsmith_trace.so. traced.cpp MODE
// FOLDER
#include <errno.h>
#include <heapsmith/heapsmith.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <initializer_list>
#include <new>

#define REQUIRE(condition)                                                                         \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "traced.cpp:%d: %s\n", __LINE__, #condition);                                \
      _exit(1);                                                                                    \
    }                                                                                              \
  } while (0)

namespace {

const char* folder;
void* volatile kept[4096];

void allocate(int count, size_t bytes) {
  for (int i = 0; i < count; ++i) kept[i] = malloc(bytes);
}
void free_all(int count) {
  for (int i = 0; i < count; ++i) free(kept[i]);
}

// The same four threads allocate in the first recording, between the two, and in the second.
constexpr int threads = 4, blocks = 1000;
pthread_barrier_t barrier;

void* allocate_in_parts(void*) {
  for (const size_t bytes : {5001, 9001, 20001}) {
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < blocks; ++i) {
      void* volatile p = malloc(bytes);
      free(p);
    }
    pthread_barrier_wait(&barrier);
  }
  return nullptr;
}

void parts() {
  pthread_t all[threads];
  pthread_barrier_init(&barrier, nullptr, threads + 1);
  for (pthread_t& each : all)
    REQUIRE(pthread_create(&each, nullptr, allocate_in_parts, nullptr) == 0);
  for (int part = 0; part < 3; ++part) {
    if (part != 1) REQUIRE(hs_trace_start(folder) == 0);
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    if (part != 1) REQUIRE(hs_trace_stop() == 0);
  }
  for (const pthread_t each : all) pthread_join(each, nullptr);
}

// Each function once, and those of C++.
void functions() {
  void* p = nullptr;
  REQUIRE(hs_trace_start(folder) == 0);
  kept[0] = hs_malloc(100);
  kept[1] = hs_calloc(5, 20);
  kept[2] = hs_realloc(nullptr, 100);
  kept[2] = hs_reallocarray(kept[2], 500, 20);
  kept[2] = hs_aligned_realloc(kept[2], 4096, 20000);
  kept[3] = hs_memalign(64, 100);
  kept[4] = hs_aligned_alloc(64, 100);
  REQUIRE(hs_posix_memalign(&p, 64, 100) == 0);
  kept[5] = p;
  kept[6] = hs_valloc(100);
  kept[7] = hs_pvalloc(100);
  REQUIRE(hs_malloc_usable_size(kept[0]) >= 100);
  const volatile size_t most = SIZE_MAX;
  REQUIRE(hs_malloc(most / 2) == nullptr && hs_calloc(most, 2) == nullptr);
  hs_free_sized(kept[0], 100);
  hs_cfree(kept[1]);
  for (int i = 2; i < 8; ++i) hs_free(kept[i]);
  const auto align = std::align_val_t{64};
  operator delete(operator new(100));
  operator delete[](operator new[](100));
  operator delete(operator new(100), size_t{100});
  operator delete[](operator new[](100), size_t{100});
  operator delete(operator new(100, align), align);
  operator delete[](operator new[](100, align), align);
  operator delete(operator new(100, align), size_t{100}, align);
  operator delete(operator new(100, std::nothrow), std::nothrow);
  operator delete[](operator new[](100, std::nothrow), std::nothrow);
  REQUIRE(hs_trace_stop() == 0);
}

// The first hundred blocks end with the heap's reset. The next ones have their addresses.
void heaps() {
  hs_heap* heap = hs_heap_create();
  REQUIRE(heap != nullptr && hs_trace_start(folder) == 0);
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 100; ++i) kept[i] = hs_heap_malloc(heap, 5001);
    if (round == 0) hs_heap_reset(heap);
  }
  hs_heap_free(heap, kept[0]);
  hs_free(kept[1]);
  REQUIRE(hs_trace_stop() == 0);
  hs_heap_destroy(heap);
}

void forks() {
  REQUIRE(hs_trace_start(folder) == 0);
  allocate(10, 5001);
  const pid_t child = fork();
  if (child == 0) {
    free(kept[0]);
    allocate(20, 9001);
    REQUIRE(hs_trace_start(folder) == EALREADY);
    REQUIRE(hs_trace_stop() == 0);
    allocate(20, 9001);
    REQUIRE(hs_trace_start(folder) == 0);
    allocate(40, 9001);
    _exit(0);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child && status == 0);
  allocate(30, 5001);
  REQUIRE(hs_trace_stop() == 0);
}

void errors() {
  char longest[3000];
  memset(longest, '/', sizeof longest - 1);
  longest[sizeof longest - 1] = '\0';
  REQUIRE(hs_trace_stop() == EALREADY);
  REQUIRE(hs_trace_start(nullptr) == EINVAL);
  REQUIRE(hs_trace_start("") == EINVAL && hs_trace_start("here") == EINVAL);
  REQUIRE(hs_trace_start(longest) == EINVAL);
  REQUIRE(hs_trace_start("/no/such/folder") == ENOENT);
  REQUIRE(hs_trace_start("/dev/null") == ENOTDIR);
  REQUIRE(hs_trace_stop() == EALREADY);
  REQUIRE(hs_trace_start(folder) == 0 && hs_trace_start(folder) == EALREADY);
  REQUIRE(hs_trace_stop() == 0 && hs_trace_stop() == EALREADY);
}

}  // namespace

int main(int, char** arguments) {
  folder = arguments[2];
  const char* const mode = arguments[1];
  if (strcmp(mode, "parts") == 0) parts();
  if (strcmp(mode, "functions") == 0) functions();
  if (strcmp(mode, "heaps") == 0) heaps();
  if (strcmp(mode, "forks") == 0) forks();
  if (strcmp(mode, "errors") == 0) errors();
  return 3;
}
