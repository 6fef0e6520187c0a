// Stress: processes that use a shared region are killed at random, hundreds of times; what they had
// been given stays whole, and no more is lost than what a call was about. So are processes that
// have one number, each the first of a PID namespace, as in containers.
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <map>

#include "heapsmith/shared_region.hpp"
#include "stress.hpp"
#include "support/pid_namespace.hpp"

namespace {

namespace test = heapsmith::test;
using heapsmith::shared_region;

constexpr std::size_t segment_bytes = 1 << 20;
constexpr unsigned slots = 300;

/// A process's record of its blocks, in memory that outlives it. Blocks are named by offset.
struct ledger {
  struct entry {
    std::atomic<std::uint64_t> offset;  // written last, and cleared first
    std::uint64_t bytes, seed;
  };
  entry live[slots];
  std::atomic<std::uint64_t> calls;
};

void* map_shared(int file, std::size_t bytes) {
  void* const p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (p == MAP_FAILED) stress::fail("mmap");
  return p;
}

unsigned char byte_of(std::uint64_t seed, std::size_t i) {
  return static_cast<unsigned char>(seed * 31 + i * 7);
}

void fill(void* p, std::size_t bytes, std::uint64_t seed) {
  for (std::size_t i = 0; i < bytes; ++i) static_cast<unsigned char*>(p)[i] = byte_of(seed, i);
}

/// The worker: it allocates, frees and resizes until it is killed.
class worker {
 public:
  worker(int file, ledger& books, std::uint64_t seed) : books_(books), random_(seed) {
    if (const int error = region_.attach(map_shared(file, segment_bytes), segment_bytes);
        error != 0)
      stress::fail("attach: %s", shared_region::describe(error));
  }

  [[noreturn]] void run() {
    for (;;) {
      ledger::entry& e = books_.live[random_.below(slots)];
      if (e.offset == 0)
        allocate(e);
      else if (random_.one_in(4))
        resize(e);
      else
        free(e);
      books_.calls.fetch_add(1, std::memory_order_relaxed);
    }
  }

