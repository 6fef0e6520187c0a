// Contenders new-glibc and new-heapsmith: operator new, over the malloc of the process.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <memory>
#include <new>
#include <span>
#include <string>

#include "support/report.hpp"

namespace bench {

/// The file whose malloc serves this process.
inline std::string malloc_library() {
  Dl_info found{};
  expect(dladdr(dlsym(RTLD_DEFAULT, "malloc"), &found) != 0, "nobody serves malloc");
  return found.dli_fname;
}

struct plain_new {
  /// The memory of containers. Some contenders use the buffer.
  class memory {
   public:
    explicit memory(std::span<std::byte>) {}
    template <class T>
    std::allocator<T> of() {
      return {};
    }
  };

  /// Blocks for all threads.
  class blocks {
   public:
    void* allocate(std::size_t bytes) { return ::operator new(bytes); }
    void deallocate(void* block, std::size_t bytes) { ::operator delete(block, bytes); }
  };

  /// Single objects, which all end together.
  class objects {
   public:
    explicit objects(std::span<std::byte>) {}
    template <class T>
    [[gnu::always_inline]] T* make(std::uint32_t number) {
      return new T(number);
    }
    template <class T>
    void end(std::span<T*> all) {
      for (T* each : all) delete each;
    }
  };
};

struct new_glibc : plain_new {
  static constexpr const char* name = "new-glibc";

  static std::string version() {
    expect(malloc_library().find("libc.so") != std::string::npos, "malloc is not glibc's");
    return gnu_get_libc_version();
  }
};

struct new_heapsmith : plain_new {
  static constexpr const char* name = "new-heapsmith";

  static std::string version() {
    expect(malloc_library().find("heapsmith") != std::string::npos, "malloc is not heapsmith's");
    auto* const version = reinterpret_cast<const char* (*)()>(dlsym(RTLD_DEFAULT, "hs_version"));
    return version == nullptr ? "preloaded" : version();
  }
};

}  // namespace bench
