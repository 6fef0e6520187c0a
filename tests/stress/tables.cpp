// Tables from calloc, filled, sparse and filled late, by threads that free each other's.
//
// Each look for what became of a table races with the free of that table by another thread, and
// with the next use of its memory.
#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "heapsmith/heapsmith.h"
#include "stress.hpp"

namespace {

constexpr std::size_t threads_at_once = 4;
constexpr std::size_t shelves = 3;
constexpr std::size_t os_page = 4096;

struct table {
  std::size_t bytes;
  std::size_t step;  // a number is written at each multiple of it, its distance from the start
};

// A table is written before it is exchanged in, and read after it is exchanged out: acq_rel.
std::atomic<char*> shelf[shelves];

void write(char* t, table how) {
  for (std::size_t at = sizeof how; at + sizeof at <= how.bytes; at += how.step)
    std::memcpy(t + at, &at, sizeof at);
  std::memcpy(t, &how, sizeof how);
}

void check_and_free(char* t) {
  if (t == nullptr) return;
  table how;
  std::memcpy(&how, t, sizeof how);
  for (std::size_t at = sizeof how; at + sizeof at <= how.bytes; at += how.step) {
    std::size_t found;
    std::memcpy(&found, t + at, sizeof found);
    if (found != at) stress::fail("a table changed while it was in use");
  }
  hs_free(t);
}

char* make_table(stress::random& r, table how) {
  char* const t = static_cast<char*>(hs_calloc(1, how.bytes));
  if (t == nullptr) stress::fail("memory was refused");
  if (how.step > os_page) return t;  // reading a page is as good as writing it for the heap
  // A word of every page, at any place in it.
  for (std::size_t at = r.below(os_page / 8) * 8; at + 8 <= how.bytes; at += os_page) {
    std::uint64_t found;
    std::memcpy(&found, t + at, sizeof found);
    if (found != 0) stress::fail("calloc returned a table that is not zero");
  }
  return t;
}

void work(std::uint64_t seed) {
  stress::random r(seed);
  for (std::size_t n = stress::scaled(60); n-- > 0;) {
    const std::size_t bytes = (1 << 20) + r.below(3 << 20);
    const table filled = {bytes, os_page / 2};
    const table sparse = {bytes, std::size_t{1} << 19};
    // Mostly filled, so that the heap keeps changing its mind.
    const table how = r.one_in(5) ? sparse : filled;
    char* const t = make_table(r, how);
    char* const late = r.one_in(3) ? make_table(r, filled) : nullptr;
    write(t, how);
    if (late != nullptr) write(late, filled);
    check_and_free(shelf[r.below(shelves)].exchange(t, std::memory_order_acq_rel));
    check_and_free(late);
  }
}

void round(std::uint64_t seed) {
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < threads_at_once; ++i)
    threads.emplace_back([=] { work(seed * 10 + i); });
  for (std::thread& t : threads) t.join();
  for (auto& each : shelf) check_and_free(each.exchange(nullptr, std::memory_order_acq_rel));
  stress::require_empty(0);
}

}  // namespace

int main() {
  return stress::run(round);
}
