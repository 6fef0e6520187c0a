// Contenders pmr-… and boost-…: the polymorphic resources of the standard library and of Boost,
// which have equal interfaces under different names.
#pragma once

#include <boost/container/pmr/monotonic_buffer_resource.hpp>
#include <boost/container/pmr/polymorphic_allocator.hpp>
#include <boost/container/pmr/synchronized_pool_resource.hpp>
#include <boost/container/pmr/unsynchronized_pool_resource.hpp>
#include <boost/version.hpp>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <new>
#include <span>
#include <string>

namespace bench {

struct standard_library {
  static std::string version() { return "libstdc++-" + std::to_string(_GLIBCXX_RELEASE); }
  template <class T>
  using allocator = std::pmr::polymorphic_allocator<T>;
  using monotonic = std::pmr::monotonic_buffer_resource;
  using pool = std::pmr::unsynchronized_pool_resource;
  using shared_pool = std::pmr::synchronized_pool_resource;
  static constexpr const char* monotonic_name = "pmr-monotonic";
  static constexpr const char* pool_name = "pmr-unsync-pool";
  static constexpr const char* shared_pool_name = "pmr-sync-pool";
};

struct boost_container {
  static std::string version() {
    return std::to_string(BOOST_VERSION / 100000) + "." +
           std::to_string(BOOST_VERSION / 100 % 1000) + "." + std::to_string(BOOST_VERSION % 100);
  }
  template <class T>
  using allocator = boost::container::pmr::polymorphic_allocator<T>;
  using monotonic = boost::container::pmr::monotonic_buffer_resource;
  using pool = boost::container::pmr::unsynchronized_pool_resource;
  using shared_pool = boost::container::pmr::synchronized_pool_resource;
  static constexpr const char* monotonic_name = "boost-monotonic";
  static constexpr const char* pool_name = "boost-unsync-pool";
  static constexpr const char* shared_pool_name = "boost-sync-pool";
};

/// Over operator new; with `OnBuffer` over the buffer on the stack of the caller.
template <class Library, bool OnBuffer = false>
struct monotonic {
  static constexpr const char* name = Library::monotonic_name;
  static std::string version() { return Library::version(); }

  class memory {
   public:
    explicit memory(std::span<std::byte>)
      requires(!OnBuffer)
    {}
    explicit memory(std::span<std::byte>)
      requires OnBuffer
        : resource_(storage_, sizeof storage_) {}
    template <class T>
    typename Library::template allocator<T> of() {
      return &resource_;
    }

   private:
    alignas(std::max_align_t) std::byte storage_[OnBuffer ? 1024 : 1];
    typename Library::monotonic resource_;
  };

  /// Objects without destructors, on the buffer.
  class objects {
   public:
    explicit objects(std::span<std::byte> buffer) : resource_(buffer.data(), buffer.size()) {}
    template <class T>
    [[gnu::always_inline]] T* make(std::uint32_t number) {
      static_assert(std::is_trivially_destructible_v<T>);
      return ::new (resource_.allocate(sizeof(T), alignof(T))) T(number);
    }
    template <class T>
    void end(std::span<T*>) {
      resource_.release();
    }

   private:
    typename Library::monotonic resource_;
  };
};

/// A pool over a monotonic resource, for one list.
template <class Library>
struct pool_on_monotonic {
  static constexpr const char* name = Library::pool_name;
  static std::string version() { return Library::version(); }

  class memory {
   public:
    explicit memory(std::span<std::byte>) : pool_(&monotonic_) {}
    template <class T>
    typename Library::template allocator<T> of() {
      return &pool_;
    }

   private:
    typename Library::monotonic monotonic_;
    typename Library::pool pool_;
  };
};

/// Blocks from a pool over operator new.
template <class Library, class Pool>
struct pool_blocks {
  static std::string version() { return Library::version(); }

  class blocks {
   public:
    void* allocate(std::size_t bytes) { return pool_.allocate(bytes); }
    void deallocate(void* block, std::size_t bytes) { pool_.deallocate(block, bytes); }

   private:
    Pool pool_;
  };
};

template <class Library>
struct unsync_pool : pool_blocks<Library, typename Library::pool> {
  static constexpr const char* name = Library::pool_name;
};

template <class Library>
struct sync_pool : pool_blocks<Library, typename Library::shared_pool> {
  static constexpr const char* name = Library::shared_pool_name;
};

}  // namespace bench
