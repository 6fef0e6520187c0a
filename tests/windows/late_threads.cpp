// Threads that use a synchronized pool while they end, from destructors of thread-local objects.
// Built by Clang, whose thread-local variables for Windows are native.
#include <cstdio>
#include <functional>
#include <thread>
#include <vector>

#include "heapsmith/pool_resource.hpp"

namespace {

using pool = heapsmith::synchronized_pool<>;

struct late_user {
  pool* of = nullptr;
  void* kept = nullptr;
  ~late_user() {
    if (of == nullptr) return;
    of->deallocate(kept, 64, 8);
    for (int i = 0; i < 1000; ++i) of->deallocate(of->allocate(64, 8), 64, 8);
  }
};

void use(pool& p) {
  thread_local late_user after;  // constructed first, destroyed last
  after.of = &p;
  after.kept = p.allocate(64, 8);
  thread_local late_user before;
  before.of = &p;
  before.kept = p.allocate(64, 8);
}

}  // namespace

int main() {
  pool p;
  for (int round = 0; round < 50; ++round) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back(use, std::ref(p));
    for (std::thread& t : threads) t.join();
  }
  p.trim();
  const std::size_t pieces = p.stats().pieces;
  if (pieces != 0) std::printf("%zu pieces are left\n", pieces);
  return pieces == 0 ? 0 : 1;
}
