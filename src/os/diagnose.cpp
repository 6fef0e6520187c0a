// Diagnoses are composed in a fixed buffer: the heap may be the very thing that is broken.
#include "os/diagnose.hpp"

#include <cstddef>
#include <cstdint>

#include "os/os.hpp"

namespace heapsmith::os {
namespace {

class line {
 public:
  line& add(const char* text) {
    while (*text != '\0' && length_ < sizeof text_ - 1) text_[length_++] = *text++;
    return *this;
  }

  line& add_pointer(const void* p) {
    char digits[2 + 2 * sizeof p + 1] = "0x";
    char* at = digits + 2;
    const auto value = reinterpret_cast<std::uintptr_t>(p);
    int shift = static_cast<int>(8 * sizeof p) - 4;
    while (shift > 0 && ((value >> shift) & 15) == 0) shift -= 4;
    for (; shift >= 0; shift -= 4) *at++ = "0123456789abcdef"[(value >> shift) & 15];
    *at = '\0';
    return add(digits);
  }

  void write() {
    text_[length_++] = '\n';
    write_all(2, text_, length_);
  }

 private:
  char text_[512];
  std::size_t length_ = 0;
};

}  // namespace

void abort_misuse(const char* call, const void* pointer, const char* reason) {
  line().add("heapsmith: ").add(call).add("(").add_pointer(pointer).add("): ").add(reason).write();
  abort();
}

void warn(const char* text) {
  line().add("heapsmith: ").add(text).write();
}

}  // namespace heapsmith::os
