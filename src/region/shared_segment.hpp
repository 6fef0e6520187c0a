// A segment of memory with a region in it, which several processes share.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/atomic.hpp"
#include "region/engine.hpp"
#include "region/robust_lock.hpp"
#include "region/shared_frame.hpp"

namespace heapsmith::regions {

inline constexpr std::uint32_t shared_version = 2;
inline constexpr unsigned shared_roots = 16;

/// How a segment is recognised, and its version. This layout never changes.
struct shared_identity {
  atomic<std::uint64_t> magic;  // written last by create(), which names its pair
  std::uint32_t version;        // of the layout of the control block
  std::uint32_t control;        // bytes of the control block
  std::uint64_t bytes;          // of the segment
  std::uint64_t check;          // a checksum of the three above
};

static_assert(sizeof(shared_identity) == shared_intent_at);

/**
 * The control block at the start of a segment. We store no addresses in it. Blocks follow it.
 *
 * The lock guards the engine. If its holder dies, the next one rebuilds the engine's index from the
 * headers, which form a chain at every instruction. Then it finishes or undoes what the dead holder
 * intended.
 */
class shared_segment {
 public:
  using shared_blocks = engine<shared_frame>;
  /// Returns: 0, or an error of hs_shared_region_create.
  static int create(void* memory, std::size_t bytes);
  /// Returns: 0, or an error of hs_shared_region_attach. `is_alone`: no other process uses it.
  static int attach(void* memory, std::size_t bytes, bool is_alone);
  /// From now on no process can attach.
  void destroy();

  static constexpr std::size_t alignment = 64;

  [[nodiscard]] std::size_t bytes() const { return identity_.bytes; }
  [[nodiscard]] std::uint64_t recoveries() const { return recoveries_.load(relaxed); }
  [[nodiscard]] atomic<std::uint64_t>& root(unsigned i) { return roots_[i]; }

  /// Holds the lock while the object lives, unless error() is not 0.
  class holder {
   public:
    explicit holder(shared_segment& s) : segment_(s), claim_(s.lock_), error_(s.lock(claim_)) {}
    ~holder() {
      if (error_ == 0 && !robust_lock::is_forked(claim_)) segment_.unlock(claim_);
    }
    holder(const holder&) = delete;
    holder& operator=(const holder&) = delete;
    [[nodiscard]] int error() const { return error_; }
    /// A function of the user is about to run. A process that it forks does not hold the lock.
    void expect_fork() { robust_lock::note_process(claim_); }

   private:
    shared_segment& segment_;
    robust_lock::claim claim_;
    int error_;
  };

  // These need the lock. Their intent holds until the lock is released.

  /// Returns: null if out of memory.
  /// Requires: `align` is a power of two, and the segment is mapped at a multiple of it.
  void* allocate(std::size_t align, std::size_t bytes);
  void deallocate(void* p);
  void reset();
  [[nodiscard]] shared_blocks& blocks() { return blocks_; }

  // Needs no lock, because the answer never changes.
  [[nodiscard]] bool owns(const void* p) const { return blocks_.owns(p); }

 private:
  shared_segment() = default;
  [[nodiscard]] static std::uint64_t check_of(const shared_identity& i);
  [[nodiscard]] static int identify(const void* memory, std::size_t bytes);
  [[nodiscard]] int lock(robust_lock::claim& c);
  void unlock(const robust_lock::claim& c);
  [[nodiscard]] bool recover();
  void finish_reset();
  [[nodiscard]] bool is_live(link l) const;

  [[nodiscard]] link link_to(const void* p) const {
    return reinterpret_cast<std::uintptr_t>(p) - reinterpret_cast<std::uintptr_t>(this);
  }
  [[nodiscard]] std::byte* address_of(link l) { return reinterpret_cast<std::byte*>(this) + l; }

  shared_identity identity_ = {};
  intent_word intent_;
  alignas(alignment) robust_lock lock_;
  atomic<std::uint64_t> recoveries_ = 0;            // a statistic: pairs with nothing
  atomic<std::uint64_t> roots_[shared_roots] = {};  // offsets; hs_shared_region_set_root pairs them
  alignas(alignment) shared_blocks blocks_;
};

}  // namespace heapsmith::regions
