// libFuzzer's entry.
#include <cstddef>
#include <cstdint>

#include "steps.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t length) {
  heapsmith::fuzz::run(bytes, length);
  return 0;
}
