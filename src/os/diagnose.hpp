// Lines on stderr, written without allocating: the heap may be the very thing that is broken.
#pragma once

#include <cstddef>
#include <string_view>

#include "os/misuse.hpp"

namespace heapsmith::os {

/// A line of at most 511 characters, composed in place; the rest is cut.
class line {
 public:
  [[gnu::cold]] line& add(std::string_view text);
  [[gnu::cold]] line& add_pointer(const void* p);
  /// A size as settings write it, such as 64M: exactly, in the largest unit that can.
  [[gnu::cold]] line& add_bytes(std::size_t bytes);
  [[gnu::cold]] line& add_number(std::size_t number);
  /// Adds blanks until the line has `length` characters.
  [[gnu::cold]] line& pad_to(std::size_t length);
  /// Ends the line and writes it.
  [[gnu::cold]] void write(int fd = 2);

 private:
  char text_[512];
  std::size_t length_ = 0;
};

}  // namespace heapsmith::os
