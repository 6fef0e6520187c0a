// Threads end in every way that still allocates: thread_local destructors, keys whose destructors
// re-arm themselves to the last round, blocks left behind that others free.
#include <pthread.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "hazard.h"

namespace {

constexpr int threads_at_once = 8;
constexpr int rounds = 400;
constexpr int keys = 3;

std::atomic<void*> left_behind[256];

void leave(void* p, std::uint64_t number) {
  end_block(left_behind[number % 256].exchange(p, std::memory_order_acq_rel));
}

/// A value of a key: allocates and frees in each round of destructors, four times in all.
struct key_value {
  pthread_key_t key;
  int rounds_seen;
  std::uint64_t state;
  void* block;
};

void end_of_value(void* p) {
  auto* v = static_cast<key_value*>(p);
  end_block(v->block);
  v->block = new_block(some_size(&v->state));
  leave(new_block(some_size(&v->state)), next_number(&v->state));
  if (++v->rounds_seen < PTHREAD_DESTRUCTOR_ITERATIONS) {
    REQUIRE(pthread_setspecific(v->key, v) == 0);
    return;
  }
  end_block(v->block);
  delete v;
}

/// Allocates when it ends, and frees what its thread allocated before.
struct talkative {
  std::vector<std::string> lines;
  ~talkative() {
    for (const std::string& line : lines) REQUIRE(line == std::string(100, 'x'));
    lines.emplace_back(1000, 'y');
    leave(new_block(300), lines.size());
  }
};
thread_local talkative farewell;
thread_local std::unique_ptr<std::string> note;

pthread_key_t end_keys[keys];

void* live(void* seed) {
  std::uint64_t state = reinterpret_cast<std::uintptr_t>(seed) * 0x9e3779b97f4a7c15u + 1;
  for (const pthread_key_t key : end_keys)
    REQUIRE(pthread_setspecific(key, new key_value{key, 0, next_number(&state), nullptr}) == 0);
  note = std::make_unique<std::string>(200, 'n');
  for (int i = 0; i < 20; ++i) farewell.lines.emplace_back(100, 'x');
  for (int i = 0; i < 40; ++i) leave(new_block(some_size(&state)), next_number(&state));
  return nullptr;
}

void run_generation(int number) {
  pthread_t threads[threads_at_once];
  for (int i = 0; i < threads_at_once; ++i) {
    void* seed =
        reinterpret_cast<void*>(static_cast<std::uintptr_t>(number * threads_at_once + i + 1));
    REQUIRE(pthread_create(&threads[i], nullptr, live, seed) == 0);
  }
  for (pthread_t t : threads) REQUIRE(pthread_join(t, nullptr) == 0);
}

void free_everything_left() {
  for (auto& slot : left_behind) end_block(slot.exchange(nullptr));
}

}  // namespace

int main() {
  for (pthread_key_t& key : end_keys) REQUIRE(pthread_key_create(&key, end_of_value) == 0);
  long after_warm_up = 0;
  for (int n = 0; n < rounds; ++n) {
    run_generation(n);
    if (n % 50 == 49) free_everything_left();
    if (n == 149) after_warm_up = resident_kib();
  }
  free_everything_left();
  const long grown = resident_kib() - after_warm_up;
  printf("grew by %ld KiB from %ld\n", grown, after_warm_up);
  return grown < 4096 ? 0 : 1;
}
