// Finds the allocator's functions, and has the null allocator.
#include "calls.hpp"

#include <dlfcn.h>
#include <malloc.h>
#include <stdlib.h>
#include <sys/mman.h>

namespace heapsmith::replayer {
namespace {

constinit char* null_block = nullptr;

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

allocator null_allocator(std::size_t bytes) {
  const std::size_t page = 4096;
  const std::size_t whole = (bytes + page) / page * page;
  void* p = mmap(nullptr, whole, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  null_block = p == MAP_FAILED ? nullptr : static_cast<char*>(p);
  allocator a = {};
  a.malloc = [](std::size_t) -> void* { return null_block; };
  a.calloc = [](std::size_t, std::size_t) -> void* { return null_block; };
  a.realloc = [](void*, std::size_t) -> void* { return null_block; };
  a.make = a.make_array = a.malloc;
  a.make_aligned = [](std::size_t, std::align_val_t) -> void* { return null_block; };
  a.make_array_aligned = a.make_aligned;
  a.aligned_alloc = a.memalign = [](std::size_t, std::size_t) -> void* { return null_block; };
  a.posix_memalign = [](void** to, std::size_t, std::size_t) {
    *to = null_block;
    return 0;
  };
  a.free = a.end = a.end_array = [](void*) {};
  a.end_sized = [](void*, std::size_t) {};
  a.usable_size = [](void*) -> std::size_t { return 0; };
  return a;
}

void* allocate_aligned(const allocator& a, unsigned api, std::size_t bytes, std::size_t align) {
  constexpr unsigned new_aligned = 7, new_array_aligned = 8, aligned_alloc = 9, posix_memalign = 10;
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
