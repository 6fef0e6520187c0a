// The table of SECURITY.md, one cell in one process: told MISTAKE SIZE THREAD.
//
// SIZE is small, large or direct. THREAD says who makes the mistake: same, the thread that
// allocated the block, or other. Of two threads at once, one is that thread, or neither is. The
// pointer that is freed wrongly is written to stdout first.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <string_view>
#include <thread>

#include "calls.hpp"

namespace {

std::size_t bytes;
bool by_other;

char* block() {
  char* p = static_cast<char*>(heap.malloc(bytes));
  if (p == nullptr) abort();
  p[0] = p[bytes - 1] = 1;
  return p;
}

void announce(const void* p) {
  char line[32];
  const int length = snprintf(line, sizeof line, "%p\n", p);
  if (write(STDOUT_FILENO, line, static_cast<std::size_t>(length)) != length) abort();
}

/// Runs a step in the thread that makes the mistake, to its end.
template <class Step>
void act(Step step) {
  if (by_other)
    std::thread(step).join();
  else
    step();
}

void twice() {
  char* p = block();
  announce(p);
  act([=] {
    heap.free(p);
    heap.free(p);
  });
}

void interleaved() {
  char *p = block(), *q = block();
  announce(p);
  act([=] {
    heap.free(p);
    heap.free(q);
    heap.free(p);
  });
}

void misaligned() {
  char* p = block() + 1;
  announce(p);
  act([=] { heap.free(p); });
}

void interior() {
  char* p = block() + 16;
  announce(p);
  act([=] { heap.free(p); });
}

void at_once() {
  char* p = block();
  announce(p);
  std::atomic<int> waiting{2};
  const auto race = [&] {
    --waiting;
    while (waiting != 0) continue;
    heap.free(p);
  };
  if (by_other) {
    std::thread one(race), two(race);
    one.join(), two.join();
  } else {
    std::thread two(race);
    race();
    two.join();
  }
  // The owner of the slab comes by, unless the block has no slab.
  for (int i = 0; i < 3000 && bytes < 1000; ++i) block();
}

struct {
  std::string_view name;
  void (*make)();
} constexpr mistakes[] = {
    {"twice", twice},       {"interleaved", interleaved}, {"misaligned", misaligned},
    {"interior", interior}, {"at_once", at_once},
};

constexpr std::size_t bytes_of(std::string_view size) {
  return size == "small" ? 48 : size == "large" ? 1100 << 10 : size == "direct" ? 40 << 20 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4 || (bytes = bytes_of(argv[2])) == 0) return 2;
  by_other = argv[3] == std::string_view("other");
  block();  // keeps the slab
  for (const auto& m : mistakes)
    if (m.name == argv[1]) return m.make(), 0;
  return 2;
}
