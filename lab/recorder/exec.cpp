// The calls by which a process becomes another program, or starts one: notes what will not be
// recorded, and has the program load the recorder though its environment was cleared.
#include <alloca.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <unistd.h>

#include "environment.hpp"
#include "program.hpp"
#include "record/calls.hpp"
#include "record/notes.hpp"

#define HS_PASSED_ON extern "C" __attribute__((visibility("default"), used))

using namespace heapsmith::recorder;

namespace {

template <class F>
void find(F*& to, const char* name) {
  if (to == nullptr) to = reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

constinit decltype(&::execve) next_execve = nullptr;
constinit decltype(&::execvpe) next_execvpe = nullptr;
constinit decltype(&::fexecve) next_fexecve = nullptr;
constinit decltype(&::execveat) next_execveat = nullptr;
constinit decltype(&::posix_spawn) next_spawn = nullptr;
constinit decltype(&::posix_spawnp) next_spawnp = nullptr;

/// At load: later, the process may have shared its memory by vfork().
[[gnu::constructor]] void find_at_load() {
  const own_calls mine(here);
  find(next_execve, "execve");
  find(next_execvpe, "execvpe");
  find(next_fexecve, "fexecve");
  find(next_execveat, "execveat");
  find(next_spawn, "posix_spawn");
  find(next_spawnp, "posix_spawnp");
  learn_environment();
}

/// Returns: whether the recorder can be loaded. Behind a filter, nobody may ask.
bool is_recorder_there() {
  const kernel_calls calls;
  return !calls.may_call() || is_library_there();
}

/// Returns: the id of this process, or 0 behind a filter.
std::uint32_t own_pid() {
  const kernel_calls calls;
  return calls.may_call() ? static_cast<std::uint32_t>(getpid()) : 0;
}

/// Returns: why a program that is about to begin will have no file, if it will have none.
lack lack_in(lack of_program, preload how) {
  if (of_program != lack::unknown) return of_program;
  if (how == preload::was_removed) return lack::no_preload;
  if (!is_recorder_there()) return lack::no_library;
  return is_confined_to(confinement::jailed) ? lack::is_confined : lack::unknown;
}

/// Returns: how an environment has to be copied for the program, or null.
auto change_for(lack of_program, preload how) -> decltype(&add_recorder) {
  // The loader of musl ends the program if it cannot load a library.
  if (of_program == lack::is_musl) return how == preload::is_kept ? remove_recorder : nullptr;
  const bool lacks_it = how == preload::was_cleared || how == preload::is_other;
  return lacks_it && is_recorder_there() ? add_recorder : nullptr;
}

/// Returns: f(the changed environment). Not inlined: a process that clone() has made may have a
/// small stack.
template <class F>
[[gnu::noinline]] int with_changed(decltype(&add_recorder) change, char* const* environment, F f) {
  new_environment own;
  change(environment, own);
  return f(own.entries);
}

template <class F>
int with_recorder(lack of_program, preload how, char* const* environment, F f) {
  const auto change = change_for(of_program, how);
  return change != nullptr ? with_changed(change, environment, f) : f(environment);
}

/// Effects: calls f(environment), which does not return if it succeeds.
template <class F>
int become(lack of_program, const char* name, char* const* environment, F f) {
  process_note* note = nullptr;
  const preload how = look_at(environment);
  {
    const own_calls mine(here);
    if (how != preload::is_no_list)
      note = note_process(header_or_none(), lack_in(of_program, how), own_pid(), 0, name);
  }
  const int result = with_recorder(of_program, how, environment, f);
  forget_note(note);
  return result;
}

lack ask_of(const char* path, bool searched) {
  const own_calls mine(here);
  const kernel_calls calls;
  return calls.may_call() ? lack_of_program(path, searched) : lack::unknown;
}

int become_path(const char* path, char* const* arguments, char* const* environment) {
  return become(ask_of(path, false), path, environment,
                [=](char* const* now) { return next_execve(path, arguments, now); });
}

int become_searched(const char* file, char* const* arguments, char* const* environment) {
  return become(ask_of(file, true), file, environment,
                [=](char* const* now) { return next_execvpe(file, arguments, now); });
}

using become_function = int(const char*, char* const*, char* const*);

/// Returns: f(name, the arguments, the environment) of execl and its kin. `from` begins behind the
/// first argument.
int become_listed(become_function* f, const char* name, const char* first, va_list from,
                  bool has_environment) {
  va_list counted;
  va_copy(counted, from);
  std::size_t n = 1;
  while (va_arg(counted, char*) != nullptr) ++n;
  va_end(counted);
  auto** const all = static_cast<char**>(alloca((n + 1) * sizeof(char*)));
  all[0] = const_cast<char*>(first);
  for (std::size_t i = 1; i <= n; ++i) all[i] = va_arg(from, char*);
  return f(name, all, has_environment ? va_arg(from, char* const*) : environ);
}

/// Effects: starts a program by f(environment), which returns an errno.
template <class F>
int start(lack of_program, const char* name, pid_t* pid, char* const* environment, F f) {
  const preload how = look_at(environment);
  pid_t started = 0;
  const std::uint64_t tick = tick_now();
  const auto begin = [&](char* const* now) { return f(&started, now); };
  const int error = with_recorder(of_program, how, environment, begin);
  if (pid != nullptr && error == 0) *pid = started;
  if (error != 0 || how == preload::is_no_list) return error;
  const own_calls mine(here);
  process_note* note = note_process(header_or_none(), lack_in(of_program, how),
                                    static_cast<std::uint32_t>(started), 0, name);
  if (note != nullptr) note->tick = tick;  // the program may have its file already
  return error;
}

}  // namespace

HS_PASSED_ON int execve(const char* path, char* const arguments[],
                        char* const environment[]) noexcept {
  return become_path(path, arguments, environment);
}

HS_PASSED_ON int execv(const char* path, char* const arguments[]) noexcept {
  return become_path(path, arguments, environ);
}

HS_PASSED_ON int execvp(const char* file, char* const arguments[]) noexcept {
  return become_searched(file, arguments, environ);
}

HS_PASSED_ON int execvpe(const char* file, char* const arguments[],
                         char* const environment[]) noexcept {
  return become_searched(file, arguments, environment);
}

HS_PASSED_ON int execl(const char* path, const char* first, ...) noexcept {
  va_list from;
  va_start(from, first);
  const int result = become_listed(become_path, path, first, from, false);
  va_end(from);
  return result;
}

HS_PASSED_ON int execlp(const char* file, const char* first, ...) noexcept {
  va_list from;
  va_start(from, first);
  const int result = become_listed(become_searched, file, first, from, false);
  va_end(from);
  return result;
}

HS_PASSED_ON int execle(const char* path, const char* first, ...) noexcept {
  va_list from;
  va_start(from, first);
  const int result = become_listed(become_path, path, first, from, true);
  va_end(from);
  return result;
}

HS_PASSED_ON int fexecve(int fd, char* const arguments[], char* const environment[]) noexcept {
  lack why = lack::unknown;
  {
    const own_calls mine(here);
    const kernel_calls calls;
    if (calls.may_call()) why = lack_of_file(fd);
  }
  return become(why, "a program that was opened before", environment,
                [=](char* const* now) { return next_fexecve(fd, arguments, now); });
}

HS_PASSED_ON int execveat(int fd, const char* path, char* const arguments[],
                          char* const environment[], int flags) noexcept {
  const bool is_plain = path[0] == '/' || fd == AT_FDCWD;
  return become(is_plain ? ask_of(path, false) : lack::unknown, path, environment,
                [=](char* const* now) { return next_execveat(fd, path, arguments, now, flags); });
}

HS_PASSED_ON int posix_spawn(pid_t* pid, const char* path,
                             const posix_spawn_file_actions_t* actions,
                             const posix_spawnattr_t* attributes, char* const arguments[],
                             char* const environment[]) {
  return start(ask_of(path, false), path, pid, environment, [=](pid_t* to, char* const* now) {
    return next_spawn(to, path, actions, attributes, arguments, now);
  });
}

HS_PASSED_ON int posix_spawnp(pid_t* pid, const char* file,
                              const posix_spawn_file_actions_t* actions,
                              const posix_spawnattr_t* attributes, char* const arguments[],
                              char* const environment[]) {
  return start(ask_of(file, true), file, pid, environment, [=](pid_t* to, char* const* now) {
    return next_spawnp(to, file, actions, attributes, arguments, now);
  });
}
