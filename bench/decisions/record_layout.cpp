// Decision 0002: where a slab's record lies, and which of its fields share a line.
//
// usage: record_layout header|small|record SLABS ROUNDS   one push and pop on each slab in turn,
// under
//                                                  cachegrind: misses of the first-level cache
//        record_layout sharing ROUNDS              an owner's frees while another thread pushes
//        onto
//                                                  the remote word: timed, a ratio of two layouts
#include <pthread.h>
#include <sched.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t slice = 64 * 1024;

struct block {
  block* next;
};
/// What malloc and a local free touch, and what other threads write, `apart` bytes from each other.
struct fields {
  const void* owner;
  block* free;
  std::uint32_t countdown;
};

/// Blocks of different classes lie at different offsets, as in a program that uses many classes.
std::size_t block_offset(std::size_t slab) {
  return 4096 + slab * 1040 % 32768 / 16 * 16;
}

/// The record of slab i lies `stride` bytes after the last: 64 KiB when it is a header in the slab.
void touch(std::size_t stride, std::size_t slabs, std::size_t rounds) {
  auto* memory = static_cast<char*>(aligned_alloc(slice, (slabs + 1) * slice));
  auto* apart = static_cast<char*>(aligned_alloc(slice, slice));
  char* records = stride == slice ? memory : apart;
  for (std::size_t i = 0; i < slabs; ++i) *reinterpret_cast<fields*>(records + i * stride) = {};
  std::size_t pushed = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < slabs; ++i) {
      auto* f = reinterpret_cast<fields*>(records + i * stride);
      auto* b = reinterpret_cast<block*>(memory + i * slice + block_offset(i));
      b->next = f->free;
      f->free = b;
      pushed += --f->countdown != 0;
      f->free = f->free->next;
    }
  }
  for (std::size_t i = 0; i < slabs; ++i)
    if (reinterpret_cast<fields*>(records + i * stride)->free != nullptr) abort();
  printf("%zu pushes\n", pushed);
}

struct one_line {
  fields local = {};
  std::atomic<std::uint64_t> remote{0};
};
struct two_lines {
  fields local = {};
  alignas(64) std::atomic<std::uint64_t> remote{0};
};

void stay_on(unsigned cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

double cpu_seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// CPU seconds of the owner's pushes and pops while another thread adds to the remote word.
template <class Record>
double beside_a_pusher() {
  alignas(128) static Record r;
  static block blocks[64];
  std::atomic<bool> running{false}, done{false};
  std::thread pusher([&] {
    stay_on(1);
    running = true;
    while (!done.load(std::memory_order_relaxed)) r.remote.fetch_add(1, std::memory_order_acq_rel);
  });
  while (!running) std::this_thread::yield();
  const double start = cpu_seconds();
  for (std::size_t i = 0; i < 1 << 22; ++i) {
    block* b = &blocks[i % 64];
    b->next = r.local.free;
    *const_cast<block* volatile*>(&r.local.free) = b;  // volatile: each round reaches memory
    volatile std::uint32_t& countdown = r.local.countdown;
    countdown = countdown - 1;
  }
  const double spent = cpu_seconds() - start;
  done = true;
  pusher.join();
  if (r.remote == 0) abort();
  return spent;
}

int compare(std::size_t rounds) {
  stay_on(0);
  std::vector<double> ratios;
  for (std::size_t i = 0; i < rounds; ++i) {  // in turns, so that a noisy moment meets both
    const double shared = beside_a_pusher<one_line>(), apart = beside_a_pusher<two_lines>();
    ratios.push_back(shared / apart);
  }
  std::sort(ratios.begin(), ratios.end());
  printf(
      "owner's time, word on its line over word on a line of its own: median %.1f, of %zu rounds "
      "from %.1f to %.1f\n",
      ratios[rounds / 2], rounds, ratios.front(), ratios.back());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && strcmp(argv[1], "sharing") == 0) return compare(strtoul(argv[2], nullptr, 10));
  if (argc != 4) return fputs("usage: see the first lines of the source\n", stderr), 2;
  const bool header = strcmp(argv[1], "header") == 0, small = strcmp(argv[1], "small") == 0;
  touch(header  ? slice
        : small ? 64
                : 128,
        strtoul(argv[2], nullptr, 10), strtoul(argv[3], nullptr, 10));
}