 private:
  std::size_t size() {
    return 1 + random_.below(random_.one_in(20) ? 20'000 : random_.one_in(3) ? 3000 : 200);
  }

  void enter(ledger::entry& e, void* p, std::size_t bytes) {
    e.bytes = bytes;
    e.seed = random_.next();
    fill(p, bytes, e.seed);
    e.offset = region_.to_offset(p);
  }

  void allocate(ledger::entry& e) {
    const std::size_t bytes = size();
    const std::size_t align = random_.one_in(8) ? std::size_t{64} << random_.below(5) : 16;
    if (void* const p = region_.try_allocate(bytes, align); p != nullptr)
      enter(e, p, bytes);
    else if (errno != ENOMEM)
      stress::fail("a call was refused: %s", shared_region::describe(errno));
  }

  void free(ledger::entry& e) {
    void* const p = region_.from_offset(e.offset);
    e.offset = 0;
    if (const int error = region_.try_deallocate(p); error != 0)
      stress::fail("a free was refused: %s", shared_region::describe(error));
  }

  void resize(ledger::entry& e) {
    void* const p = region_.from_offset(e.offset);
    const std::size_t bytes = size();
    e.offset = 0;
    void* const q = hs_shared_region_realloc(region_.native(), p, bytes);
    enter(e, q != nullptr ? q : p, q != nullptr ? bytes : std::min<std::size_t>(e.bytes, bytes));
  }

  shared_region region_;
  ledger& books_;
  stress::random random_;
};

/// Checks what the dead left behind. A block that no ledger has was in the hands of the dead: one
/// for each of them, or two, for a resize has an old one and a new one. The survivor frees it.
void audit(const shared_region& r, ledger (&books)[2], unsigned dead) {
  if (const int broken = r.check(); broken != 0)
    stress::fail("check: %s", broken < 0 ? "no lock" : hs_region_invariant(broken));
  std::map<std::uint64_t, std::size_t> live;
  r.for_each_block([&](const hs_region_block& b) {
    if (b.state == HS_REGION_IN_USE) live[r.to_offset(b.pointer)] = b.bytes;
  });
  for (const ledger& book : books)
    for (const ledger::entry& e : book.live) {
      if (e.offset == 0) continue;
      const auto at = live.find(e.offset);
      if (at == live.end() || at->second < e.bytes) stress::fail("a block is gone");
      const auto* const p = static_cast<const unsigned char*>(r.from_offset(e.offset));
      for (std::size_t i = 0; i < e.bytes; ++i)
        if (p[i] != byte_of(e.seed, i)) stress::fail("contents differ at byte %zu", i);
      live.erase(at);
    }
  if (live.size() > 2 * std::size_t{dead}) stress::fail("%zu blocks were lost", live.size());
  for (const auto& [offset, bytes] : live) r.deallocate(r.from_offset(offset));
}

void sleep_us(std::size_t us) {
  const timespec t = {0, static_cast<long>(us * 1000)};
  nanosleep(&t, nullptr);
}

pid_t start_worker(int file, ledger& books, std::uint64_t seed, const test::pid_namespace* inside) {
  const std::uint64_t calls = books.calls;
  const pid_t child = inside != nullptr ? inside->fork_first() : fork();
  if (child < 0) stress::fail("fork");
  if (child == 0) worker(file, books, seed).run();
  for (int i = 0; books.calls == calls; ++i) {
    if (i == 100'000) stress::fail("a worker does not begin");
    sleep_us(50);
  }
  return child;
}

void kill_and_reap(pid_t child) {
  int status = 0;
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
    stress::fail("a worker ended: %d", status);
}

/// One or two workers at a time, all killed; the next ones go on with the same segment and books.
/// `inside`: each worker is the first process of a PID namespace of its own.
void kill_workers(std::uint64_t seed, const test::pid_namespace* inside) {
  const int file = memfd_create("segment", 0);
  const int paper = memfd_create("ledgers", 0);
  if (file < 0 || ftruncate(file, segment_bytes) != 0) stress::fail("memfd");
  if (paper < 0 || ftruncate(paper, 2 * sizeof(ledger)) != 0) stress::fail("memfd");
  void* const here = map_shared(file, segment_bytes);
  void* const desk = map_shared(paper, 2 * sizeof(ledger));
  auto& books = *static_cast<ledger(*)[2]>(desk);
  shared_region r;
  if (r.create(here, segment_bytes) != 0) stress::fail("create");
  const std::size_t largest = r.defragment();
  stress::random random(seed);
  for (std::size_t k = 0; k < stress::scaled(300); ++k) {
    const unsigned workers = random.one_in(2) ? 2 : 1;
    pid_t children[2] = {};
    for (unsigned i = 0; i < workers; ++i)
      children[i] = start_worker(file, books[i], random.next(), inside);
    sleep_us(random.below(2000));
    for (unsigned i = 0; i < workers; ++i) kill_and_reap(children[i]);
    audit(r, books, workers);
  }
  const std::uint64_t recovered = r.recoveries();
  if (recovered == 0) stress::fail("nobody died with the lock: this tested nothing");
  for (const ledger& book : books)
    for (const ledger::entry& e : book.live) r.deallocate(r.from_offset(e.offset));
  if (r.stats().in_use_bytes != 0 || r.defragment() != largest) stress::fail("space was lost");
  munmap(here, segment_bytes);
  munmap(desk, 2 * sizeof(ledger));
  close(file);
  close(paper);
  printf("%ju recoveries\n", static_cast<std::uintmax_t>(recovered));
}

void round_of_kills(std::uint64_t seed) {
  kill_workers(seed, nullptr);
  const test::pid_namespace inside;
  if (inside.is_permitted())
    kill_workers(seed + 1, &inside);
  else
    printf("skipped: this process may not make PID namespaces\n");
}

}  // namespace

int main() {
  return stress::run(round_of_kills);
}
