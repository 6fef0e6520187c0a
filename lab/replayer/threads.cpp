// The threads of a replay. A machine may have fewer than the program that was recorded.
#include "threads.hpp"

#include <string.h>
#include <unistd.h>

#include "say.hpp"

namespace heapsmith::replayer {
namespace {

[[noreturn]] void refuse(const stage& s, int error) {
  say(STDERR_FILENO,
      "replayer: cannot start one more thread beside %u, of %u in the trace: %s; raise the limits "
      "on processes and memory, or replay with --order serial\n",
      s.running.load(relaxed) - 1, s.threads, strerror(error));
  _exit(3);
}

}  // namespace

void start_thread(stage& s, std::uint64_t number, void* (*body)(void*)) {
  s.running.fetch_add(1, relaxed);  // relaxed: this thread runs and is counted
  player& other = s.players[number];
  pthread_t thread;
  if (const int error = pthread_create(&thread, nullptr, body, &other); error != 0)
    refuse(s, error);
  other.handle.store(thread, release);  // pairs with join_thread()
  s.starts.wake(number);
}

std::uint64_t join_thread(stage& s, std::uint64_t number) {
  player& other = s.players[number];
  // acquire pairs with start_thread(): the thread is there.
  const auto is_started = [&] { return other.handle.load(acquire) != 0; };
  const std::uint64_t waited = is_started() ? 0 : s.starts.wait(number, is_started);
  const std::uint64_t before = clock_now();
  pthread_join(other.handle.exchange(0, relaxed), nullptr);  // relaxed: only this thread joins it
  return waited + clock_now() - before;
}

void join_rest(stage& s) {
  for (std::uint32_t i = 0; i <= s.threads; ++i) {
    // relaxed: all calls have been made
    const pthread_t thread = s.players[i].handle.exchange(0, relaxed);
    if (thread != 0) pthread_join(thread, nullptr);
  }
}

}  // namespace heapsmith::replayer
