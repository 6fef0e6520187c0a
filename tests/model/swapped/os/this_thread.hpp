// The model build's threads are fibers, which the tests number, and none is alone.
#pragma once

#include <cstdint>

namespace heapsmith::os {

bool is_alone();
bool single_threaded();
std::uint32_t thread_number();

}  // namespace heapsmith::os
