// Threads of a case as fibers on one OS thread, so that the checker alone decides who runs.
#pragma once

#include "checker/clock.hpp"

#include <ucontext.h>

#include <cstddef>
#include <memory>

namespace heapsmith::model {

class fibers {
 public:
  /// `entry` is where every fiber starts; it must not return.
  explicit fibers(void (*entry)()) : entry_(entry) {
    for (auto& s : stacks_) s = std::make_unique_for_overwrite<std::byte[]>(stack_bytes);
  }

  /// Prepares a fiber; it starts when first switched to.
  void make(unsigned thread) {
    ucontext_t& c = contexts_[thread];
    getcontext(&c);
    c.uc_stack.ss_sp = stacks_[thread].get();
    c.uc_stack.ss_size = stack_bytes;
    c.uc_link = nullptr;
    makecontext(&c, entry_, 0);
  }

  void enter(unsigned thread) { swapcontext(&outside_, &contexts_[thread]); }
  void change(unsigned from, unsigned to) { swapcontext(&contexts_[from], &contexts_[to]); }

  /// Ends the execution from inside a fiber: enter() returns, and no fiber goes on. Destructors of
  /// their frames do not run, so a case must not own memory there.
  [[noreturn]] void leave() {
    setcontext(&outside_);
    __builtin_unreachable();
  }

 private:
  static constexpr std::size_t stack_bytes = 128 * 1024;

  void (*entry_)();
  ucontext_t outside_;
  ucontext_t contexts_[thread_max];
  std::unique_ptr<std::byte[]> stacks_[thread_max];
};

}  // namespace heapsmith::model
