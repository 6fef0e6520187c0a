// One misuse of a pool resource in one process, which must abort: pool_resources CASE. Compiled
// hardened, so that it aborts in every build.
#include <cstdint>
#include <cstdio>
#include <string_view>

#include "heapsmith/pool_resource.hpp"

namespace {

void* volatile escaped;

void* use(void* p) {
  escaped = p;
  return escaped;
}

template <class Pool>
void freed_twice_in_a_row() {
  Pool pool;
  use(pool.allocate(48));
  void* const p = use(pool.allocate(48));
  pool.deallocate(p, 48);
  pool.deallocate(p, 48);
}

template <class Pool>
void interior() {
  Pool pool;
  void* const p = use(pool.allocate(48));
  pool.deallocate(static_cast<char*>(p) + 8, 48);
}

template <class Pool>
void too_many_bytes() {
  Pool pool;
  void* const p = use(pool.allocate(48));
  pool.deallocate(p, 200);
}

template <class Pool>
void of_another_pool() {
  Pool pool, other;
  void* const p = use(other.allocate(48));
  use(pool.allocate(48));
  pool.deallocate(p, 48);
}

template <class Pool>
void read_after_free() {
  Pool pool;
  auto* const p = static_cast<volatile char*>(use(pool.allocate(48)));
  pool.deallocate(const_cast<char*>(p), 48);
  use(reinterpret_cast<void*>(static_cast<std::uintptr_t>(p[20])));
}

using unsynchronized = heapsmith::unsynchronized_pool<>;
using synchronized_ = heapsmith::synchronized_pool<>;

struct misuse {
  std::string_view name;
  void (*run)();
};

constexpr misuse all[] = {
    {"unsynchronized_freed_twice", freed_twice_in_a_row<unsynchronized>},
    {"unsynchronized_interior", interior<unsynchronized>},
    {"unsynchronized_too_many_bytes", too_many_bytes<unsynchronized>},
    {"unsynchronized_of_another_pool", of_another_pool<unsynchronized>},
    {"unsynchronized_read_after_free", read_after_free<unsynchronized>},
    {"synchronized_freed_twice", freed_twice_in_a_row<synchronized_>},
    {"synchronized_interior", interior<synchronized_>},
    {"synchronized_too_many_bytes", too_many_bytes<synchronized_>},
    {"synchronized_of_another_pool", of_another_pool<synchronized_>},
    {"synchronized_read_after_free", read_after_free<synchronized_>},
};

}  // namespace

int main(int argc, char** argv) {
  for (const misuse& each : all)
    if (argc == 2 && each.name == argv[1]) {
      each.run();
      std::puts("did not abort");
      return 0;
    }
  std::fputs("usage: pool_resources CASE\n", stderr);
  return 2;
}
