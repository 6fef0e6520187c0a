// Throwing or returning null: the two ways a call behaves when it runs out of memory.
#pragma once

namespace heapsmith::detail {

/// allocate() and make() throw; try_allocate() and try_make() return nullptr.
enum class on_failure { throws, returns_null };

}  // namespace heapsmith::detail
