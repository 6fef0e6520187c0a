// Texts are composed in a fixed buffer.
#include "os/diagnose.hpp"

#include <cstdint>

#include "os/report.hpp"

namespace heapsmith::os {

line::line() : text(buffer_, sizeof buffer_ - 1) {}

text& text::add(std::string_view more) {
  for (const char c : more)
    if (length_ < room_) start_[length_++] = c;
  return *this;
}

text& text::add(const char* more) {
  return add(std::string_view(more));
}

text& text::add_pointer(const void* p) {
  char digits[2 * sizeof p];
  char* at = digits;
  const auto value = reinterpret_cast<std::uintptr_t>(p);
  int shift = static_cast<int>(8 * sizeof p) - 4;
  while (shift > 0 && ((value >> shift) & 15) == 0) shift -= 4;
  for (; shift >= 0; shift -= 4) *at++ = "0123456789abcdef"[(value >> shift) & 15];
  return add("0x").add({digits, static_cast<std::size_t>(at - digits)});
}

text& text::add_number(std::size_t number, std::size_t width) {
  char digits[20];
  char* const end = digits + sizeof digits;
  char* at = end;
  do *--at = static_cast<char>('0' + number % 10);
  while ((number /= 10) != 0);
  const auto written = static_cast<std::size_t>(end - at);
  if (written < width) pad_to(length_ + width - written);
  return add({at, written});
}

text& text::add_bytes(std::size_t bytes) {
  unsigned unit = 0;
  for (; bytes != 0 && bytes % 1024 == 0 && unit < 4; bytes /= 1024) ++unit;
  return add_number(bytes).add({&"KMGT"[unit - (unit != 0)], unit != 0 ? 1U : 0U});
}

text& text::pad_to(std::size_t length) {
  while (length_ < length && length_ < room_) add(" ");
  return *this;
}

int text::write(int fd) {
  start_[length_++] = '\n';
  return write_all(fd, start_, length_);
}

void abort_misuse(const char* call, const void* pointer, const char* reason) {
  line().add("heapsmith: ").add(call).add("(").add_pointer(pointer).add("): ").add(reason).write();
  abort();
}

}  // namespace heapsmith::os
