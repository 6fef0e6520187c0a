// replayer PLAN [OPTIONS]: makes the calls of a plan on the allocator of this process, which a
// preload chooses, and prints what that cost. `heapsmith replay` starts it.
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <initializer_list>

#include <new>

#include "play.hpp"
#include "say.hpp"
#include "threads.hpp"

using namespace heapsmith;
using namespace heapsmith::replayer;

namespace {

struct options {
  const char* plan = nullptr;
  touch touches = touch::measured;
  bool is_null = false;
  bool is_timed = false;
  bool is_sampled = false;
  bool is_paced = false;
  unsigned passes = 1;
};

[[noreturn]] void fail(const char* what, const char* detail) {
  say(STDERR_FILENO, "replayer: %s%s\n", what, detail);
  _exit(3);
}

options parse(int count, char** words) {
  options o;
  for (int i = 1; i < count; ++i) {
    const char* word = words[i];
    if (strcmp(word, "--touch=none") == 0)
      o.touches = touch::none;
    else if (strcmp(word, "--touch=first") == 0)
      o.touches = touch::first;
    else if (strcmp(word, "--touch=measured") == 0)
      o.touches = touch::measured;
    else if (strcmp(word, "--null") == 0)
      o.is_null = true;
    else if (strcmp(word, "--latency") == 0)
      o.is_timed = true;
    else if (strcmp(word, "--memory") == 0)
      o.is_sampled = true;
    else if (strcmp(word, "--paced") == 0)
      o.is_paced = true;
    else if (strncmp(word, "--repeat=", 9) == 0)
      o.passes = static_cast<unsigned>(strtoul(word + 9, nullptr, 10));
    else if (word[0] != '-' && o.plan == nullptr)
      o.plan = word;
    else
      fail("unknown option ", word);
  }
  if (o.plan == nullptr || o.passes == 0)
    fail("usage: replayer PLAN [--touch=none|first|measured] [--null] [--latency] [--memory] ",
         "[--paced] [--repeat=N]");
  return o;
}

std::uint64_t now_ns(clockid_t clock = CLOCK_MONOTONIC) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(now.tv_nsec);
}

/// Returns: memory whose pages are there, so that the replay itself faults on none of them.
void* own_memory(std::size_t bytes) {
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE,
                 -1, 0);
  if (p == MAP_FAILED) fail("no memory for the table of blocks", "");
  return p;
}

/// The peak of this process in bytes, from the kernel.
std::uint64_t peak_bytes() {
  char text[4096];
  const int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  const ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
  if (fd >= 0) close(fd);
  if (n <= 0) return 0;
  text[n] = 0;
  const char* line = strstr(text, "VmHWM:");
  return line == nullptr ? 0 : strtoull(line + 6, nullptr, 10) * 1024;
}

struct costs {
  std::uint64_t wall_ns, cpu_ns, wait_count, clock_count;
};

/// Effects: allocates the blocks that the program had before its first call. Returns: the processor
/// time that this took.
std::uint64_t prepare_once(stage& s, const plan_header& plan) {
  if (plan.inherited == 0) return 0;
  const std::uint64_t began = now_ns(CLOCK_PROCESS_CPUTIME_ID);
  prepare(s.players[plan.first_thread], plan.inherited);
  return now_ns(CLOCK_PROCESS_CPUTIME_ID) - began;
}

costs play_once(stage& s, const plan_header& plan) {
  s.order.reset();
  s.memory.reset();
  s.allocations.reset();
  s.frees.reset();
  // relaxed, all: the threads of the pass start after this
  s.wait_count.store(0, relaxed);
  s.cpu_ns.store(0, relaxed);
  s.running.store(1, relaxed);
  if (plan.calls == 0) return {};
  const std::uint64_t began = now_ns(), count = clock_now();
  s.began_ns = began;
  play(s.players[plan.first_thread]);
  // acquire pairs with the end of play(): all that the threads did is seen.
  for (std::uint32_t n = s.running.load(acquire); n != 0; n = s.running.load(acquire))
    sleep_on(s.running, n);
  join_rest(s);
  return {now_ns() - began, s.cpu_ns.load(relaxed), s.wait_count.load(relaxed),
          clock_now() - count};
}

/// Effects: frees the blocks that the trace leaves in use. Complexity: linear in the slots.
void free_rest(stage& s, const plan_header& plan) {
  for (std::uint64_t i = 0; i < plan.slots; ++i) {
    void* p = s.slots.get(i);
    if (p != nullptr && !is_refused(p)) s.calls.free(p);
    s.slots.reset(i);
  }
}

void print(const char* name, double value) {
  say(STDOUT_FILENO, "value %s %.17g\n", name, value);
}

void print_latency(const char* name, const latency& l, double ns_a_count) {
  say(STDOUT_FILENO, "latency %s %llu", name, static_cast<unsigned long long>(l.calls()));
  for (const double share : {0.5, 0.9, 0.99, 0.999})
    say(STDOUT_FILENO, " %.1f", l.quantile(share) * ns_a_count);
  say(STDOUT_FILENO, " %.1f\n", static_cast<double>(l.most()) * ns_a_count);
}

