// Lines on stderr, written without allocating: the heap may be the very thing that is broken.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/hidden.hpp"
#include "os/misuse.hpp"

namespace heapsmith::os {

/// Text composed in a buffer of a class below; what has no room is cut. Any function may be called
/// in a signal handler.
class HS_HIDDEN text {
 public:
  [[gnu::cold]] text& add(std::string_view more);
  [[gnu::cold]] text& add(const char* more);  // shorter to call
  [[gnu::cold]] text& add_pointer(const void* p);
  /// A size as settings write it, such as 64M: exactly, in the largest unit that can.
  [[gnu::cold]] text& add_bytes(std::size_t bytes);
  /// A number, with blanks before it if it is shorter than `width`.
  [[gnu::cold]] text& add_number(std::size_t number, std::size_t width = 0);
  /// Adds blanks until the text has `length` characters.
  [[gnu::cold]] text& pad_to(std::size_t length);
  /// Ends the line and writes it. Returns 0, or the error that stopped it.
  [[gnu::cold]] int write(int fd = 2);

  const char* data() const { return start_; }
  std::size_t size() const { return length_; }

 protected:
  text(char* start, std::size_t room) : start_(start), room_(room) {}

 private:
  char* start_;
  std::size_t room_;  // without the character that ends a line
  std::size_t length_ = 0;
};

/// A line of at most 511 characters.
class HS_HIDDEN line : public text {
 public:
  [[gnu::cold]] line();  // not inlined: few lines are ever written

 private:
  char buffer_[512];
};

}  // namespace heapsmith::os
