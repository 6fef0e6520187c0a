// The steps of a small region.
#include "region_steps.hpp"

#include "steps.hpp"

namespace heapsmith::fuzz {

void run(const std::uint8_t* bytes, std::size_t length) {
  region_stepper<coarse_bins, HS_SMALL_REGION_BUFFERS>(tape(bytes, length)).run();
}

}  // namespace heapsmith::fuzz
