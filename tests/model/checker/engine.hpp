// The engine: runs a case through every interleaving and every value its loads may read.
#pragma once

#include "checker/call_site.hpp"
#include "checker/fibers.hpp"
#include "checker/memory.hpp"
#include "checker/plain_memory.hpp"
#include "checker/trace.hpp"

#include <functional>
#include <set>
#include <unordered_set>

namespace heapsmith::model {

struct options {
  unsigned step_max = 300;                // an execution longer than this is a livelock
  unsigned spurious_failures = 0;         // of weak compare-exchanges and waits, per thread
  std::uint64_t state_max = 5'000'000;    // a case larger than this is not exhaustible
  const weakening* weaken = nullptr;      // one order to replace
  std::set<order_site>* sites = nullptr;  // filled with every order the case used
};

struct result {
  bool failed = false;
  std::string what;   // the first failure
  std::string trace;  // the steps that led to it
  std::uint64_t executions = 0, states = 0;
};

enum class rmw_kind : char { exchange, add, sub, bit_and, bit_or, bit_xor };

/// A case is explored state by state. A state is the graph of what has happened: each thread's
/// operations, what they read, and each object's modification order. Interleavings that differ only
/// in the order of independent operations lead to the same graph; it is entered once, and an
/// execution that comes to a known one ends there. Graphs are told apart by 64-bit hashes.
class engine {
 public:
  engine(const std::function<void()>& body, const options& o);
  result explore();
  /// The number of the fiber that is running.
  unsigned running() const { return running_; }

  /// The engine whose fiber is running; null outside an exploration.
  static engine* current() { return current_; }

  using thread_function = void (*)(void*);
  void run(const thread_function* functions, void* const* arguments, unsigned count);
  [[noreturn]] void fail(const std::string& what);

  void create(const void* p, std::uint64_t value);
  /// An object of static storage enters the execution at its first use, with its initial value.
  void know(const void* p, std::uint64_t value);
  void destroy(const void* p);
  void name(const void* p, const char* name);
  /// The relaxed objects in these bytes decide nothing that must be right: they may read as
  /// anything.
  void hint(const void* p, std::size_t bytes);
  std::uint64_t load(const void* p, memory_order o, const std::source_location& where);
  void store(const void* p, std::uint64_t value, memory_order o, const std::source_location& where);
  std::uint64_t rmw(const void* p, rmw_kind kind, std::uint64_t operand, std::uint64_t mask,
                    memory_order o, const std::source_location& where);
  bool compare_exchange(const void* p, std::uint64_t& expected, std::uint64_t desired, bool weak,
                        memory_order success, memory_order failure,
                        const std::source_location& where);
  void fence(memory_order o, const std::source_location& where);

  /// Sleeps if *p == expected until a wake, as a futex does; orders nothing.
  void futex_wait(const void* p, std::uint64_t expected, const std::source_location& where);
  void futex_wake(const void* p, bool all, const std::source_location& where);

  void plain_read(const void* p) { check(plain_.read(p, running_, clock())); }
  void plain_write(const void* p) { check(plain_.write(p, running_, clock())); }
  void begin_life(const void* p, const char* n) {
    check(plain_.begin_life(p, n, running_, clock()));
  }
  void end_life(const void* p) { check(plain_.end_life(p, running_, clock())); }
  void name_plain(const void* p, std::size_t bytes, const char* n) { plain_.name(p, bytes, n); }

 private:
  enum class phase : char { unborn, fresh, ready, joining, sleeping, finished };

  struct actor {
    phase at = phase::unborn;
    thread_function function = nullptr;
    void* argument = nullptr;
    const void* sleeps_on = nullptr;
    unsigned spurious_left = 0;
    std::uint64_t history = 0;  // hash of all it has done and read
  };

  struct object {
    const void* address;
    const char* name;
    bool lives, is_hint;
  };

  static void fiber_main();
  void execute();
  void reschedule();
  unsigned pick();
  bool can_run(unsigned t) const;
  std::string who_waits() const;
  std::uint64_t state_hash() const;

  void begin_step();
  /// Ends an operation: writes it into the trace and into the thread's history. `from` and `to` are
  /// the stores it read and wrote, 0 for none.
  void end_step(const char* verb, const void* p, memory_order o, const std::source_location& where,
                store_index from, store_index to, unsigned outcome = 0);
  location_index find(const void* p);
  void add(const void* p, std::uint64_t value);
  bool is_hint(const void* p, memory_order o);
  std::uint64_t read_hint();
  memory_order effective(memory_order o, const std::source_location& where, unsigned slot = 0);
  void check(const std::string& problem) {
    if (!problem.empty()) fail(problem);
  }
  const vector_clock& clock() const { return memory_.clock(running_); }

  static inline engine* current_ = nullptr;

  const std::function<void()>& body_;
  options options_;
  result result_;
  tape tape_;
  memory memory_{tape_};
  plain_memory plain_;
  fibers fibers_{fiber_main};
  std::unordered_set<std::uint64_t> visited_;
  std::unordered_set<std::uint64_t> noted_;  // hashes of the sites that are in options_.sites
  std::array<actor, thread_max> threads_;
  unsigned running_ = 0;
  unsigned steps_ = 0;
  std::vector<object> objects_;
  std::vector<event> events_;
};

}  // namespace heapsmith::model
