// Decision 0001: a list for each slab against one LIFO list for each class and thread.
//
// usage: slab_lists DESIGN PATTERN ROUNDS, under callgrind and cachegrind
//   DESIGN   slab | thread (at most 64 blocks on the list) | pinning (no bound)
//   PATTERN  pair | deep (64 blocks, freed last first) | random (65536 blocks, in random order)
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <string_view>
#include <vector>

namespace {

constexpr std::size_t slice = 64 * 1024, block_bytes = 64, capacity = slice / block_bytes;
constexpr std::size_t live = 65536, slabs = live / capacity + 2;
constexpr std::uint8_t the_class = 3;
std::uint32_t bound = 64;
volatile std::size_t request = block_bytes;  // not a constant for the optimiser

struct block {
  block* next;
};
struct alignas(128) record {
  const void* owner;
  block* free;
  std::uint32_t countdown, carved;
  std::uint8_t size_class;
};
struct thread_list {
  block* head;
  std::uint32_t count;
};
struct heap {
  record* direct[65];
  thread_list* direct_lists[65];
  thread_list lists[72];
};

record records[slabs];
char* base;
thread_local heap the_heap;
thread_local heap* t_heap = &the_heap;

void push(block*& head, block* b) {
  b->next = head;
  head = b;
}
block* pop(block*& head) {
  block* b = head;
  head = b->next;
  return b;
}

/// The next slab with a free block, lowest address first; blocks are cut an OS page at a time.
record& find_slab() {
  for (record& s : records) {
    if (s.free == nullptr && s.carved != capacity) {
      char* page = base + static_cast<std::size_t>(&s - records) * slice + s.carved * block_bytes;
      for (std::size_t at = 4096; at > 0; s.carved++)
        push(s.free, reinterpret_cast<block*>(page + (at -= block_bytes)));
    }
    if (s.free != nullptr) return s;
  }
  abort();
}

record& own_record(void* p) {
  const std::size_t i = static_cast<std::size_t>(static_cast<char*>(p) - base) >> 16;
  if (i >= slabs || records[i].owner != __builtin_thread_pointer()) abort();
  return records[i];
}

[[gnu::noinline]] void* slab_pop_slowly(std::size_t slot) {
  return pop((t_heap->direct[slot] = &find_slab())->free);
}

[[gnu::noinline]] void* slab_pop(std::size_t bytes) {
  record* s = t_heap->direct[(bytes + 15) / 16];
  if (s->free == nullptr) return slab_pop_slowly((bytes + 15) / 16);
  return pop(s->free);
}

[[gnu::noinline]] void slab_push(void* p) {
  record& s = own_record(p);
  if (p == s.free) abort();  // freed twice
  push(s.free, static_cast<block*>(p));
  if (--s.countdown == 0) s.countdown = capacity;
}

[[gnu::noinline]] void* thread_pop_slowly(thread_list* list) {
  for (record& s = find_slab(); list->count < 32 && s.free != nullptr; ++list->count)
    push(list->head, pop(s.free));
  --list->count;
  return pop(list->head);
}

[[gnu::noinline]] void* thread_pop(std::size_t bytes) {
  thread_list* list = t_heap->direct_lists[(bytes + 15) / 16];
  if (list->head == nullptr) return thread_pop_slowly(list);
  --list->count;
  return pop(list->head);
}

[[gnu::noinline]] void flush_half(thread_list& list) {
  for (; list.count > bound / 2; --list.count) slab_push(pop(list.head));
}

[[gnu::noinline]] void thread_push(void* p) {
  thread_list& list = t_heap->lists[own_record(p).size_class];
  if (p == list.head) abort();
  push(list.head, static_cast<block*>(p));
  if (++list.count > bound) flush_half(list);
}

template <void* (*allocate)(std::size_t), void (*deallocate)(void*)>
void run(std::size_t depth, bool shuffled, std::size_t rounds) {
  std::vector<std::size_t> order(depth);
  std::iota(order.rbegin(), order.rend(), 0);
  std::mt19937_64 random(42);
  if (shuffled) std::shuffle(order.begin(), order.end(), random);
  std::vector<std::size_t*> blocks(depth);
  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < depth; ++i)
      *(blocks[i] = static_cast<std::size_t*>(allocate(request))) = i;
    for (const std::size_t i : order) {
      if (*blocks[i] != i) abort();  // handed out twice
      deallocate(blocks[i]);
    }
  }
  std::size_t empty = 0;
  for (const record& s : records) {
    std::size_t n = 0;
    for (const block* b = s.free; b != nullptr; b = b->next) ++n;
    empty += s.carved != 0 && n == s.carved;
  }
  printf("slabs known to be empty: %zu of %zu\n", empty, (depth + capacity - 1) / capacity);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return fputs("usage: slab_lists DESIGN PATTERN ROUNDS\n", stderr), 2;
  const std::string_view design = argv[1], pattern = argv[2];
  base = static_cast<char*>(aligned_alloc(slice, slabs * slice));
  for (record& s : records) s = {__builtin_thread_pointer(), nullptr, capacity, 0, the_class};
  for (record*& s : t_heap->direct) s = records;
  for (thread_list*& l : t_heap->direct_lists) l = &t_heap->lists[the_class];
  if (design == "pinning") bound = UINT32_MAX;
  auto* const test = design == "slab" ? run<slab_pop, slab_push> : run<thread_pop, thread_push>;
  const std::size_t depth = pattern == "pair" ? 1 : pattern == "deep" ? 64 : live;
  test(depth, pattern == "random", strtoul(argv[3], nullptr, 10));
}
