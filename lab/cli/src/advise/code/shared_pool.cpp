// A pool for the blocks of all threads.
#include <cstring>
#include <thread>
// [
#include <heapsmith/pool_resource.hpp>
// ]

constexpr std::size_t LIMIT = 48;

int main() {
  // [
  heapsmith::synchronized_pool<> pool;  // of all threads
  void* p = pool.allocate(LIMIT);       // instead of malloc
  // ...
  // ]
  std::memset(p, 1, LIMIT);
  std::thread other([&pool, p] {
    // [
    pool.deallocate(p, LIMIT);  // instead of free, in any thread
    // ]
  });
  other.join();
}
