// All that a free-standing program supplies of libc: memcpy and memset.
#include <cstddef>

extern "C" {

// Compiled with -fno-builtin, so that the loops do not become calls of these functions.

// From the back, so that memory which overlaps in the usual way is copied wrongly: memcpy makes no
// promise about it.
void* memcpy(void* to, const void* from, std::size_t bytes) {
  auto* t = static_cast<unsigned char*>(to);
  const auto* f = static_cast<const unsigned char*>(from);
  while (bytes-- != 0) t[bytes] = f[bytes];
  return to;
}

void* memset(void* at, int value, std::size_t bytes) {
  auto* a = static_cast<unsigned char*>(at);
  while (bytes-- != 0) *a++ = static_cast<unsigned char>(value);
  return at;
}

}  // extern "C"
