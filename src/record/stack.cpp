// Knows which part of a stack is mapped without a question to the kernel: a program behind a filter
// of system calls may be ended by the question.
#include "record/stack.hpp"

#include <pthread.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <unistd.h>

#include "record/confine.hpp"

// Where the kernel began the stack of the main thread.
extern "C" [[gnu::weak]] void* __libc_stack_end;

namespace heapsmith::recorder {
namespace {

constexpr std::uintptr_t deepest_main_stack = std::uintptr_t{64} << 20;

/// The kernel maps nothing else so close to the beginning of the main stack.
constinit atomic<std::uintptr_t> most_main_stack{0};

stack_bounds main_stack() {
  const std::uintptr_t most = most_main_stack.load(relaxed);  // relaxed: a number of its own
  if (most == 0 || &__libc_stack_end == nullptr) return {};
  const auto to = reinterpret_cast<std::uintptr_t>(__libc_stack_end);
  return {to - most, to};
}

bool is_within(std::uintptr_t p, stack_bounds bounds) {
  return p >= bounds.from && p < bounds.to;
}

}  // namespace

stack_bounds stack_of_this_thread(std::size_t bytes, std::size_t guard) {
  // The thread's own record lies at the top of its stack. The slack is for what lies above it.
  constexpr std::size_t slack = std::size_t{16} * 1024;
  const auto top = static_cast<std::uintptr_t>(pthread_self());
  if (bytes > top || bytes < guard + 2 * slack) return {};
  return {top - bytes + guard + slack, top};
}

void learn_main_stack() {
  rlimit limit;
  std::uintptr_t most = std::uintptr_t{64} * 1024;
  if (getrlimit(RLIMIT_STACK, &limit) == 0)
    most = limit.rlim_cur < deepest_main_stack ? limit.rlim_cur : deepest_main_stack;
  most_main_stack.store(most, relaxed);  // relaxed: a number of its own
}

stack_reader::stack_reader(std::uintptr_t stack_pointer, stack_bounds own) : from_(stack_pointer) {
  if (is_within(stack_pointer, own)) {
    to_ = own.to;
  } else if (const stack_bounds main = main_stack(); is_within(stack_pointer, main)) {
    to_ = main.to;
  }
}

bool stack_reader::read(std::uintptr_t frame, std::uintptr_t (&words)[2]) {
  if (to_ != 0) {
    if (frame < from_ || frame >= to_ || to_ - frame < sizeof words) return false;
  } else if (frame / page != readable_ || frame % page > page - sizeof words) {
    const kernel_calls calls;
    if (!calls.may_call() || !may_make_unusual_calls()) return false;
    // The kernel looks, as a program without frame pointers gives any number for a frame.
    const iovec to = {words, sizeof words};
    const iovec from = {reinterpret_cast<void*>(frame), sizeof words};
    if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) != sizeof words) return false;
    readable_ = frame / page;
    return true;
  }
  __builtin_memcpy(words, reinterpret_cast<const void*>(frame), sizeof words);
  return true;
}

}  // namespace heapsmith::recorder
