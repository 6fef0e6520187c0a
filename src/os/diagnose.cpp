// Lines are composed in a fixed buffer.
#include "os/diagnose.hpp"

#include <cstdint>

#include "os/report.hpp"

namespace heapsmith::os {

line& line::add(std::string_view text) {
  for (const char c : text)
    if (length_ < sizeof text_ - 1) text_[length_++] = c;
  return *this;
}

line& line::add_pointer(const void* p) {
  char digits[2 * sizeof p];
  char* at = digits;
  const auto value = reinterpret_cast<std::uintptr_t>(p);
  int shift = static_cast<int>(8 * sizeof p) - 4;
  while (shift > 0 && ((value >> shift) & 15) == 0) shift -= 4;
  for (; shift >= 0; shift -= 4) *at++ = "0123456789abcdef"[(value >> shift) & 15];
  return add("0x").add({digits, static_cast<std::size_t>(at - digits)});
}

line& line::add_number(std::size_t number) {
  char digits[20];
  char* const end = digits + sizeof digits;
  char* at = end;
  do *--at = static_cast<char>('0' + number % 10);
  while ((number /= 10) != 0);
  return add({at, static_cast<std::size_t>(end - at)});
}

line& line::add_bytes(std::size_t bytes) {
  constexpr std::string_view units[] = {"", "K", "M", "G", "T"};
  unsigned unit = 0;
  for (; bytes != 0 && bytes % 1024 == 0 && unit < 4; bytes /= 1024) ++unit;
  return add_number(bytes).add(units[unit]);
}

line& line::pad_to(std::size_t length) {
  while (length_ < length) add(" ");
  return *this;
}

void line::write(int fd) {
  text_[length_++] = '\n';
  write_all(fd, text_, length_);
}

void abort_misuse(const char* call, const void* pointer, const char* reason) {
  line().add("heapsmith: ").add(call).add("(").add_pointer(pointer).add("): ").add(reason).write();
  abort();
}

}  // namespace heapsmith::os
