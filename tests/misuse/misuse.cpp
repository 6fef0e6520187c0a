// One misuse in one process: misuse CASE SIZE THREAD. The heap must abort.
//
// SIZE is small, medium, long, large or direct; THREAD says who misuses the block: same or other.
// The pointer is written to stdout first, so that the diagnosis can be compared to the letter.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <functional>
#include <string_view>
#include <thread>

#include "calls.hpp"

namespace {

struct situation {
  std::size_t bytes;
  bool other_thread;

  /// Runs a step in the thread that the situation names, to its end.
  void act(const std::function<void()>& step) const {
    if (other_thread)
      std::thread(step).join();
    else
      step();
  }
};

/// Says which pointer is about to be misused; without stdio's buffer, which would be a block
/// itself.
void* announce(void* p) {
  char line[32];
  const int length = snprintf(line, sizeof line, "%p\n", p);
  if (write(STDOUT_FILENO, line, static_cast<std::size_t>(length)) != length) abort();
  return p;
}

char* block(const situation& s) {
  char* p = static_cast<char*>(heap.malloc(s.bytes));
  if (p == nullptr) abort();
  p[0] = p[s.bytes - 1] = 1;
  return p;
}

void free_announced(const situation& s, void* p) {
  s.act([=] { heap.free(announce(p)); });
}

alignas(64) char some_static[256];

void foreign_static(const situation& s) {
  heap.free(block(s));  // the heap exists
  free_announced(s, some_static + 64);
}

void foreign_stack(const situation& s) {
  heap.free(block(s));
  alignas(64) char local[256];
  local[0] = 0;
  free_announced(s, local + 64);
}

void foreign_mapped(const situation& s) {
  heap.free(block(s));
  void* p = mmap(nullptr, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  free_announced(s, p);
}

void foreign_libc(const situation& s) {
  heap.free(block(s));
  free_announced(s, malloc(s.bytes));
}

void foreign_before_first_use(const situation& s) {
  free_announced(s, some_static + 64);
}

void beyond_the_frontier(const situation& s) {
  free_announced(s, block(s) + (std::size_t{16} << 30));
}

void realloc_foreign(const situation& s) {
  heap.free(block(s));
  s.act([&] { heap.realloc(announce(some_static + 64), s.bytes); });
}

void usable_foreign(const situation& s) {
  heap.free(block(s));
  s.act([&] { heap.usable_size(announce(some_static + 64)); });
}

void interior_near(const situation& s) {
  free_announced(s, block(s) + 16);
}

void interior_odd(const situation& s) {
  free_announced(s, block(s) + 1);
}

void interior_far(const situation& s) {
  char* p = block(s);
  free_announced(s, p + s.bytes - 32);
}

void interior_realloc(const situation& s) {
  char* p = block(s);
  s.act([&] { heap.realloc(announce(p + 16), s.bytes * 2); });
}

void interior_usable(const situation& s) {
  char* p = block(s);
  s.act([&] { heap.usable_size(announce(p + 16)); });
}

/// Twice by one thread, with `between` other frees in between.
void double_free(const situation& s, int between) {
  static char* others[600];
  char* p = block(s);
  for (int i = 0; i < between; ++i) others[i] = block(s);
  char* keeps_the_slab = block(s);
  s.act([=] {
    heap.free(p);
    for (int i = 0; i < between; ++i) heap.free(others[i]);
    heap.free(announce(p));
  });
  heap.free(keeps_the_slab);
}

void double_in_a_row(const situation& s) {
  double_free(s, 0);
}

/// The block is no longer the last one freed.
void double_apart(const situation& s) {
  double_free(s, 1);
}

/// Every batch of the thread was sent meanwhile.
void double_much_later(const situation& s) {
  double_free(s, 600);
}

/// By two threads, the first of which has ended: what it gathered has gone home.
void double_by_two(const situation& s) {
  char* p = block(s);
  char* keeps_the_slab = block(s);
  s.act([=] { heap.free(p); });
  free_announced(s, p);
  heap.free(keeps_the_slab);
}

void realloc_freed(const situation& s) {
  char* p = block(s);
  heap.free(p);
  s.act([&] { heap.realloc(announce(p), s.bytes / 2); });
}

void usable_freed(const situation& s) {
  char* p = block(s);
  heap.free(p);
  s.act([&] { heap.usable_size(announce(p)); });
}

/// An address between the heap's first block and its frontier where there has never been a block.
void usable_wild(const situation& s) {
  char* p = block(s);
  s.act([&] { heap.usable_size(announce(p + s.bytes + (std::size_t{1} << 17))); });
}

void sized_too_large(const situation& s) {
  char* p = block(s);
  s.act([&] { heap.free_sized(announce(p), s.bytes * 2); });
}

void sized_too_small(const situation& s) {
  char* p = block(s);
  s.act([&] { heap.free_sized(announce(p), s.bytes / 4); });
}

struct named_case {
  std::string_view name;
  void (*run)(const situation&);
};
constexpr named_case cases[] = {
    {"foreign_static", foreign_static},
    {"foreign_stack", foreign_stack},
    {"foreign_mapped", foreign_mapped},
    {"foreign_libc", foreign_libc},
    {"foreign_before_first_use", foreign_before_first_use},
    {"beyond_the_frontier", beyond_the_frontier},
    {"realloc_foreign", realloc_foreign},
    {"usable_foreign", usable_foreign},
    {"interior_near", interior_near},
    {"interior_odd", interior_odd},
    {"interior_far", interior_far},
    {"interior_realloc", interior_realloc},
    {"interior_usable", interior_usable},
    {"double_in_a_row", double_in_a_row},
    {"double_apart", double_apart},
    {"double_by_two", double_by_two},
    {"double_much_later", double_much_later},
    {"realloc_freed", realloc_freed},
    {"usable_freed", usable_freed},
    {"usable_wild", usable_wild},
    {"sized_too_large", sized_too_large},
    {"sized_too_small", sized_too_small},
};

constexpr std::size_t bytes_of(std::string_view size) {
  if (size == "small") return 48;
  if (size == "medium") return 20 << 10;
  if (size == "long") return 100 << 10;
  if (size == "large") return 1100 << 10;
  return size == "direct" ? 40 << 20 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::string_view thread = argv[3];
  const situation s = {bytes_of(argv[2]), thread == "other"};
  if (s.bytes == 0 || (!s.other_thread && thread != "same")) return 2;
  for (const named_case& c : cases)
    if (c.name == argv[1]) return c.run(s), puts("went on"), 0;
  return 2;
}
