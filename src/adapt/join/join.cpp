// libheapsmith.so joins the heap that the process already has.
//
// The names that it exports are jumps through a table. The table leads to the functions of this
// library, unless the program or a preloaded library exports the same functions: then it leads to
// those. Otherwise a library that is opened with dlopen() would have a heap of its own, since
// dlsym() finds the library's functions first, and free() would refuse the heap's blocks.
#include <dlfcn.h>
#include <string.h>

#include "adapt/join/functions.hpp"

// A jump to where a variable leads. It begins as the targets of indirect calls must, where the
// processor checks that, and changes only a register that any call may change.
#if defined(__aarch64__)
#define HS_JUMP_BY(variable)                                                                       \
  "hint #34\n" /* bti c */ "adrp x16, " variable "\n"                                              \
  "ldr x16, [x16, #:lo12:" variable "]\nbr x16\n"
#elif defined(__CET__)
#define HS_JUMP_BY(variable) "endbr64\njmp *" variable "(%rip)\n"
#else
#define HS_JUMP_BY(variable) "jmp *" variable "(%rip)\n"
#endif

using function = void (*)();
using version_function = const char* (*)();

// clang-format off
#define HS_DEFINE_TARGET(name)                                               \
  void own_##name();                                                         \
  [[gnu::visibility("hidden")]] constinit function target_##name = own_##name; \
  asm(".pushsection .text." #name ", \"ax\", %progbits\n"                     \
      ".globl " #name "\n"                                                   \
      ".type " #name ", %function\n"                                         \
      #name ":\n"                                                            \
      ".cfi_startproc\n"                                                     \
      HS_JUMP_BY("target_" #name)                                            \
      ".cfi_endproc\n"                                                       \
      ".size " #name ", . - " #name "\n"                                     \
      ".popsection\n");
// clang-format on

extern "C" {
HS_HEAP_FUNCTIONS(HS_DEFINE_TARGET)
}

namespace heapsmith {
namespace {

/// The function that the program and its libraries find first, wherever this library was loaded.
function of_the_program(void* program, const char* name) {
  return reinterpret_cast<function>(dlsym(program, name));
}

// Before the constructors that ask for whom this copy of the library works.
[[gnu::constructor(101)]] void join_the_heap_of_the_process() {
  const auto own_version = reinterpret_cast<version_function>(target_hs_version);
  void* program = dlopen(nullptr, RTLD_LAZY);
  const auto version =
      program == nullptr
          ? nullptr
          : reinterpret_cast<version_function>(of_the_program(program, "hs_version"));
  if (version == nullptr) {
    // The program did not ask, so it must not find an error. Each thread has an error of its own.
    static_cast<void>(dlerror());  // NOLINT(concurrency-mt-unsafe)
    return;
  }
  // Another version may lack functions, and other libraries have a function of this name.
  if (version() == own_version() || strcmp(version(), own_version()) != 0) return;
#define HS_JOIN(name)                                                                              \
  if (const function other = of_the_program(program, #name)) target_##name = other;
  HS_HEAP_FUNCTIONS(HS_JOIN)
}

}  // namespace
}  // namespace heapsmith
