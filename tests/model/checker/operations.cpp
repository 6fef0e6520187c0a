// The engine's operations: each is one step of its thread, at which any other may run first.
#include "checker/engine.hpp"
#include "checker/hash.hpp"

#include <algorithm>

namespace heapsmith::model {

void engine::create(const void* p, std::uint64_t value) {
  if (running_ != 0) fail("an atomic object was constructed by a thread other than the body");
  add(p, value);
  memory_.tick(running_);
}

void engine::know(const void* p, std::uint64_t value) {
  for (const object& o : objects_)
    if (o.address == p) return;
  add(p, value);
}

void engine::add(const void* p, std::uint64_t value) {
  if (objects_.size() == location_max) fail("too many atomic objects: raise location_max");
  const auto address = reinterpret_cast<std::uintptr_t>(p);
  memory_.create(hash_of(address, threads_[0].history), value);
  objects_.push_back({p, nullptr, true, false});
}

void engine::destroy(const void* p) {
  const location_index at = find(p);
  const unsigned other = memory_.unordered_access(running_, at);
  if (other != thread_max)
    fail("an atomic object was destroyed by thread " + std::to_string(running_) + " while thread " +
         std::to_string(other) + " used it");
  objects_[at].lives = false;
}

void engine::name(const void* p, const char* name) {
  objects_[find(p)].name = name;
}

void engine::hint(const void* p, std::size_t bytes) {
  const auto* begin = static_cast<const char*>(p);
  for (object& o : objects_)
    if (o.address >= begin && o.address < begin + bytes) o.is_hint = true;
}

bool engine::is_hint(const void* p, memory_order o) {
  const bool hint = objects_[find(p)].is_hint;
  if (hint && o != std::memory_order_relaxed) fail("a hint has a memory order");
  return hint;
}

/// Nothing or much: both answers of a comparison. Being free to lie, a hint needs no interleaving.
std::uint64_t engine::read_hint() {
  const std::uint64_t value = tape_.choose(2) == 0 ? 0 : 1000;
  threads_[running_].history = hash_of(threads_[running_].history, value);
  return value;
}

location_index engine::find(const void* p) {
  for (std::size_t i = objects_.size(); i-- > 0;)
    if (objects_[i].address == p && objects_[i].lives) return static_cast<location_index>(i);
  fail("an atomic object was used outside its life");
}

namespace {

std::uint64_t hash_of_site(const std::source_location& where, unsigned slot, memory_order o) {
  const std::uint64_t place = hash_of(where.line(), where.column());
  const std::uint64_t order = hash_of(slot, static_cast<unsigned>(o));
  return hash_of(hash_of(place, order), reinterpret_cast<std::uintptr_t>(where.file_name()));
}

}  // namespace

memory_order engine::effective(memory_order o, const std::source_location& where, unsigned slot) {
  const auto names = [&](const order_site& s) {  // cheapest comparison first
    return s.line == where.line() && s.column == where.column() && s.slot == slot && s.order == o &&
           s.file == file_of(where.file_name());
  };
  if (options_.sites != nullptr && noted_.insert(hash_of_site(where, slot, o)).second)
    options_.sites->insert({file_of(where.file_name()), where.line(), where.column(), slot, o});
  return options_.weaken != nullptr && names(options_.weaken->site) ? options_.weaken->to : o;
}

void engine::begin_step() {
  reschedule();
  if (++steps_ > options_.step_max) fail("livelock: more than step_max steps");
}

void engine::end_step(const char* verb, const void* p, memory_order o,
                      const std::source_location& where, store_index from, store_index to,
                      unsigned outcome) {
  event e{.thread = running_,
          .verb = verb,
          .order = o,
          .file = where.file_name(),
          .line = where.line()};
  if (p != nullptr) {
    const location_index at = find(p);
    e.object = objects_[at].name;
    e.object_number = at + 1u;
    e.stale = from != 0 && to == 0 && memory_.latest(at) != from;
  }
  std::uint64_t& history = threads_[running_].history;
  history = hash_of(history, outcome + 1);
  if (from != 0) {
    const model::store& s = memory_.at(from);
    e.reads = true;
    e.value_read = s.value;
    e.read_from = s.writer;
    history = hash_of(history, s.name);
  }
  if (to != 0) {
    e.writes = true;
    e.value_written = memory_.at(to).value;
  }
  events_.push_back(e);
  memory_.tick(running_);
}

std::uint64_t engine::load(const void* p, memory_order o, const std::source_location& where) {
  if (is_hint(p, o)) return read_hint();
  begin_step();
  o = effective(o, where);
  const read_result r = memory_.load(running_, find(p), o);
  end_step("load", p, o, where, r.from, 0);
  return r.value;
}

void engine::store(const void* p, std::uint64_t value, memory_order o,
                   const std::source_location& where) {
  if (is_hint(p, o)) return;
  begin_step();
  o = effective(o, where);
  end_step("store", p, o, where, 0, memory_.write(running_, find(p), o, value));
}

std::uint64_t engine::rmw(const void* p, rmw_kind kind, std::uint64_t operand, std::uint64_t mask,
                          memory_order o, const std::source_location& where) {
  static constexpr const char* verbs[] = {"exchange",  "fetch_add", "fetch_sub",
                                          "fetch_and", "fetch_or",  "fetch_xor"};
  if (is_hint(p, o)) return read_hint();
  begin_step();
  o = effective(o, where);
  const location_index at = find(p);
  const read_result r = memory_.rmw_read(running_, at, o);
  std::uint64_t value = operand;
  switch (kind) {
    case rmw_kind::exchange:
      break;
    case rmw_kind::add:
      value = r.value + operand;
      break;
    case rmw_kind::sub:
      value = r.value - operand;
      break;
    case rmw_kind::bit_and:
      value = r.value & operand;
      break;
    case rmw_kind::bit_or:
      value = r.value | operand;
      break;
    case rmw_kind::bit_xor:
      value = r.value ^ operand;
      break;
  }
  const store_index to = memory_.rmw_write(running_, at, o, value & mask, r.from);
  end_step(verbs[static_cast<unsigned>(kind)], p, o, where, r.from, to);
  return r.value;
}

bool engine::compare_exchange(const void* p, std::uint64_t& expected, std::uint64_t desired,
                              bool weak, memory_order success, memory_order failure,
                              const std::source_location& where) {
  begin_step();
  success = effective(success, where, 0);
  failure = effective(failure, where, 1);
  const location_index at = find(p);
  unsigned& spurious_left = threads_[running_].spurious_left;
  const read_result r =
      memory_.compare_read(running_, at, expected, success, failure, weak && spurious_left > 0);
  if (!r.success && r.value == expected) --spurious_left;
  expected = r.value;
  const store_index to =
      r.success ? memory_.rmw_write(running_, at, success, desired, r.from) : store_index{0};
  end_step("compare_exchange", p, r.success ? success : failure, where, r.from, to, r.success);
  return r.success;
}

void engine::fence(memory_order o, const std::source_location& where) {
  begin_step();
  o = effective(o, where);
  memory_.fence(running_, o);
  end_step("fence", nullptr, o, where, 0, 0);
}

void engine::futex_wait(const void* p, std::uint64_t expected, const std::source_location& where) {
  begin_step();
  const store_index newest = memory_.load_latest(running_, find(p));
  actor& self = threads_[running_];
  bool sleeps = memory_.at(newest).value == expected;
  if (sleeps && self.spurious_left > 0 && tape_.choose(2) == 1) {
    --self.spurious_left;
    sleeps = false;
  }
  end_step("futex_wait", p, std::memory_order_relaxed, where, newest, 0, sleeps);
  if (!sleeps) return;
  self.at = phase::sleeping;
  self.sleeps_on = p;
  reschedule();
}

void engine::futex_wake(const void* p, bool all, const std::source_location& where) {
  begin_step();
  std::array<unsigned, thread_max> sleepers;
  unsigned count = 0;
  for (unsigned t = 0; t < thread_max; ++t)
    if (threads_[t].at == phase::sleeping && threads_[t].sleeps_on == p) sleepers[count++] = t;
  if (count > 0 && !all) {
    sleepers[0] = sleepers[tape_.choose(count)];
    count = 1;
  }
  for (unsigned i = 0; i < count; ++i) threads_[sleepers[i]].at = phase::ready;
  end_step("futex_wake", p, std::memory_order_relaxed, where, 0, 0, count);
}

}  // namespace heapsmith::model
