// The OS contract with faults: what may fail is counted and refused by plan, the rest is Linux's.
//
// Linked beside os_linux.cpp, which is compiled a second time with the functions below renamed (see
// tests/fault/CMakeLists.txt): the code under test is the library's own, object by object.
#include "os/os_fake.hpp"

#include "base/atomic.hpp"
#include "os/os.hpp"

namespace heapsmith::os {

// The same functions as Linux has them.
decltype(find_hole) linux_find_hole;
decltype(map_at) linux_map_at;
decltype(decommit) linux_decommit;
decltype(map) linux_map;
decltype(unmap) linux_unmap;
decltype(remap) linux_remap;
decltype(populate) linux_populate;
decltype(map_fork_detector) linux_map_fork_detector;

namespace fake {
namespace {

// relaxed throughout: each counter stands for itself, and a sweep changes the plan between its
// calls.
constinit atomic<std::size_t> seen{0};
constinit atomic<std::size_t> refusals{0};
constinit atomic<std::size_t> first_refused{0};  // 0: none
constinit atomic<bool> for_ever{false};
constinit atomic<bool> refused_kinds[call_kinds] = {};
constinit atomic<unsigned> never_granted{0};  // a bit for each kind
constinit atomic<bool> begun{false};
constinit atomic<void (*)(char* p, std::size_t bytes, bool wanted)> advice{nullptr};

/// The constructors of the library call before any test could make a plan.
void begin() {
  if (begun.exchange(true, relaxed)) return;
  const char* plan = environment("HEAPSMITH_FAKE_FAIL");
  if (plan == nullptr) return;
  std::size_t n = 0;
  for (; *plan >= '0' && *plan <= '9'; ++plan) n = n * 10 + static_cast<std::size_t>(*plan - '0');
  fail(n, *plan == '+');
}

bool refuses(call kind) {
  begin();
  const std::size_t nth = seen.fetch_add(1, relaxed) + 1;
  const std::size_t first = first_refused.load(relaxed);
  const bool is_kind = (never_granted.load(relaxed) >> static_cast<unsigned>(kind) & 1) != 0;
  if (!is_kind && (first == 0 || nth < first || (nth > first && !for_ever.load(relaxed))))
    return false;
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

void watch_advice(void (*watch)(char* p, std::size_t bytes, bool wanted)) {
  advice.store(watch, relaxed);
}

void fail_each(call kind) {
  fail(0, false);
  never_granted.store(1U << static_cast<unsigned>(kind), relaxed);
}

void fail_no_more() {
  first_refused.store(0, relaxed);
  never_granted.store(0, relaxed);
}
std::size_t refused() {
  return refusals.load(relaxed);
}
bool was_refused(call kind) {
  return refused_kinds[static_cast<std::size_t>(kind)].load(relaxed);
}

}  // namespace fake

using fake::call;
using fake::refused;
using fake::refuses;

void* find_hole(std::size_t bytes, std::size_t align, unsigned attempt) {
  return refuses(call::find_hole) ? nullptr : linux_find_hole(bytes, align, attempt);
}

bool map_at(void* p, std::size_t bytes) {
  return !refuses(call::map_at) && linux_map_at(p, bytes);
}

bool decommit(void* p, std::size_t bytes) {
  return !refuses(call::decommit) && linux_decommit(p, bytes);
}

void* map(std::size_t bytes, std::size_t align) {
  return refuses(call::map) ? nullptr : linux_map(bytes, align);
}

bool unmap(void* p, std::size_t bytes) {
  if (!refuses(call::unmap)) return linux_unmap(p, bytes);
  linux_decommit(p, bytes);
  return false;
}

void* remap(void* p, std::size_t old_bytes, std::size_t new_bytes, bool& lacks_room) {
  if (!refuses(call::remap)) return linux_remap(p, old_bytes, new_bytes, lacks_room);
  lacks_room = refused() % 2 == 0;  // both kinds of refusal, in turn
  return nullptr;
}

void populate(void* p, std::size_t bytes) {
  if (!refuses(call::populate)) linux_populate(p, bytes);
}

void advise_huge_pages(void* p, std::size_t bytes, bool wanted) {
  if (auto* const watch = fake::advice.load(relaxed)) watch(static_cast<char*>(p), bytes, wanted);
}

std::uint32_t* map_fork_detector() {
  return refuses(call::map_fork_detector) ? nullptr : linux_map_fork_detector();
}

}  // namespace heapsmith::os
