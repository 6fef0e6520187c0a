// The names of mimalloc's functions are jumps through a table, which the first call settles.
//
// A program may be linked with a mimalloc whose interface is another one. Version 3 has other kinds
// of heaps, and begins by calls of its own functions, under these names. Then the table leads to
// that library's functions, and all of them work with its blocks alone. Otherwise it leads to ours.
// Constructors of that library run before those of this one, so none of ours can settle the table.
// The library that makes the first call has been found if it is not among those that the loader
// searches after this one: a plug-in may bring it.
#include <dlfcn.h>
#include <stdlib.h>

#include "adapt/dialects/mimalloc/entries.hpp"
#include "adapt/dialects/mimalloc/names.hpp"
#include "base/atomic.hpp"
#include "os/diagnose.hpp"
#include "os/os.hpp"

using function = void (*)();
extern "C" [[gnu::visibility("default")]] int mi_version();

// A jump to where a variable leads; see adapt/join/join.cpp. Before the table is settled, it leads
// to a step that settles it, with all arguments saved, and jumps again.
#if defined(__aarch64__)
#define HS_JUMP_BY(variable)                                                                       \
  "hint #34\n" /* bti c */ "adrp x16, " variable "\n"                                              \
  "ldr x16, [x16, #:lo12:" variable "]\nbr x16\n"
#define HS_SETTLE                                                                                  \
  "hint #34\nstp x29, x30, [sp, #-16]!\nbl hs_settle_mimalloc\nldp x29, x30, [sp], #16\n"
asm(".pushsection .text.hs_settle_mimalloc, \"ax\", %progbits\n"
    ".hidden hs_settle_mimalloc\n.globl hs_settle_mimalloc\n"
    ".type hs_settle_mimalloc, %function\n"
    "hs_settle_mimalloc:\n"
    "stp x29, x30, [sp, #-96]!\nstp x0, x1, [sp, #16]\nstp x2, x3, [sp, #32]\n"
    "stp x4, x5, [sp, #48]\nstp x6, x7, [sp, #64]\nstr d0, [sp, #80]\n"
    "ldr x0, [sp, #104]\nbl hs_lead_mimalloc\n"
    "ldr d0, [sp, #80]\nldp x6, x7, [sp, #64]\nldp x4, x5, [sp, #48]\n"
    "ldp x2, x3, [sp, #32]\nldp x0, x1, [sp, #16]\nldp x29, x30, [sp], #96\n"
    "ret\n.size hs_settle_mimalloc, . - hs_settle_mimalloc\n.popsection\n");
#else
#if defined(__CET__)
#define HS_JUMP_BY(variable) "endbr64\njmp *" variable "(%rip)\n"
#else
#define HS_JUMP_BY(variable) "jmp *" variable "(%rip)\n"
#endif
#define HS_SETTLE "call hs_settle_mimalloc\n"
asm(".pushsection .text.hs_settle_mimalloc, \"ax\", %progbits\n"
    ".hidden hs_settle_mimalloc\n.globl hs_settle_mimalloc\n"
    ".type hs_settle_mimalloc, %function\n"
    "hs_settle_mimalloc:\n"
    "push %rdi\npush %rsi\npush %rdx\npush %rcx\npush %r8\npush %r9\n"
    "sub $16, %rsp\nmovsd %xmm0, (%rsp)\nmov 72(%rsp), %rdi\n"
    "call hs_lead_mimalloc\n"
    "movsd (%rsp), %xmm0\nadd $16, %rsp\n"
    "pop %r9\npop %r8\npop %rcx\npop %rdx\npop %rsi\npop %rdi\n"
    "ret\n.size hs_settle_mimalloc, . - hs_settle_mimalloc\n.popsection\n");
#endif

// clang-format off
#define HS_DEFINE_TARGET(name)                                                       \
  void own_##name();                                                                 \
  [[gnu::visibility("hidden")]] void settle_##name();                                \
  [[gnu::visibility("hidden")]] constinit function target_##name = settle_##name;    \
  asm(".pushsection .text." #name ", \"ax\", %progbits\n"                            \
      ".globl " #name "\n.type " #name ", %function\n"                              \
      #name ":\n"                                                                    \
      HS_JUMP_BY("target_" #name)                                                    \
      ".size " #name ", . - " #name "\n"                                             \
      ".hidden settle_" #name "\n.globl settle_" #name "\n"                          \
      ".type settle_" #name ", %function\n"                                          \
      "settle_" #name ":\n"                                                          \
      HS_SETTLE                                                                      \
      HS_JUMP_BY("target_" #name)                                                    \
      ".size settle_" #name ", . - settle_" #name "\n.popsection\n");
// clang-format on

extern "C" {
HS_MIMALLOC_FUNCTIONS(HS_DEFINE_TARGET)
}

namespace heapsmith::mimalloc {
namespace {

struct entry {
  const char* name;
  function* target;
  function own;
};

#define HS_ENTRY(name) {#name, &target_##name, own_##name},
constexpr entry entries[] = {HS_MIMALLOC_FUNCTIONS(HS_ENTRY)};

/// A function of version 2 that the other library lacks.
[[noreturn]] void tell_lack() {
  os::line()
      .add("heapsmith: the program calls a function of mimalloc that its own mimalloc lacks, "
           "under libheapsmith_dialects.so")
      .write();
  os::abort();
}

/// Version 2.0.9 is 209, and 2.4.1 is 20401.
bool has_our_interface(int version) {
  return version / 100 < 3 || version / 10000 == 2;
}

/// The library that has the code at an address; null for the program.
void* library_with(const void* code) {
  Dl_info found;
  if (dladdr(code, &found) == 0 || found.dli_fname == nullptr) return nullptr;
  return dlopen(found.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
}

using version_function = int (*)();

version_function version_in(void* library) {
  const auto found = reinterpret_cast<version_function>(dlsym(library, "mi_version"));
  return found == mi_version ? nullptr : found;
}

void lead(function* target, function to) {
  // relaxed: threads that come here together write the same.
  atomic_ref<function>(*target).store(to, relaxed);
}

}  // namespace

void require_our_interface(const void* caller) {
  void* const library = library_with(caller);
  const version_function version = library == nullptr ? nullptr : version_in(library);
  if (version == nullptr || has_our_interface(version())) return;
  os::line()
      .add("heapsmith: a mimalloc that libheapsmith_dialects.so does not serve was loaded after "
           "calls of mimalloc's functions; use libheapsmith_preload.so")
      .write();
  os::abort();
}

}  // namespace heapsmith::mimalloc

/// Settles where the table leads. `caller` is where the first call came from.
extern "C" [[gnu::visibility("hidden"), gnu::used]] void hs_lead_mimalloc(const void* caller) {
  using namespace heapsmith::mimalloc;
  void* library = RTLD_NEXT;
  version_function version = version_in(library);
  if (version == nullptr && (library = library_with(caller)) != nullptr)
    version = version_in(library);
  const bool is_ours = version == nullptr || has_our_interface(version());
  for (const entry& e : entries) {
    const auto other = is_ours ? e.own : reinterpret_cast<function>(dlsym(library, e.name));
    lead(e.target, other != nullptr ? other : tell_lack);
  }
  // The program was compiled for the version that it is linked with.
  if (version != nullptr) lead(&target_mi_version, reinterpret_cast<function>(version));
}
