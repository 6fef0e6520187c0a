// Finds the allocator's functions, and has the null allocator.
#include "calls.hpp"

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <cstdint>

namespace heapsmith::replayer {

alignas(16) constinit char refused_block[16] = {};

namespace {

constinit char* null_block = nullptr;
constinit std::size_t null_bytes = 0;  // of the block, if it has less than the largest one

template <class F>
void find(F& f, void* library, const char* name, F otherwise) {
  void* found = dlsym(library, name);
  f = found != nullptr ? reinterpret_cast<F>(found) : otherwise;
}

}  // namespace

allocator of_process(bool uses_operators) {
  allocator a = {};
  a.malloc = malloc;
  a.calloc = calloc;
  a.realloc = realloc;
  a.aligned_alloc = aligned_alloc;
  a.memalign = memalign;
  a.posix_memalign = posix_memalign;
  a.free = free;
  a.usable_size = malloc_usable_size;
  void* library = RTLD_DEFAULT;
  if (uses_operators && dlsym(RTLD_DEFAULT, "_Znwm") == nullptr)
    library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) library = RTLD_DEFAULT;  // then the operators are malloc and free
  find(a.make, library, "_Znwm", a.malloc);
  find(a.make_array, library, "_Znam", a.malloc);
  using try_make = void* (*)(std::size_t, const std::nothrow_t&);
  const try_make tried = [](std::size_t n, const std::nothrow_t&) { return malloc(n); };
  find(a.try_make, library, "_ZnwmRKSt9nothrow_t", tried);
  find(a.try_make_array, library, "_ZnamRKSt9nothrow_t", tried);
  find(a.end, library, "_ZdlPv", a.free);
  find(a.end_array, library, "_ZdaPv", a.free);
  using make_aligned = void* (*)(std::size_t, std::align_val_t);
  const make_aligned aligned = [](std::size_t n, std::align_val_t align) {
    return memalign(static_cast<std::size_t>(align), n);
  };
  find(a.make_aligned, library, "_ZnwmSt11align_val_t", aligned);
  find(a.make_array_aligned, library, "_ZnamSt11align_val_t", aligned);
  using end_sized = void (*)(void*, std::size_t);
  const end_sized sized = [](void* p, std::size_t) { free(p); };
  find(a.end_sized, library, "_ZdlPvm", sized);
  return a;
}

namespace {

/// The null allocator; `give` decides on a size.
template <void* (*give)(std::size_t)>
allocator null_of() {
  allocator a = {};
  a.malloc = give;
  a.calloc = [](std::size_t n, std::size_t bytes) { return give(n * bytes); };
  a.realloc = [](void*, std::size_t bytes) { return give(bytes); };
  a.make = a.make_array = a.malloc;
  a.make_aligned = [](std::size_t bytes, std::align_val_t) { return give(bytes); };
  a.make_array_aligned = a.make_aligned;
  a.try_make = [](std::size_t bytes, const std::nothrow_t&) { return give(bytes); };
  a.try_make_array = a.try_make;
  a.aligned_alloc = a.memalign = [](std::size_t, std::size_t bytes) { return give(bytes); };
  a.posix_memalign = [](void** to, std::size_t, std::size_t bytes) {
    *to = give(bytes);
    return *to == nullptr ? ENOMEM : 0;
  };
  a.free = a.end = a.end_array = [](void*) {};
  a.end_sized = [](void*, std::size_t) {};
  a.usable_size = [](void*) -> std::size_t { return 0; };
  return a;
}

void* whole_block(std::size_t) {
  return null_block;
}
void* block_or_null(std::size_t bytes) {
  return bytes <= null_bytes ? null_block : nullptr;
}

char* map_null_block(std::size_t bytes) {
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return p == MAP_FAILED ? nullptr : static_cast<char*>(p);
}

}  // namespace

allocator null_allocator(std::size_t bytes) {
  const std::size_t page = 4096, most = SIZE_MAX / 2;
  if (bytes < most) null_block = map_null_block((bytes + page) / page * page);
  if (null_block != nullptr) return null_of<whole_block>();
  // Other allocators refuse the largest blocks, too.
  null_bytes = std::size_t{1} << 30;
  while ((null_block = map_null_block(null_bytes)) == nullptr && null_bytes > page) null_bytes /= 2;
  return null_of<block_or_null>();
}

void* allocate_aligned(const allocator& a, unsigned api, std::size_t bytes, std::size_t align) {
  constexpr unsigned new_aligned = 7, new_array_aligned = 8, aligned_alloc = 9, posix_memalign = 10;
  // A throwing operator would end the replay. Its blocks and those of memalign end alike.
  if (bytes >= refusable_bytes && (api == new_aligned || api == new_array_aligned))
    return a.memalign(align, bytes);
  switch (api) {
    case new_aligned:
      return a.make_aligned(bytes, static_cast<std::align_val_t>(align));
    case new_array_aligned:
      return a.make_array_aligned(bytes, static_cast<std::align_val_t>(align));
    case aligned_alloc:
      return a.aligned_alloc(align, bytes);
    case posix_memalign: {
      void* p = nullptr;
      return a.posix_memalign(&p, align, bytes) == 0 ? p : nullptr;
    }
    default:
      return a.memalign(align, bytes);
  }
}

}  // namespace heapsmith::replayer
