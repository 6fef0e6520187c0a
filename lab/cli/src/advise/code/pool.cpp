// A pool for the blocks of one thread.
#include <cstring>
// [
#include <heapsmith/pool_resource.hpp>
// ]

constexpr std::size_t LIMIT = 48;

int main() {
  // [
  heapsmith::unsynchronized_pool<> pool;  // of one thread
  void* p = pool.allocate(LIMIT);         // instead of malloc
  // ...
  // ]
  std::memset(p, 1, LIMIT);
  // [
  pool.deallocate(p, LIMIT);  // instead of free
  // ]
}
