// The table of arenas that programs have created: no lock, since a child may be forked at any time.
#include "adapt/dialects/jemalloc/arenas.hpp"

#include "adapt/dialects/delay.hpp"
#include "heap/first_class.hpp"

namespace heapsmith::jemalloc {
namespace {

// release when an arena is entered, acquire when it is looked up: its heap is complete.
constinit atomic<first_class_heap*> heaps[arenas_end];
constinit atomic<unsigned> count{1};  // relaxed: a number alone
constinit atomic<ssize_t> dirty_times[arenas_end];

void raise_count_above(unsigned n) {
  unsigned seen = count.load(relaxed);
  while (seen <= n && !count.compare_exchange_weak(seen, n + 1, relaxed)) {
  }
}

}  // namespace

unsigned create_arena() {
  first_class_heap* const f = make_first_class_heap();
  if (f == nullptr) return 0;
  for (unsigned n = 1; n < arenas_end; ++n) {
    first_class_heap* none = nullptr;
    if (heaps[n].load(relaxed) != nullptr || !heaps[n].compare_exchange_strong(none, f, release))
      continue;
    raise_count_above(n);
    dirty_times[n].store(dialects::decay_ms(), relaxed);  // the caller tells others of the arena
    return n;
  }
  end_first_class_heap(*f);
  return 0;
}

first_class_heap* heap_of_arena(unsigned n) {
  return n < arenas_end ? heaps[n].load(acquire) : nullptr;
}

unsigned arena_with(const spans::account* account) {
  if (account == nullptr) return 0;
  for (unsigned n = count_arenas() - 1; n != 0; --n)
    if (heaps[n].load(relaxed) == account) return n;
  return 0;
}

bool destroy_arena(unsigned n) {
  if (n == 0 || n >= arenas_end) return false;
  // acquire as in heap_of_arena(); one of two threads that destroy an arena finds it.
  first_class_heap* const f = heaps[n].exchange(nullptr, acquire);
  if (f == nullptr) return false;
  end_first_class_heap(*f);
  return true;
}

atomic<ssize_t>& dirty_time_of(unsigned n) {
  return dirty_times[n];
}

unsigned count_arenas() {
  return count.load(relaxed);
}

unsigned arena_named(std::size_t number) {
  if (number == all_arenas || number == count_arenas()) return all_arenas;
  if (number >= arenas_end) return no_arena;
  const auto n = static_cast<unsigned>(number);
  return n == 0 || heap_of_arena(n) != nullptr ? n : no_arena;
}

}  // namespace heapsmith::jemalloc
