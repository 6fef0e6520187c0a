// What a call does when there is no memory for it.
#pragma once

namespace heapsmith::detail {

/// allocate() and make() throw; try_allocate() and try_make() return nullptr.
enum class without_memory { throws, is_null };

}  // namespace heapsmith::detail
