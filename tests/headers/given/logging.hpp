// Declarations that the examples of logging.hpp use.
#pragma once

#include <cstdio>

#include "heapsmith/logging.hpp"

namespace {

struct my_sink {
  explicit my_sink(std::FILE* file) : print(file) {}
  void operator()(const heapsmith::resource_event& e) const noexcept { print(e); }
  heapsmith::event_printer print;
};
std::FILE* const file = stderr;

}  // namespace
