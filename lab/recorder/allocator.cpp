// Finds the allocator of a running process, in the order in which the dynamic linker does.
#include "allocator.hpp"

#include <cstring>

#include "next.hpp"
#include "threads.hpp"

namespace heapsmith::recorder {
namespace {

constinit function functions[] = {
    {"free", false, 0, 0},
    {"realloc", false, 0, 0},
    {"reallocarray", false, 0, 0},
    {"malloc_usable_size", false, 0, 0},
    {"_ZdlPv", false, 0, 0},
    {"_ZdaPv", false, 0, 0},
    {"_ZdlPvRKSt9nothrow_t", false, 0, 0},
    {"_ZdaPvRKSt9nothrow_t", false, 0, 0},
    {"_ZdlPvm", false, 0, 0},
    {"_ZdaPvm", false, 0, 0},
    {"_ZdlPvSt11align_val_t", false, 0, 0},
    {"_ZdaPvSt11align_val_t", false, 0, 0},
    {"_ZdlPvSt11align_val_tRKSt9nothrow_t", false, 0, 0},
    {"_ZdaPvSt11align_val_tRKSt9nothrow_t", false, 0, 0},
    {"_ZdlPvmSt11align_val_t", false, 0, 0},
    {"_ZdaPvmSt11align_val_t", false, 0, 0},
    {"malloc", true, 0, 0},
    {"calloc", true, 0, 0},
    {"aligned_alloc", true, 0, 0},
    {"posix_memalign", true, 0, 0},
    {"memalign", true, 0, 0},
    {"valloc", true, 0, 0},
    {"pvalloc", true, 0, 0},
    {"_Znwm", true, 0, 0},
    {"_Znam", true, 0, 0},
    {"_ZnwmRKSt9nothrow_t", true, 0, 0},
    {"_ZnamRKSt9nothrow_t", true, 0, 0},
    {"_ZnwmSt11align_val_t", true, 0, 0},
    {"_ZnamSt11align_val_t", true, 0, 0},
    {"_ZnwmSt11align_val_tRKSt9nothrow_t", true, 0, 0},
    {"_ZnamSt11align_val_tRKSt9nothrow_t", true, 0, 0},
    {"pthread_create", true, 0, 0},
    {"dlopen", true, 0, 0},
    {"dlmopen", true, 0, 0},
    {"dlsym", true, 0, 0},
    {"dlvsym", true, 0, 0},
};

template <class F>
void take(F*& to, const char* name) {
  to = reinterpret_cast<F*>(function_named(name).next);
}

void pass_on() {
  next_functions f = {};
  take(f.malloc, "malloc");
  take(f.free, "free");
  take(f.calloc, "calloc");
  take(f.realloc, "realloc");
  take(f.aligned_alloc, "aligned_alloc");
  take(f.posix_memalign, "posix_memalign");
  take(f.memalign, "memalign");
  take(f.valloc, "valloc");
  take(f.pvalloc, "pvalloc");
  take(f.usable_size, "malloc_usable_size");
  next_operators o = {};
  take(o.make, "_Znwm");
  take(o.make_array, "_Znam");
  take(o.make_nothrow, "_ZnwmRKSt9nothrow_t");
  take(o.make_array_nothrow, "_ZnamRKSt9nothrow_t");
  take(o.make_aligned, "_ZnwmSt11align_val_t");
  take(o.make_array_aligned, "_ZnamSt11align_val_t");
  take(o.make_aligned_nothrow, "_ZnwmSt11align_val_tRKSt9nothrow_t");
  take(o.make_array_aligned_nothrow, "_ZnamSt11align_val_tRKSt9nothrow_t");
  take(o.end, "_ZdlPv");
  take(o.end_array, "_ZdaPv");
  take(o.end_sized, "_ZdlPvm");
  take(o.end_array_sized, "_ZdaPvm");
  take(o.end_aligned, "_ZdlPvSt11align_val_t");
  take(o.end_array_aligned, "_ZdaPvSt11align_val_t");
  take(o.end_sized_aligned, "_ZdlPvmSt11align_val_t");
  take(o.end_array_sized_aligned, "_ZdaPvmSt11align_val_t");
  use_next(f, o);
  creator create = nullptr;
  take(create, "pthread_create");
  if (create != nullptr) use_next_creator(create);
}

}  // namespace

std::span<function> all_functions() {
  return functions;
}

function& function_named(const char* name) {
  for (function& each : functions)
    if (strcmp(each.name, name) == 0) return each;
  __builtin_trap();
}

bool is_recorder(const image& file) {
  return file.has(reinterpret_cast<std::uintptr_t>(&functions));
}

bool find_allocator() {
  if (function_named("malloc").own != 0) return true;
  bool is_preloaded = false;
  for (function& each : functions) {
    for_each_image([&](const image& file) {
      if (!file) return;
      const std::uintptr_t found = file.find(each.name);
      if (is_recorder(file)) {
        is_preloaded |= found != 0 && each.next == 0 && strcmp(each.name, "malloc") == 0;
        each.own = found;
      } else if (each.next == 0) {
        each.next = found;
      }
    });
  }
  if (is_preloaded || function_named("malloc").next == 0 || function_named("free").next == 0) {
    for (function& each : functions) each.own = 0;
    return false;
  }
  pass_on();
  return true;
}

void* find_beside_allocator(const char* name) {
  std::uintptr_t found = 0;
  for_each_image([&](const image& file) {
    if (file && file.has(function_named("malloc").next)) found = file.find(name);
  });
  return reinterpret_cast<void*>(found);
}

}  // namespace heapsmith::recorder
