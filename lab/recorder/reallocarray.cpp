// reallocarray, over the realloc that the loader has bound: a program may have an allocator of its
// own. In a source that defines realloc, compilers would call that definition.
#include <errno.h>
#include <stdlib.h>

extern "C" __attribute__((visibility("default"), used)) void* reallocarray(void* old, size_t n,
                                                                           size_t each) noexcept {
  size_t bytes;
  if (!__builtin_mul_overflow(n, each, &bytes)) return realloc(old, bytes);  // a jump
  errno = ENOMEM;
  return nullptr;
}
