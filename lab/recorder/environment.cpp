// Puts the recorder back into an environment that was cleared, as `env -i` and sshd do. Takes it
// out for a program that would not start with it.
#include "environment.hpp"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstring>

namespace heapsmith::recorder {
namespace {

constexpr char preload_name[] = "LD_PRELOAD=";
constexpr char folder_name[] = "HEAPSMITH_RECORD_DIR=";

// Empty: no other program is to load the recorder.
constinit char own_preload[2304] = {};
constinit char own_folder[2304] = {};

const char* own_path() {
  return own_preload + sizeof preload_name - 1;
}

bool begins_with(const char* text, const char* beginning, std::size_t length) {
  return strncmp(text, beginning, length) == 0;
}

/// Whether a list of libraries has the recorder.
bool has_recorder(const char* list) {
  const std::size_t length = strlen(own_path());
  for (const char* at = list; (at = strstr(at, own_path())) != nullptr; at += length) {
    const bool begins = at == list || strchr(": \t", at[-1]) != nullptr;
    if (begins && (at[length] == 0 || strchr(": \t", at[length]) != nullptr)) return true;
  }
  return false;
}

}  // namespace

void learn_environment() {
  const char* folder = getenv("HEAPSMITH_RECORD_DIR");
  const char* list = getenv("LD_PRELOAD");
  Dl_info own;
  if (folder == nullptr || list == nullptr || folder[0] != '/') return;
  if (dladdr(reinterpret_cast<void*>(&learn_environment), &own) == 0) return;
  if (strlen(own.dli_fname) + sizeof preload_name > sizeof own_preload) return;
  if (strlen(folder) + sizeof folder_name > sizeof own_folder) return;
  snprintf(own_preload, sizeof own_preload, "%s%s", preload_name, own.dli_fname);
  snprintf(own_folder, sizeof own_folder, "%s%s", folder_name, folder);
  if (!has_recorder(list)) own_preload[0] = 0;  // it was loaded in another way
}

preload look_at(char* const* environment) {
  if (own_preload[0] == 0) return preload::is_no_list;
  const char* list = nullptr;
  bool has_folder = false;
  std::size_t n = 0;
  for (; environment != nullptr && environment[n] != nullptr; ++n) {
    if (n == most_entries) return preload::is_no_list;
    if (begins_with(environment[n], preload_name, sizeof preload_name - 1))
      list = environment[n] + sizeof preload_name - 1;
    has_folder |= begins_with(environment[n], folder_name, sizeof folder_name - 1);
  }
  if (list != nullptr && has_recorder(list))
    return has_folder ? preload::is_kept : preload::was_cleared;
  if (!has_folder) return list == nullptr ? preload::was_cleared : preload::is_other;
  return list == nullptr ? preload::was_removed : preload::is_other;
}

bool is_library_there() {
  return own_preload[0] == 0 || access(own_path(), R_OK) == 0;
}

void add_recorder(char* const* from, new_environment& to) {
  std::size_t n = 0;
  const char* list = "";
  for (std::size_t i = 0; from != nullptr && from[i] != nullptr && i < most_entries; ++i) {
    if (begins_with(from[i], preload_name, sizeof preload_name - 1)) {
      list = from[i] + sizeof preload_name - 1;
    } else if (!begins_with(from[i], folder_name, sizeof folder_name - 1)) {
      to.entries[n++] = from[i];
    }
  }
  const std::size_t own = has_recorder(list) ? sizeof preload_name - 1 : strlen(own_preload);
  const bool fits = own + strlen(list) + 2 <= sizeof to.preloads;
  memcpy(to.preloads, own_preload, own);
  to.preloads[own] = 0;
  if (has_recorder(list) && fits) {
    memcpy(to.preloads + own, list, strlen(list) + 1);
  } else if (list[0] != 0 && fits) {
    to.preloads[own] = ':';
    memcpy(to.preloads + own + 1, list, strlen(list) + 1);
  }
  to.entries[n++] = to.preloads;
  to.entries[n++] = own_folder;
  to.entries[n] = nullptr;
}

void remove_recorder(char* const* from, new_environment& to) {
  std::size_t n = 0, length = 0;
  for (; *from != nullptr && n < most_entries; ++from) {
    if (!begins_with(*from, preload_name, sizeof preload_name - 1)) {
      to.entries[n++] = *from;
      continue;
    }
    const char* list = *from + sizeof preload_name - 1;
    if (strlen(*from) >= sizeof to.preloads) continue;
    for (std::size_t bytes; *(list += strspn(list, ": \t")) != 0; list += bytes) {
      bytes = strcspn(list, ": \t");
      if (bytes == strlen(own_path()) && begins_with(list, own_path(), bytes)) continue;
      const char* const before = length == 0 ? preload_name : ":";
      length += static_cast<std::size_t>(snprintf(to.preloads + length, sizeof to.preloads - length,
                                                  "%s%.*s", before, static_cast<int>(bytes), list));
    }
  }
  if (length != 0) to.entries[n++] = to.preloads;
  to.entries[n] = nullptr;
}

}  // namespace heapsmith::recorder
