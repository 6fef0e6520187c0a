// A process's very first calls come from many threads at once; each trial is a process of its own.
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>

#include "heapsmith/heapsmith.h"
#include "stress.hpp"

namespace {

constexpr std::size_t callers = 8;
std::atomic<std::size_t> waiting;

void call_first(std::size_t which) {
  hs_statistics s = {};
  s.size = sizeof s;
  switch (which % 10) {
    case 0:
      hs_free(nullptr);
      break;
    case 1:
      hs_free(hs_malloc(40));
      break;
    case 2:
      hs_free(hs_malloc(100 << 10));
      break;
    case 3:
      hs_free(hs_malloc(40 << 20));
      break;
    case 4:
      hs_free(hs_calloc(3, 5000));
      break;
    case 5:
      hs_purge();
      break;
    case 6:
      hs_stats(&s);
      break;
    case 7:
      hs_free(hs_aligned_alloc(4096, 100));
      break;
    case 8:
      hs_set_limit(0);
      break;
    default:
      hs_malloc_usable_size(nullptr);
      break;
  }
}

int trial(std::uint64_t seed) {
  std::thread threads[callers];
  for (std::size_t i = 0; i < callers; ++i)
    threads[i] = std::thread([=] {
      ++waiting;
      while (waiting.load() != callers) std::this_thread::yield();
      stress::random r(seed * callers + i);
      call_first(r.below(10));
      stress::header* blocks[50];
      for (stress::header*& h : blocks)
        if ((h = stress::make(r, 16 + r.below(500))) == nullptr) stress::fail("memory was refused");
      for (stress::header* h : blocks) destroy(h);
    });
  for (std::thread& t : threads) t.join();
  stress::require_empty(0);
  return 0;
}

void round(std::uint64_t seed) {
  for (std::size_t n = 0; n < stress::scaled(30); ++n) {
    const std::string number = std::to_string(seed * 1000 + n);
    char* const arguments[] = {const_cast<char*>("first_calls"), const_cast<char*>(number.c_str()),
                               nullptr};
    pid_t child;
    int status;
    if (posix_spawn(&child, "/proc/self/exe", nullptr, nullptr, arguments, environ) != 0)
      stress::fail("cannot start a trial");
    if (waitpid(child, &status, 0) != child || status != 0)
      stress::fail("the trial with seed %s ended with status %#x", number.c_str(), status);
  }
}

}  // namespace

int main(int argc, char** argv) {
  return argc == 2 ? trial(strtoull(argv[1], nullptr, 10)) : stress::run(round);
}
