// The engine's search: executions, the choice of who runs, and which states have been seen.
#include "checker/engine.hpp"

#include "checker/hash.hpp"

namespace heapsmith::model {

engine::engine(const std::function<void()>& body, const options& o) : body_(body), options_(o) {}

result engine::explore() {
  current_ = this;
  do {
    execute();
    ++result_.executions;
  } while (!result_.failed && tape_.next());
  current_ = nullptr;
  result_.states = visited_.size();
  return result_;
}

void engine::execute() {
  tape_.rewind();
  memory_.reset();
  plain_.reset();
  threads_ = {};
  objects_.clear();
  events_.clear();
  steps_ = 0;
  running_ = 0;
  threads_[0].at = phase::ready;
  for (actor& t : threads_) t.spurious_left = options_.spurious_failures;
  fibers_.make(0);
  fibers_.enter(0);
}

/// Where every fiber starts.
void engine::fiber_main() {
  engine& e = *current_;
  if (e.running_ == 0) {
    e.body_();
    e.check(e.plain_.leak());
    e.fibers_.leave();
  }
  actor& t = e.threads_[e.running_];
  t.function(t.argument);
  t.at = phase::finished;
  e.reschedule();
  __builtin_unreachable();
}

void engine::run(const thread_function* functions, void* const* arguments, unsigned count) {
  if (count >= thread_max) fail("too many threads: raise thread_max");
  for (unsigned i = 0; i < count; ++i) {
    const unsigned child = i + 1;
    threads_[child].at = phase::fresh;
    threads_[child].function = functions[i];
    threads_[child].argument = arguments[i];
    memory_.start(0, child);
    fibers_.make(child);
  }
  threads_[0].at = phase::joining;
  reschedule();
  threads_[0].at = phase::ready;
  for (unsigned i = 0; i < count; ++i) {
    memory_.finish(0, i + 1);
    threads_[0].history = hash_of(threads_[0].history, threads_[i + 1].history);
    threads_[i + 1].at = phase::unborn;
  }
}

void engine::fail(const std::string& what) {
  result_.failed = true;
  result_.what = what;
  result_.trace = to_string(events_);
  fibers_.leave();
}

/// Called by the running thread before an operation, or when it can do no more: gives the turn to
/// the next thread and returns when it has come back.
void engine::reschedule() {
  const unsigned from = running_;
  running_ = pick();
  if (running_ != from) fibers_.change(from, running_);
}

bool engine::can_run(unsigned t) const {
  switch (threads_[t].at) {
    case phase::fresh:
    case phase::ready:
      return true;
    case phase::unborn:
    case phase::sleeping:
    case phase::finished:
      return false;
    case phase::joining:
      break;
  }
  for (const actor& other : threads_)
    if (&other != &threads_[t] && other.at != phase::finished && other.at != phase::unborn)
      return false;
  return true;
}

unsigned engine::pick() {
  // Nothing depends on when a thread runs up to its first operation: not a choice.
  for (unsigned t = 0; t < thread_max; ++t)
    if (threads_[t].at == phase::fresh) {
      threads_[t].at = phase::ready;
      return t;
    }
  std::array<unsigned, thread_max> candidates;
  unsigned count = 0;
  if (can_run(running_)) candidates[count++] = running_;
  for (unsigned t = 0; t < thread_max; ++t)
    if (t != running_ && can_run(t)) candidates[count++] = t;
  if (count == 0) fail("deadlock:" + who_waits());

  if (!tape_.replaying() && !visited_.insert(state_hash()).second) fibers_.leave();
  if (visited_.size() > options_.state_max) fail("too many states");
  return candidates[tape_.choose(count)];
}

std::string engine::who_waits() const {
  std::string s;
  for (unsigned t = 0; t < thread_max; ++t) {
    if (threads_[t].at == phase::joining) s += " thread " + std::to_string(t) + " joins";
    if (threads_[t].at == phase::sleeping) s += " thread " + std::to_string(t) + " sleeps";
  }
  return s;
}

std::uint64_t engine::state_hash() const {
  std::uint64_t h = memory_.hash();
  for (const actor& t : threads_) h = hash_of(hash_of(h, t.history), static_cast<unsigned>(t.at));
  return h;
}

}  // namespace heapsmith::model