alignas(stage) char stage_memory[sizeof(stage)];
alignas(shared_pool) char pool_memory[sizeof(shared_pool)];

/// Returns: the bytes of the lanes that their families do not have.
std::size_t own_of_lanes(const stage& s, const plan_header& plan) {
  if (plan.treatments == 0) return 0;
  std::size_t bytes = 0;
  for (std::uint32_t thread = 0; thread <= plan.threads; ++thread)
    for (std::uint32_t i = 0; i < plan.treatments; ++i)
      bytes += sizeof(lane) + s.players[thread].lanes[i].own_bytes();
  return bytes;
}

/// Effects: makes the lanes of all threads, those of a thread side by side.
void open_lanes(stage& s, const plan_header& plan, int file, bool is_null) {
  if (plan.treatments == 0) return;
  const std::size_t all = std::size_t{plan.treatments} * (plan.threads + 1);
  auto* lanes = static_cast<lane*>(own_memory(all * sizeof(lane)));
  auto* shared = new (pool_memory) shared_pool;
  const auto begin = static_cast<off_t>(sizeof plan + 8 * (plan.threads + 1));
  for (std::uint32_t i = 0; i < plan.treatments; ++i) {
    treatment what;
    const auto offset = begin + static_cast<off_t>(i * sizeof what);
    if (pread(file, &what, sizeof what, offset) != sizeof what) fail("the plan ends early", "");
    for (std::uint32_t thread = 0; thread <= plan.threads; ++thread)
      new (&lanes[thread * plan.treatments + i]) lane(what, s.touches, is_null, shared);
  }
  for (std::uint32_t thread = 0; thread <= plan.threads; ++thread)
    s.players[thread].lanes = lanes + thread * plan.treatments;
}

}  // namespace

int main(int count, char** words) {
  const options o = parse(count, words);
  const int file = open(o.plan, O_RDONLY | O_CLOEXEC);
  if (file < 0) fail("cannot open ", o.plan);
  plan_header plan;
  if (pread(file, &plan, sizeof plan, 0) != sizeof plan ||
      memcmp(plan.magic, plan_magic, sizeof plan.magic) != 0)
    fail("no plan: ", o.plan);
  if (plan.version != plan_version) fail("a plan of another version: ", o.plan);

  stage& s = *new (stage_memory) stage{};
  s.touches = o.touches;
  s.is_timed = o.is_timed;
  s.is_sampled = o.is_sampled;
  s.is_paced = o.is_paced;
  s.plan = file;
  s.threads = plan.threads;
  const std::size_t slot_bytes = (plan.slots + 1) * sizeof(std::uint64_t);
  const std::size_t player_bytes = (plan.threads + 1) * sizeof(player);
  s.slots.place(own_memory(slot_bytes));
  s.players = static_cast<player*>(own_memory(player_bytes));
  for (std::uint32_t i = 0; i <= plan.threads; ++i) {
    player& each = *new (&s.players[i]) player;
    each.shared = &s;
    if (pread(file, &each.first_piece, 8, static_cast<off_t>(sizeof plan + 8 * i)) != 8)
      fail("the plan ends early: ", o.plan);
  }
  if (o.passes > 1 && plan.treatments != 0) fail("--repeat does not go with treatments", "");
  open_lanes(s, plan, file, o.is_null);
  if (o.is_sampled) s.memory.open(plan.samples);
  s.calls = o.is_null ? null_allocator(plan.largest) : of_process(plan.uses_operators != 0);

  costs last = {};
  std::uint64_t prepare_ns = 0;
  for (s.pass = 0; s.pass < o.passes; ++s.pass) {
    prepare_ns += prepare_once(s, plan);
    last = play_once(s, plan);
    if (s.pass + 1 < o.passes) free_rest(s, plan);
  }

  const std::uint64_t peak = peak_bytes();
  const std::uint64_t own = sizeof s + slot_bytes + player_bytes + own_of_lanes(s, plan);
  const double ns_a_count = last.clock_count == 0 ? 0
                                                  : static_cast<double>(last.wall_ns) /
                                                        static_cast<double>(last.clock_count);
  print("replay_wall_s", static_cast<double>(last.wall_ns) * 1e-9);
  print("replay_cpu_s", static_cast<double>(last.cpu_ns) * 1e-9);
  print("replay_prepare_cpu_s", static_cast<double>(prepare_ns) * 1e-9);
  print("replay_wait_s", static_cast<double>(last.wait_count) * ns_a_count * 1e-9);
  print("replay_peak_bytes", static_cast<double>(peak > own ? peak - own : 0));
  print("replay_own_bytes", static_cast<double>(own));
  print("replay_refused", static_cast<double>(s.refused.load(relaxed)));
  print("replay_calls", static_cast<double>(plan.calls));
  if (o.is_timed) {
    print_latency("allocate", s.allocations, ns_a_count);
    print_latency("free", s.frees, ns_a_count);
  }
  if (o.is_sampled) s.memory.print();
  return 0;
}
