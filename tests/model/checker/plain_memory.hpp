// Plain data of one execution: two accesses, one of them a write, must be ordered by
// happens-before.
#pragma once

#include "checker/clock.hpp"

#include <string>
#include <unordered_map>
#include <vector>

namespace heapsmith::model {

/// The accesses to each plain address, by whom and when. Each call returns an empty string, or
/// what is wrong. Beginning and ending a life count as writes, so a life is also an exclusive
/// right: it must have ended, visibly, before it begins again.
class plain_memory {
 public:
  void reset() {
    cells_.clear();
    regions_.clear();
  }

  /// Names the bytes of an object for messages.
  void name(const void* p, std::size_t bytes, const char* name) {
    regions_.push_back({static_cast<const char*>(p), bytes, name});
  }

  std::string read(const void* p, unsigned thread, const vector_clock& now) {
    cell& c = cells_[p];
    if (c.life == life_state::over)
      return describe(c, p, "read after its life ended", thread, thread);
    if (!now.covers(c.writer, c.written)) return race(c, p, "read", "write", thread, c.writer);
    c.reads.at[thread] = now.at[thread];
    return {};
  }

  std::string write(const void* p, unsigned thread, const vector_clock& now) {
    cell& c = cells_[p];
    if (c.life == life_state::over)
      return describe(c, p, "written after its life ended", thread, thread);
    return modify(c, p, thread, now, "write");
  }

  std::string begin_life(const void* p, const char* name, unsigned thread,
                         const vector_clock& now) {
    cell& c = cells_[p];
    c.name = name;
    if (c.life == life_state::on) return describe(c, p, "has two lives at once", thread, c.writer);
    c.life = life_state::on;
    return modify(c, p, thread, now, "beginning of life");
  }

  std::string end_life(const void* p, unsigned thread, const vector_clock& now) {
    cell& c = cells_[p];
    if (c.life != life_state::on) return describe(c, p, "ended twice", thread, c.writer);
    c.life = life_state::over;
    return modify(c, p, thread, now, "end of life");
  }

  /// At the end of an execution every life must be over.
  std::string leak() const {
    for (const auto& [p, c] : cells_)
      if (c.life == life_state::on) return "leak: the life of " + name_of(c, p) + " has not ended";
    return {};
  }

 private:
  enum class life_state : char { untracked, on, over };

  struct cell {
    const char* name = nullptr;
    unsigned writer = 0;
    std::uint16_t written = 0;  // the writer's time; 0 is before every thread's start
    vector_clock reads;         // each thread's last read
    life_state life = life_state::untracked;
  };

  struct region {
    const char* begin;
    std::size_t bytes;
    const char* name;
  };

  std::string name_of(const cell& c, const void* p) const {
    std::string s = c.name != nullptr ? c.name : "plain data";
    const auto* at = static_cast<const char*>(p);
    for (const region& r : regions_)
      if (r.begin <= at && at < r.begin + r.bytes)
        s += std::string(" in ") + r.name + "+" + std::to_string(at - r.begin);
    return s;
  }

  std::string describe(const cell& c, const void* p, const char* what, unsigned thread,
                       unsigned other) const {
    std::string s = name_of(c, p) + " " + what + " (thread " + std::to_string(thread);
    return s + (other == thread ? ")" : " and thread " + std::to_string(other) + ")");
  }

  std::string race(const cell& c, const void* p, const char* mine, const char* theirs,
                   unsigned thread, unsigned other) const {
    return "data race on " + name_of(c, p) + ": " + mine + " by thread " + std::to_string(thread) +
           " and " + theirs + " by thread " + std::to_string(other) + " are unordered";
  }

  std::string modify(cell& c, const void* p, unsigned thread, const vector_clock& now,
                     const char* what) const {
    if (!now.covers(c.writer, c.written)) return race(c, p, what, "write", thread, c.writer);
    for (unsigned t = 0; t < thread_max; ++t)
      if (!now.covers(t, c.reads.at[t])) return race(c, p, what, "read", thread, t);
    c.writer = thread;
    c.written = now.at[thread];
    return {};
  }

  std::unordered_map<const void*, cell> cells_;
  std::vector<region> regions_;
};

}  // namespace heapsmith::model
