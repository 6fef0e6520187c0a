// The memory of one execution: choosing what is read, and passing knowledge from releases to
// acquires.
#include "checker/memory.hpp"

#include "checker/hash.hpp"

namespace heapsmith::model {

namespace {

bool acquires(memory_order o) {
  return o != std::memory_order_relaxed && o != std::memory_order_release;
}
bool releases(memory_order o) {
  return o == std::memory_order_release || o == std::memory_order_acq_rel ||
         o == std::memory_order_seq_cst;
}
bool sequential(memory_order o) {
  return o == std::memory_order_seq_cst;
}

}  // namespace

void memory::reset() {
  stores_.clear();
  stores_.emplace_back();  // index 0 means none
  orders_.clear();
  keys_.clear();
  accesses_.clear();
  threads_ = {};
  sequential_ = {};
  for (unsigned t = 0; t < thread_max; ++t) threads_[t].now.clock.at[t] = 1;
}

location_index memory::create(std::uint64_t key, std::uint64_t value) {
  const auto at = static_cast<location_index>(orders_.size());
  orders_.push_back({static_cast<store_index>(stores_.size())});
  keys_.push_back(key);
  accesses_.emplace_back();
  stores_.push_back({value, key, 0, 0, false, {}});
  return at;
}

unsigned memory::unordered_access(unsigned thread, location_index at) const {
  for (unsigned t = 0; t < thread_max; ++t)
    if (!clock(thread).covers(t, accesses_[at][t])) return t;
  return thread_max;
}

void memory::see(knowledge& into, location_index at, store_index s) const {
  store_index& seen = into.seen[at];
  if (seen == 0 || stores_[seen].rank < stores_[s].rank) seen = s;
}

void memory::learn(knowledge& into, const knowledge& from) const {
  into.clock.join(from.clock);
  for (location_index l = 0; l < orders_.size(); ++l)
    if (from.seen[l] != 0) see(into, l, from.seen[l]);
}

/// The oldest rank the thread may still read.
unsigned memory::floor(unsigned thread, location_index at, memory_order order) const {
  unsigned low = stores_[threads_[thread].now.seen[at]].rank;
  if (sequential(order) && sequential_.seen[at] != 0)
    low = std::max<unsigned>(low, stores_[sequential_.seen[at]].rank);
  return low;
}

bool memory::rmw_can_follow(location_index at, unsigned rank) const {
  const auto& order = orders_[at];
  return rank + 1 == order.size() || !stores_[order[rank + 1]].rmw;
}

void memory::read(unsigned thread, location_index at, memory_order order, store_index from) {
  thread_state& t = threads_[thread];
  see(t.now, at, from);
  learn(t.pending, stores_[from].released);
  if (acquires(order)) learn(t.now, stores_[from].released);
  if (sequential(order)) see(sequential_, at, from);
  accesses_[at][thread] = t.now.clock.at[thread];
}

store_index memory::insert(unsigned thread, location_index at, memory_order order,
                           std::uint64_t value, unsigned rank, store_index source) {
  thread_state& t = threads_[thread];
  const auto index = static_cast<store_index>(stores_.size());
  const std::uint64_t name = hash_of(thread, t.operations);
  stores_.push_back({value, name, 0, static_cast<std::uint16_t>(thread), source != 0, {}});
  auto& modifications = orders_[at];
  modifications.insert(modifications.begin() + rank, index);
  for (unsigned r = rank; r < modifications.size(); ++r)
    stores_[modifications[r]].rank = static_cast<std::uint16_t>(r);

  see(t.now, at, index);
  if (sequential(order)) see(sequential_, at, index);
  accesses_[at][thread] = t.now.clock.at[thread];
  knowledge released = releases(order) ? t.now : t.released;
  if (source != 0) learn(released, stores_[source].released);
  see(released, at, index);
  stores_[index].released = released;
  return index;
}

read_result memory::load(unsigned thread, location_index at, memory_order order) {
  const auto& modifications = orders_[at];
  const unsigned low = floor(thread, at, order);
  const unsigned count = static_cast<unsigned>(modifications.size()) - low;
  const store_index from = modifications[modifications.size() - 1 - tape_.choose(count)];
  read(thread, at, order, from);
  return {stores_[from].value, from, true};
}

store_index memory::write(unsigned thread, location_index at, memory_order order,
                          std::uint64_t value) {
  const store_index after = choose_place(thread, at, order);
  return insert(thread, at, order, value, stores_[after].rank + 1u, 0);
}

read_result memory::rmw_read(unsigned thread, location_index at, memory_order order) {
  const store_index from = choose_place(thread, at, order);
  read(thread, at, order, from);
  return {stores_[from].value, from, true};
}

/// The store after which a new one goes: the newest first, never between a read-modify-write and
/// the store it read.
store_index memory::choose_place(unsigned thread, location_index at, memory_order order) {
  places_.clear();
  const unsigned low = floor(thread, at, order);
  for (auto r = static_cast<unsigned>(orders_[at].size()); r-- > low;)
    if (rmw_can_follow(at, r)) places_.push_back({orders_[at][r], true});
  return places_[tape_.choose(static_cast<unsigned>(places_.size()))].from;
}

store_index memory::rmw_write(unsigned thread, location_index at, memory_order order,
                              std::uint64_t value, store_index from) {
  return insert(thread, at, order, value, stores_[from].rank + 1u, from);
}

read_result memory::compare_read(unsigned thread, location_index at, std::uint64_t expected,
                                 memory_order success, memory_order failure,
                                 bool may_fail_spuriously) {
  places_.clear();
  const unsigned low_success = floor(thread, at, success), low_failure = floor(thread, at, failure);
  for (auto r = static_cast<unsigned>(orders_[at].size()); r-- > 0;) {
    const store_index s = orders_[at][r];
    const bool equal = stores_[s].value == expected;
    if (equal && r >= low_success && rmw_can_follow(at, r)) places_.push_back({s, true});
    if (r >= low_failure && (!equal || may_fail_spuriously)) places_.push_back({s, false});
  }
  const place c = places_[tape_.choose(static_cast<unsigned>(places_.size()))];
  read(thread, at, c.success ? success : failure, c.from);
  return {stores_[c.from].value, c.from, c.success};
}

void memory::fence(unsigned thread, memory_order order) {
  thread_state& t = threads_[thread];
  if (acquires(order)) learn(t.now, t.pending);
  if (sequential(order)) {
    for (location_index l = 0; l < orders_.size(); ++l) {
      if (sequential_.seen[l] != 0) see(t.now, l, sequential_.seen[l]);
      if (t.now.seen[l] != 0) see(sequential_, l, t.now.seen[l]);
    }
  }
  if (releases(order)) t.released = t.now;
}

void memory::start(unsigned parent, unsigned child) {
  learn(threads_[child].now, threads_[parent].now);
  tick(parent);
}

void memory::finish(unsigned parent, unsigned child) {
  learn(threads_[parent].now, threads_[child].now);
}

void memory::tick(unsigned thread) {
  ++threads_[thread].now.clock.at[thread];
  ++threads_[thread].operations;
}

std::uint64_t memory::hash() const {
  std::uint64_t sum = 0;  // objects may have come to be known in any order
  for (std::size_t l = 0; l < orders_.size(); ++l) {
    const store_index sequential = sequential_.seen[l];
    std::uint64_t h = hash_of(keys_[l], sequential == 0 ? 0 : stores_[sequential].name);
    for (const store_index s : orders_[l]) h = hash_of(h, stores_[s].name);
    sum += h;
  }
  return sum;
}

}  // namespace heapsmith::model
