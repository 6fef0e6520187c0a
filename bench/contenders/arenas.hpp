// heapsmith's contenders arena, inline_arena, scope and pool-on-arena, each over its own memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "heapsmith/allocator.hpp"
#include "heapsmith/arena.hpp"
#include "heapsmith/heapsmith.h"
#include "heapsmith/inline_arena.hpp"
#include "heapsmith/pool_resource.hpp"
#include "heapsmith/scope.hpp"

namespace bench {

struct arena {
  static constexpr const char* name = "arena";
  static std::string version() { return hs_version(); }

  /// Over operator new, as in a program that does not configure the arena.
  class memory {
   public:
    explicit memory(std::span<std::byte>) {}
    template <class T>
    heapsmith::resource_allocator<T, heapsmith::arena<>> of() {
      return arena_;
    }
    /// The memory stays for the next list.
    void renew() { arena_.reset(); }

   private:
    heapsmith::arena<> arena_;
  };

  /// Objects without destructors, on the buffer.
  class objects {
   public:
    explicit objects(std::span<std::byte> buffer) : arena_(buffer.data(), buffer.size()) {}
    template <class T>
    [[gnu::always_inline]] T* make(std::uint32_t number) {
      static_assert(std::is_trivially_destructible_v<T>);
      return ::new (arena_.allocate(sizeof(T), alignof(T))) T(number);
    }
    template <class T>
    void end(std::span<T*>) {
      arena_.reset();
    }

   private:
    heapsmith::arena<> arena_;
  };
};

/// On the stack, and large enough for the workload.
struct inline_arena {
  static constexpr const char* name = "inline_arena";
  static std::string version() { return hs_version(); }

  class memory {
   public:
    explicit memory(std::span<std::byte>) {}
    template <class T>
    heapsmith::resource_allocator<T, heapsmith::arena<>> of() {
      return arena_;
    }

   private:
    heapsmith::inline_arena<1024> arena_;
  };
};

/// A pool, which reuses blocks; its pieces come from an arena.
struct pool_on_arena {
  static constexpr const char* name = "pool";
  static std::string version() { return hs_version(); }

  class memory {
    using arena = heapsmith::arena<>;
    using pool = heapsmith::unsynchronized_pool<arena>;

   public:
    explicit memory(std::span<std::byte>) : pool_(arena_) {}
    template <class T>
    heapsmith::resource_allocator<T, pool> of() {
      return pool_;
    }
    void renew() {
      pool_.release();
      arena_.reset();
    }

   private:
    arena arena_;
    pool pool_;
  };
};

struct scope {
  static constexpr const char* name = "scope";
  static std::string version() { return hs_version(); }

  /// A scope is always open on the arena; ending the objects opens the next one.
  class objects {
   public:
    explicit objects(std::span<std::byte> buffer)
        : arena_(buffer.data(), buffer.size()), scope_(std::in_place, arena_) {}
    template <class T>
    [[gnu::always_inline]] T* make(std::uint32_t number) {
      return &scope_->make<T>(number);
    }
    template <class T>
    void end(std::span<T*>) {
      scope_.reset();
      scope_.emplace(arena_);
    }

   private:
    heapsmith::arena<> arena_;
    std::optional<heapsmith::scope<>> scope_;
  };
};

}  // namespace bench
