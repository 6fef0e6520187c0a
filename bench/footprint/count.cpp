// Counts the blocks of 24 bytes that fit into 4 KiB together with the control data. Runs on a bare
// processor, and prints the number. CONTROL_BYTES and PREFIX choose the allocator.
#include <cstddef>

#include "heapsmith/freestanding.h"
#include "target.hpp"

#define JOINED(a, b) a##b
#define CALL(prefix, name) JOINED(prefix, name)

extern "C" {
void CALL(PREFIX, _new)(void* control);
void CALL(PREFIX, _init)(void* control, void* memory, std::size_t bytes);
void* CALL(PREFIX, _malloc)(void* control, std::size_t bytes);
}

namespace {

constexpr std::size_t ram_bytes = 4096;
alignas(64) unsigned char ram[CONTROL_BYTES > ram_bytes ? CONTROL_BYTES : ram_bytes];

}  // namespace

void program() {
  CALL(PREFIX, _new)(ram);
  CALL(PREFIX, _init)(ram, ram + CONTROL_BYTES, sizeof ram - CONTROL_BYTES);
  std::size_t count = 0;
  while (CALL(PREFIX, _malloc)(ram, 24) != nullptr) ++count;
  char digits[6] = {};
  std::size_t at = sizeof digits - 1;
  do digits[--at] = static_cast<char>('0' + count % 10);
  while ((count /= 10) != 0);
  constexpr std::uintptr_t write0 = 0x04, exit_ = 0x18, application_exit = 0x20026;
  target::call_host(write0, digits + at);
  target::call_host(exit_, reinterpret_cast<const void*>(application_exit));
  for (;;) {
  }
}

// A region begins as zeroed memory.
extern "C" {
void hs_misuse(const char*, const void*, const char*) {
  __builtin_trap();
}
void hs_region_new(void*) {}
void hs_small_region_new(void*) {}
}
