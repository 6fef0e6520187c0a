// Objects that log their destruction, and objects whose constructors throw.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <vector>

#include "heapsmith/null_resource.hpp"
#include "heapsmith/scope.hpp"

namespace heapsmith {

/// Writes its number into a log when it is destroyed.
template <std::size_t Bytes = 8>
struct witness {
  witness(std::vector<int>& log, int number) : log(&log), number(number) {}
  witness(const witness&) = delete;
  witness& operator=(const witness&) = delete;
  ~witness() { log->push_back(number); }

  std::vector<int>* log;
  int number;
  char load[Bytes] = {};
};

/// Throws if its number is 13.
struct fragile {
  explicit fragile(std::vector<int>& log, int number = 0) : log(&log), number(number) {
    if (number == 13) throw std::runtime_error("13");
  }
  fragile() : fragile(*shared_log, next++) {}
  ~fragile() { log->push_back(number); }

  static inline std::vector<int>* shared_log = nullptr;
  static inline int next = 0;
  std::vector<int>* log;
  int number;
};

/// Witness 1, which makes witness 2 and leaves no room for its own entry.
struct greedy {
  greedy(scope<null_resource>& s, std::vector<int>& log) : self(log, 1) {
    s.make<witness<>>(log, 2);
    static_cast<void>(s.allocate(s.remaining(), 1));
  }
  witness<> self;
};

inline std::vector<int> downwards(int from, int to) {
  std::vector<int> out;
  for (int i = from; i >= to; --i) out.push_back(i);
  return out;
}

}  // namespace heapsmith
