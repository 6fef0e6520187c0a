// A program that uses each family once, and says so if one does not do what it should. Compilers
// that the other tests do not use build and run it.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory_resource>
#include <thread>
#include <vector>

#include "heapsmith/allocator.hpp"
#include "heapsmith/arena.hpp"
#include "heapsmith/arena_containers.hpp"
#include "heapsmith/concurrent_arena.hpp"
#include "heapsmith/concurrent_region.hpp"
#include "heapsmith/containers/map.hpp"
#include "heapsmith/containers/queue.hpp"
#include "heapsmith/counting.hpp"
#include "heapsmith/heap.hpp"
#include "heapsmith/inline_arena.hpp"
#include "heapsmith/inline_pool.hpp"
#include "heapsmith/limiting.hpp"
#include "heapsmith/offset_region.hpp"
#include "heapsmith/pmr.hpp"
#include "heapsmith/pool.hpp"
#include "heapsmith/pool_resource.hpp"
#include "heapsmith/region.hpp"
#include "heapsmith/resource_ref.hpp"
#include "heapsmith/scope.hpp"
#include "heapsmith/small_region.hpp"
#include "heapsmith/soa_pool.hpp"

namespace {

int failures = 0;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::printf("wrong: %s\n", what);
  ++failures;
}

/// Allocates, fills and frees blocks of many sizes.
template <class Resource>
void exercise(Resource& from, const char* what) {
  struct held {
    void* p;
    std::size_t bytes;
  };
  std::vector<held> blocks;
  for (std::size_t i = 0; i < 200; ++i) {
    const std::size_t bytes = i * 37 % 1500 + 1;
    blocks.push_back({from.allocate(bytes, 16), bytes});
    std::memset(blocks.back().p, static_cast<int>(i), bytes);
  }
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const auto* const at = static_cast<const unsigned char*>(blocks[i].p);
    expect(at[0] == i % 256 && at[blocks[i].bytes - 1] == i % 256, what);
    from.deallocate(blocks[i].p, blocks[i].bytes, 16);
  }
}

struct order {
  std::uint64_t price;
  std::uint32_t quantity;
};

struct counted {
  explicit counted(int& alive) : alive_(&alive) { ++*alive_; }
  counted(const counted&) = delete;
  counted& operator=(const counted&) = delete;
  ~counted() { --*alive_; }
  int* alive_;
};

template <class Pool>
void use_pool(Pool& orders, const char* what) {
  std::uint32_t at[100];
  for (std::uint32_t i = 0; i < 100; ++i) at[i] = orders.emplace(std::uint64_t{i} * 3, i);
  for (std::uint32_t i = 0; i < 100; i += 2) orders.erase(at[i]);
  std::size_t seen = 0;
  for (auto it = orders.begin(); it != orders.end(); ++it) ++seen;
  expect(seen == 50 && orders.size() == 50 && orders.check() == 0, what);
  orders.pop_back();
  expect(orders.size() == 49 && orders.check() == 0, what);
}

alignas(16) unsigned char buffer[1 << 20];

}  // namespace

int main() {
  using namespace heapsmith;

  arena<> a;
  exercise(a, "arena");
  {
    int alive = 0;
    scope<> s(a);
    for (int i = 0; i < 10; ++i) static_cast<void>(s.make<counted>(alive));
    expect(alive == 10, "scope makes");
    s.reset();
    expect(alive == 0, "scope ends");
  }
  inline_arena<4096> near;
  exercise(near, "inline_arena");
  concurrent_arena<> shared;
  std::thread other([&] { exercise(shared, "concurrent_arena, other thread"); });
  exercise(shared, "concurrent_arena");
  other.join();

  region r(buffer, sizeof buffer / 2);
  exercise(r, "region");
  expect(r.check() == 0, "region");
  static unsigned char little[65536];
  small_region s(little, sizeof little);
  void* const p = s.allocate(100);
  s.deallocate(p);
  expect(s.check() == 0, "small_region");
  concurrent_region c(buffer + sizeof buffer / 2, sizeof buffer / 2);
  exercise(c, "concurrent_region");
  offset_region<> offsets(1 << 20);
  const offset_block b = offsets.allocate(1000, 64);
  expect(b && b.offset % 64 == 0, "offset_region");
  offsets.deallocate(b);

  unsynchronized_pool<> nodes;
  exercise(nodes, "unsynchronized_pool");
  synchronized_pool<> for_all;
  exercise(for_all, "synchronized_pool");
  counting<unsynchronized_pool<>> counted_nodes;
  exercise(counted_nodes, "counting");
  limiting<default_resource> limited(1 << 20);
  exercise(limited, "limiting");
  expect(limited.try_allocate(2 << 20) == nullptr, "limiting refuses");
  heap first_class;
  exercise(first_class, "heap");
  global_heap global;
  exercise(global, "global_heap");

  pool<order> orders;
  use_pool(orders, "pool");
  pool<order, policy::with_handles, policy::stable> stable;
  use_pool(stable, "stable pool");
  fixed_pool<order> fixed(128);
  use_pool(fixed, "fixed_pool");
  soa_pool<order> columns;
  use_pool(columns, "soa_pool");

  map<std::uint64_t, order> book;
  for (std::uint64_t i = 0; i < 100; ++i) book.insert_or_assign(i * 7 % 101, order{i, 1});
  expect(book.size() == 100 && book.contains(7), "map");
  queue<int> waiting;
  for (int i = 0; i < 100; ++i) waiting.push(i);
  expect(waiting.front() == 0, "queue");

  std::vector<int, allocator<int>> numbers;
  std::vector<int, resource_allocator<int, arena<>>> in_arena{resource_allocator<int, arena<>>(a)};
  pmr_adaptor adaptor(nodes);
  std::pmr::vector<int> in_pool(&adaptor);
  for (int i = 0; i < 1000; ++i) {
    numbers.push_back(i);
    in_arena.push_back(i);
    in_pool.push_back(i);
  }
  expect(numbers[999] == 999 && in_arena[999] == 999 && in_pool[999] == 999, "containers");
  if (failures == 0) std::puts("all families work");
  return failures == 0 ? 0 : 1;
}
