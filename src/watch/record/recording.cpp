// Begins recordings when the process is loaded, after a fork and on demand, and ends them.
#include "watch/record/recording.hpp"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "watch/record/clock.hpp"
#include "watch/record/modules.hpp"

namespace heapsmith::recorder {

constinit fork_mark mark = {};
constinit atomic<recording_state> state{recording_state::undecided};

namespace {

// All but the tick are changed by the thread that holds the lock below.
constinit char directory[most_directory] = {};
constinit recording* latest = nullptr;  // of this process or of one that forked it
constinit bool watches_forks = false;
constinit atomic<std::uint64_t> fork_tick{0};  // relaxed: the child reads what its parent wrote

constexpr std::size_t most_environment = 4 * 1024 * 1024;
constexpr char variable[] = "HEAPSMITH_RECORD_DIR=";

/// Held while a recording begins or ends, which takes some ten calls of the kernel. It has the id
/// of the process that holds it: a child that was forked meanwhile has another one, and goes on.
class opening_lock {
 public:
  opening_lock() {
    const std::int32_t me = getpid();
    for (;;) {
      std::int32_t holder = holder_.load(relaxed);
      // acquire pairs with the release below: the changes of the last holder are seen.
      if (holder != me && holder_.compare_exchange_strong(holder, me, acquire, relaxed)) return;
      if (holder == me) sched_yield();
    }
  }
  ~opening_lock() { holder_.store(0, release); }
  opening_lock(const opening_lock&) = delete;
  opening_lock& operator=(const opening_lock&) = delete;

 private:
  static constinit inline atomic<std::int32_t> holder_{0};
};

/// Effects: reads the variable from the kernel, because libc may not have its own list yet.
/// Programs with privileges that their caller lacks get none.
/// Complexity: linear in the environment, up to most_environment bytes.
void find_directory() {
  if (getauxval(AT_SECURE) != 0) return;
  const int fd = open("/proc/self/environ", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  char buffer[4096];
  std::size_t matched = 0, copied = 0;
  bool skips = false, copies = false;
  for (std::size_t total = 0; total < most_environment;) {
    const ssize_t n = read(fd, buffer, sizeof buffer);
    if (n <= 0) break;
    total += static_cast<std::size_t>(n);
    for (ssize_t i = 0; i < n; ++i) {
      const char c = buffer[i];
      if (copies) {
        if (copied + 1 < sizeof directory) directory[copied++] = c;
        if (c == 0) goto done;
      } else if (c == 0) {
        matched = 0;
        skips = false;
      } else if (!skips) {
        skips = c != variable[matched];
        copies = !skips && ++matched == sizeof variable - 1;
      }
    }
  }
done:
  close(fd);
  directory[copied] = 0;
  if (directory[0] != '/') directory[0] = 0;  // the program may change its directory
}

/// Returns: whether calls are to be recorded. Requires: the lock is held.
bool is_on() {
  // relaxed, here and below: the state says whether to look further. The recording itself is
  // published by `mark`, or found under the lock.
  if (state.load(relaxed) == recording_state::undecided) {
    find_directory();
    state.store(directory[0] == 0 ? recording_state::off : recording_state::on, relaxed);
  }
  return state.load(relaxed) == recording_state::on;
}

/// Effects: has the kernel clear the mark in forked processes, also if they come from clone().
void watch_forks() {
  if (watches_forks) return;
  watches_forks = true;
  madvise(&mark, sizeof mark, MADV_WIPEONFORK);  // the handler below does it where this fails
  pthread_atfork([] { fork_tick.store(tick_now(), relaxed); }, nullptr,
                 [] { mark.current.store(nullptr, relaxed); });  // relaxed: it has one thread
}

/// Returns: the recording, now that of the process, or null with errno.
recording* begin(const recording* parents) {
  watch_forks();
  const std::uint64_t forked = parents == nullptr ? 0 : fork_tick.load(relaxed);
  recording* made = make_recording(directory, parents, forked);
  if (made == nullptr) return nullptr;
  note_first_modules(made->path, made->header->first_tick);
  latest = made;
  // release pairs with make_room(): the recording is filled in.
  mark.current.store(made, release);
  return made;
}

}  // namespace

recording* open_recording() {
  const opening_lock lock;
  if (!is_on()) return nullptr;
  if (recording* r = mark.current.load(relaxed)) return r;  // relaxed: stored under the lock
  recording* const parents = latest;
  recording* made = begin(parents);
  if (made == nullptr) state.store(recording_state::off, relaxed);
  if (parents == nullptr) return made;
  // relaxed: a number of its own
  if (made == nullptr) parents->header->lost_children.fetch_add(1, relaxed);
  munmap(parents->header, block_bytes);  // this process has one thread that may have used it
  return made;
}

int start_recording(const char* in) {
  if (in == nullptr || in[0] != '/') return EINVAL;
  const std::size_t length = strnlen(in, sizeof directory);
  if (length == sizeof directory) return EINVAL;
  const opening_lock lock;
  if (is_on()) return EALREADY;
  memcpy(directory, in, length + 1);
  if (begin(nullptr) == nullptr) return errno;
  state.store(recording_state::on, relaxed);
  return 0;
}

int stop_recording() {
  const opening_lock lock;
  if (!is_on()) return EALREADY;
  state.store(recording_state::off, relaxed);
  // relaxed: stored under the lock. Null in a process that was forked and has recorded nothing.
  recording* r = mark.current.exchange(nullptr, relaxed);
  if (r == nullptr) return 0;
  // relaxed: another thread in note_clocks() may write a pair that is some calls older.
  r->header->last_ns.store(monotonic_ns(), relaxed);
  r->header->last_tick.store(tick_now(), relaxed);
  for (auto& each : r->spare)  // most_spare
    // acquire pairs with give_back(): the bytes of the thread that ended are written.
    if (block_header* b = each.exchange(nullptr, acquire)) close_block(b);
  return 0;
}

void count_drop() {
  // acquire pairs with begin(). Before there is a file, nobody can be told.
  recording* r = mark.current.load(acquire);
  if (r != nullptr) r->header->dropped.fetch_add(1, relaxed);  // relaxed: a number of its own
}

void note_clocks(recording& r, std::uint64_t tick) {
  const std::uint64_t now = monotonic_ns();
  std::uint64_t due = r.next_note_ns.load(relaxed);
  // relaxed: only the thread that moves the time on writes.
  if (now < due || !r.next_note_ns.compare_exchange_strong(due, now + 10'000'000, relaxed)) return;
  r.header->last_ns.store(now, relaxed);
  r.header->last_tick.store(tick, relaxed);
}

}  // namespace heapsmith::recorder
