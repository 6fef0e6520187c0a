// The OS contract with faults: what may fail is counted and refused by plan, the rest is Linux's.
//
// Linked in place of os_linux.cpp, which is compiled a second time with its namespace renamed to
// linux_os (see tests/fault/CMakeLists.txt): the code under test is the library's own, object by
// object.
#include "os/os_fake.hpp"

#include "base/atomic.hpp"
#include "os/os.hpp"

namespace heapsmith::linux_os {

std::size_t page_bytes();
bool address_space_is_limited();
std::size_t physical_bytes();
void* find_hole(std::size_t bytes, std::size_t align, unsigned attempt);
bool map_at(void* p, std::size_t bytes);
bool decommit(void* p, std::size_t bytes);
void* map(std::size_t bytes, std::size_t align);
void unmap(void* p, std::size_t bytes);
void* remap(void* p, std::size_t old_bytes, std::size_t new_bytes);
void populate(void* p, std::size_t bytes);
std::uint32_t* map_fork_detector();
std::uint64_t now_ms();
void wait(const void* word, std::uint32_t expected);
void wake_one(const void* word);
void before_waiting();
void set_before_waiting(void (*call)());
std::uint32_t thread_number();
void write_all(int fd, const char* text, std::size_t length);
[[noreturn]] void stop();
bool is_privileged();
const char* environment(const char* name);
const char* const* environment_block();
bool single_threaded();

}  // namespace heapsmith::linux_os

namespace heapsmith::os {
namespace fake {
namespace {

// relaxed throughout: each counter stands for itself, and a sweep changes the plan between its
// calls.
constinit atomic<std::size_t> seen{0};
constinit atomic<std::size_t> refusals{0};
constinit atomic<std::size_t> first_refused{0};  // 0: none
constinit atomic<bool> for_ever{false};
constinit atomic<bool> refused_kinds[call_kinds] = {};
constinit atomic<bool> begun{false};

/// The constructors of the library call before any test could make a plan.
void begin() {
  if (begun.exchange(true, relaxed)) return;
  const char* plan = linux_os::environment("HEAPSMITH_FAKE_FAIL");
  if (plan == nullptr) return;
  std::size_t n = 0;
  for (; *plan >= '0' && *plan <= '9'; ++plan) n = n * 10 + static_cast<std::size_t>(*plan - '0');
  fail(n, *plan == '+');
}

bool refuses(call kind) {
  begin();
  const std::size_t nth = seen.fetch_add(1, relaxed) + 1;
  const std::size_t first = first_refused.load(relaxed);
  if (first == 0 || nth < first || (nth > first && !for_ever.load(relaxed))) return false;
  refusals.fetch_add(1, relaxed);
  refused_kinds[static_cast<std::size_t>(kind)].store(true, relaxed);
  return true;
}

}  // namespace

void fail(std::size_t nth, bool forever) {
  seen.store(0, relaxed);
  refusals.store(0, relaxed);
  for_ever.store(forever, relaxed);
  first_refused.store(nth, relaxed);
}

void fail_no_more() {
  first_refused.store(0, relaxed);
}
std::size_t refused() {
  return refusals.load(relaxed);
}
bool was_refused(call kind) {
  return refused_kinds[static_cast<std::size_t>(kind)].load(relaxed);
}

}  // namespace fake

using fake::call;
using fake::refuses;

void* find_hole(std::size_t bytes, std::size_t align, unsigned attempt) {
  return refuses(call::find_hole) ? nullptr : linux_os::find_hole(bytes, align, attempt);
}

bool map_at(void* p, std::size_t bytes) {
  return !refuses(call::map_at) && linux_os::map_at(p, bytes);
}

bool decommit(void* p, std::size_t bytes) {
  return !refuses(call::decommit) && linux_os::decommit(p, bytes);
}

void* map(std::size_t bytes, std::size_t align) {
  return refuses(call::map) ? nullptr : linux_os::map(bytes, align);
}

void* remap(void* p, std::size_t old_bytes, std::size_t new_bytes) {
  return refuses(call::remap) ? nullptr : linux_os::remap(p, old_bytes, new_bytes);
}

void populate(void* p, std::size_t bytes) {
  if (!refuses(call::populate)) linux_os::populate(p, bytes);
}

std::uint32_t* map_fork_detector() {
  return refuses(call::map_fork_detector) ? nullptr : linux_os::map_fork_detector();
}

std::size_t page_bytes() {
  return linux_os::page_bytes();
}
std::size_t physical_bytes() {
  return linux_os::physical_bytes();
}
void unmap(void* p, std::size_t bytes) {
  linux_os::unmap(p, bytes);
}
std::uint64_t now_ms() {
  return linux_os::now_ms();
}
void wait(const void* word, std::uint32_t expected) {
  linux_os::wait(word, expected);
}
void wake_one(const void* word) {
  linux_os::wake_one(word);
}
bool address_space_is_limited() {
  return linux_os::address_space_is_limited();
}
void before_waiting() {
  linux_os::before_waiting();
}
void set_before_waiting(void (*call)()) {
  linux_os::set_before_waiting(call);
}
std::uint32_t thread_number() {
  return linux_os::thread_number();
}
void write_all(int fd, const char* text, std::size_t length) {
  linux_os::write_all(fd, text, length);
}
void stop() {
  linux_os::stop();
}
bool is_privileged() {
  return linux_os::is_privileged();
}
const char* environment(const char* name) {
  return linux_os::environment(name);
}
const char* const* environment_block() {
  return linux_os::environment_block();
}
bool single_threaded() {
  return linux_os::single_threaded();
}

}  // namespace heapsmith::os
