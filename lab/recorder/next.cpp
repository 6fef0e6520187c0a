// Finds the allocator behind the recorder by dlsym, and serves the calls that dlsym makes itself.
#include "next.hpp"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

#include "adapt/override/own_operators.hpp"

namespace heapsmith::recorder {
namespace {

alignas(4096) constinit char boot_memory[64 * 1024] = {};
constinit atomic<std::size_t> boot_used{0};

constinit next_functions functions = {};
constinit next_operators operators = {};
constinit thread_local bool looks_up __attribute__((tls_model("initial-exec"))) = false;

template <class F>
void find(F*& f, const char* name) {
  f = reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

void look_up() {
  // Threads that look up at the same time write the same values.
  next_functions found = {};
  find(found.malloc, "malloc");
  find(found.free, "free");
  find(found.calloc, "calloc");
  find(found.realloc, "realloc");
  find(found.aligned_alloc, "aligned_alloc");
  find(found.posix_memalign, "posix_memalign");
  find(found.memalign, "memalign");
  find(found.valloc, "valloc");
  find(found.pvalloc, "pvalloc");
  find(found.usable_size, "malloc_usable_size");
  if (found.malloc == nullptr || found.free == nullptr) {
    constexpr char line[] = "heapsmith recorder: no malloc behind the recorder\n";
    static_cast<void>(!write(2, line, sizeof line - 1));
    abort();
  }
  functions = found;
}

/// The program's own, which the nothrow forms call.
template <class... More>
void use_replaced(void (*&next)(More...), void (*named)(More...) noexcept,
                  void (*own)(More...) noexcept) {
  if (named != own) next = named;
}

void find_all(next_operators& found) {
  find(found.make, "_Znwm");
  find(found.make_array, "_Znam");
  find(found.make_nothrow, "_ZnwmRKSt9nothrow_t");
  find(found.make_array_nothrow, "_ZnamRKSt9nothrow_t");
  find(found.make_aligned, "_ZnwmSt11align_val_t");
  find(found.make_array_aligned, "_ZnamSt11align_val_t");
  find(found.make_aligned_nothrow, "_ZnwmSt11align_val_tRKSt9nothrow_t");
  find(found.make_array_aligned_nothrow, "_ZnamSt11align_val_tRKSt9nothrow_t");
  find(found.end, "_ZdlPv");
  find(found.end_array, "_ZdaPv");
  find(found.end_sized, "_ZdlPvm");
  find(found.end_array_sized, "_ZdaPvm");
  find(found.end_aligned, "_ZdlPvSt11align_val_t");
  find(found.end_array_aligned, "_ZdaPvSt11align_val_t");
  find(found.end_sized_aligned, "_ZdlPvmSt11align_val_t");
  find(found.end_array_sized_aligned, "_ZdaPvmSt11align_val_t");
  use_replaced(found.end, &operator delete, hs_own_delete);
  use_replaced(found.end_array, &operator delete[], hs_own_delete_array);
  use_replaced(found.end_aligned, &operator delete, hs_own_delete_aligned);
  use_replaced(found.end_array_aligned, &operator delete[], hs_own_delete_aligned_array);
}

}  // namespace

namespace {

template <class F>
bool is_of_libstdcxx(F* function) {
  Dl_info where;
  return function == nullptr || (dladdr(reinterpret_cast<void*>(function), &where) != 0 &&
                                 strstr(where.dli_fname, "/libstdc++.so") != nullptr);
}

/// A library may replace some of the operators only.
bool all_are_of_libstdcxx(const next_operators& found) {
  return is_of_libstdcxx(found.make) && is_of_libstdcxx(found.make_array) &&
         is_of_libstdcxx(found.make_nothrow) && is_of_libstdcxx(found.make_array_nothrow) &&
         is_of_libstdcxx(found.make_aligned) && is_of_libstdcxx(found.make_array_aligned) &&
         is_of_libstdcxx(found.make_aligned_nothrow) &&
         is_of_libstdcxx(found.make_array_aligned_nothrow) && is_of_libstdcxx(found.end) &&
         is_of_libstdcxx(found.end_array) && is_of_libstdcxx(found.end_sized) &&
         is_of_libstdcxx(found.end_array_sized) && is_of_libstdcxx(found.end_aligned) &&
         is_of_libstdcxx(found.end_array_aligned) && is_of_libstdcxx(found.end_sized_aligned) &&
         is_of_libstdcxx(found.end_array_sized_aligned);
}

}  // namespace

constinit atomic<const next_functions*> known_functions{nullptr};
constinit atomic<const next_operators*> known_operators{nullptr};

const next_functions* find_functions() {
  if (looks_up) return nullptr;
  looks_up = true;
  look_up();
  looks_up = false;
  known_functions.store(&functions, release);  // pairs with next()
  return &functions;
}

const next_operators& find_operators() {
  next_operators found = {};
  // Without a C++ runtime, the allocator's own operators are left out: one that fails looks for the
  // runtime of its caller, which would be the recorder.
  if (dlsym(RTLD_DEFAULT, "_ZSt15get_new_handlerv") != nullptr) find_all(found);
  found.are_replaced = !operators_are_own();
  found.are_plain = !found.are_replaced && found.make != nullptr && all_are_of_libstdcxx(found);
  operators = found;
  // A library that is loaded later may bring the operators. They stay as they are: what malloc
  // gave must go back to free.
  known_operators.store(&operators, release);  // pairs with next_new()
  return operators;
}

void use_next(const next_functions& found, const next_operators& operators_found) {
  functions = found;
  operators = operators_found;
  // release pairs with next() and next_new()
  known_functions.store(&functions, release);
  known_operators.store(&operators, release);
}

void* boot_allocate(std::size_t bytes, std::size_t align) {
  if (align < 16) align = 16;
  if (bytes > sizeof boot_memory || align > 4096) return nullptr;
  // relaxed: each caller has its own range, and only the numbers matter.
  const std::size_t taken = (bytes + align + 15) & ~std::size_t{15};
  const std::size_t at = boot_used.fetch_add(taken, relaxed);
  if (at + taken > sizeof boot_memory) return nullptr;
  return boot_memory + ((at + align - 1) & ~(align - 1));
}

bool is_boot_block(const void* p) {
  return static_cast<std::size_t>(static_cast<const char*>(p) - boot_memory) < sizeof boot_memory;
}

std::size_t boot_bytes_from(const void* p) {
  return sizeof boot_memory - static_cast<std::size_t>(static_cast<const char*>(p) - boot_memory);
}

}  // namespace heapsmith::recorder
