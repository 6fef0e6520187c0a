// The cases of a region over memory: what it must do, compared with the contents of every block.
#pragma once

#include "kinds.hpp"
#include "suite.hpp"

extern "C" void* memset(void* at, int value, std::size_t bytes);

inline constexpr std::size_t memory_bytes = 65536;
alignas(16) inline unsigned char memory[memory_bytes];

/// A block that is live, filled with one value.
struct live_block {
  unsigned char* p;
  std::size_t bytes;
  unsigned char mark;

  void fill() const { memset(p, mark, bytes); }
  [[nodiscard]] bool is_intact(std::size_t n) const {
    for (std::size_t i = 0; i < n; ++i)
      if (p[i] != mark) return false;
    return true;
  }
};

template <class Kind>
struct region_cases {
  static inline typename Kind::control region;

  /// A region over the first `bytes` of the memory, from `shift` on.
  static void start(std::size_t bytes, std::size_t shift = 0) {
    memset(&region, 0, sizeof region);
    EXPECT(Kind::init(&region, memory + shift, bytes) == 0);
  }
  static unsigned char* block(std::size_t bytes) {
    auto* p = static_cast<unsigned char*>(Kind::allocate(&region, bytes));
    EXPECT(p != nullptr);
    EXPECT(reinterpret_cast<std::uintptr_t>(p) % 16 == 0);
    return p;
  }
  static hs_region_statistics stats() {
    hs_region_statistics s;
    s.size = sizeof s;
    EXPECT(Kind::stats(&region, &s) == 0);
    return s;
  }

  static void every_size() {
    start(memory_bytes);
    static unsigned char* all[200];
    for (std::size_t i = 0; i < 200; ++i) {
      all[i] = block(i + 1);
      EXPECT(Kind::usable_size(&region, all[i]) >= i + 1);
      memset(all[i], static_cast<int>(i), i + 1);
    }
    EXPECT(Kind::check(&region) == 0);
    for (std::size_t i = 0; i < 200; ++i) {
      const live_block b = {all[i], i + 1, static_cast<unsigned char>(i)};
      EXPECT(b.is_intact(b.bytes));
      Kind::deallocate(&region, all[i]);
    }
    EXPECT(Kind::check(&region) == 0);
    EXPECT(Kind::defragment(&region) >= memory_bytes - 32);
    EXPECT(stats().blocks == 1 && stats().in_use_bytes == 0);
  }

  static void four_kilobytes() { random_steps(4096, 3, 300, 20'000); }
  static void many_sizes() { random_steps(memory_bytes - 7, 7, 9000, 20'000); }

  static void random_steps(std::size_t bytes, std::size_t shift, std::size_t most, int steps) {
    constexpr std::size_t slots = 60;
    static live_block live[slots];
    for (live_block& b : live) b = {};
    start(bytes, shift);
    std::size_t refused = 0, resized = 0;
    for (int step = 0; step < steps; ++step) {
      live_block& b = live[suite::random() % slots];
      const std::size_t n = 1 + suite::random() % (std::size_t{4} << suite::random() % 12) % most;
      unsigned char* p = b.p;
      const std::size_t kept = n < b.bytes ? n : b.bytes;
      const unsigned what = suite::random() % 8;
      if (p != nullptr) EXPECT(b.is_intact(b.bytes));
      if (p == nullptr) {
        const std::size_t align = what == 0 ? std::size_t{32} << suite::random() % 5 : 16;
        p = static_cast<unsigned char*>(align > 16 ? Kind::aligned(&region, align, n)
                                                   : Kind::allocate(&region, n));
        EXPECT(reinterpret_cast<std::uintptr_t>(p) % align == 0);
      } else if (what < 3) {
        p = static_cast<unsigned char*>(Kind::reallocate(&region, p, n));
        EXPECT(p == nullptr || live_block{p, n, b.mark}.is_intact(kept));
        resized += p != nullptr;
      } else if (what < 4) {
        if (Kind::try_expand(&region, p, n) != 0) p = nullptr;
        EXPECT(p != nullptr || n > b.bytes);
      } else {
        Kind::deallocate(&region, p);
        b = {};
        continue;
      }
      if (p == nullptr) {
        ++refused;
        continue;
      }
      b = {p, n, static_cast<unsigned char>(step)};
      b.fill();
      if (step % 16 == 0) EXPECT(Kind::check(&region) == 0);
    }
    EXPECT(refused > 0 && resized > 100);
    for (const live_block& b : live) {
      EXPECT(b.is_intact(b.bytes));
      Kind::deallocate(&region, b.p);
    }
    Kind::defragment(&region);
    EXPECT(Kind::check(&region) == 0);
    EXPECT(stats().blocks == 1 && stats().in_use_bytes == 0);
  }

  static void exhaustion() {
    start(4096);
    std::size_t count = 0;
    while (Kind::allocate(&region, 24) != nullptr) ++count;
    EXPECT(count == (4096 - 16) / 32);
    EXPECT(stats().failed_requests == 1);
    Kind::reset(&region);
    EXPECT(Kind::allocate(&region, 4096) == nullptr);
    EXPECT(Kind::allocate(&region, SIZE_MAX) == nullptr);
    EXPECT(Kind::allocate(&region, std::size_t{1} << 31) == nullptr);
    EXPECT(Kind::aligned(&region, std::size_t{1} << 31, 100) == nullptr);
    EXPECT(Kind::allocate(&region, 4096 - 24) != nullptr);
    EXPECT(Kind::check(&region) == 0);
  }

  static void zeroed() {
    memset(memory, 0xa5, memory_bytes);
    start(4096);
    const live_block b = {static_cast<unsigned char*>(Kind::zeroed(&region, 30, 10)), 300, 0};
    EXPECT(b.p != nullptr && b.is_intact(300));
    EXPECT(Kind::zeroed(&region, std::size_t{1} << 20, std::size_t{1} << 20) == nullptr);
  }

  static void alignments() {
    start(memory_bytes);
    for (std::size_t align = 1; align <= 8192; align *= 2) {
      void* const p = Kind::aligned(&region, align, 100);
      EXPECT(p != nullptr && reinterpret_cast<std::uintptr_t>(p) % align == 0);
    }
    EXPECT(Kind::aligned(&region, 48, 100) == nullptr);
    EXPECT(Kind::check(&region) == 0);
  }

  /// The only room for the larger block is its own and that in front of it, so the two overlap.
  static void moving_down() {
    start(4096);
    unsigned char* const front = block(600);
    const live_block b = {block(2000), 2000, 77};
    while (Kind::allocate(&region, 8) != nullptr) {
    }
    for (std::size_t i = 0; i < b.bytes; ++i) b.p[i] = static_cast<unsigned char>(i * 7 / 5);
    Kind::deallocate(&region, front);
    auto* const p = static_cast<unsigned char*>(Kind::reallocate(&region, b.p, 2400));
    EXPECT(p == front);
    if (p != nullptr)
      for (std::size_t i = 0; i < b.bytes; ++i)
        EXPECT(p[i] == static_cast<unsigned char>(i * 7 / 5));
    EXPECT(Kind::check(&region) == 0);
  }

  static void buffers() {
    start(1000);
    EXPECT(Kind::init(&region, memory + 5000, 1000) == 16);
    EXPECT(Kind::add_memory(&region, memory + 500, 1000) == 22);
    EXPECT(Kind::add_memory(&region, nullptr, 1000) == 22);
    EXPECT(Kind::add_memory(&region, memory + 2000, 1000) == 0);
    EXPECT(stats().buffers == 2);
    EXPECT(Kind::allocate(&region, 1500) == nullptr);
    EXPECT(Kind::add_memory(&region, memory + 1000, 1000) == 0);
    EXPECT(stats().buffers == 1);
    EXPECT(Kind::allocate(&region, 2900) != nullptr);
    EXPECT(Kind::owns(&region, memory + 100) == 1 && Kind::owns(&region, memory + 3000) == 0);
    EXPECT(Kind::check(&region) == 0);
    Kind::destroy(&region);
    EXPECT(Kind::init(&region, memory, 10) == 22);
  }

  static void surveys() {
    start(4096);
    void* const p = block(100);
    block(1000);
    Kind::deallocate(&region, p);
    hs_region_survey s;
    s.size = sizeof s;
    EXPECT(Kind::survey(&region, &s) == 0);
    EXPECT(s.blocks_in_use == 1 && s.deferred_blocks + s.free_blocks == 2);
    std::size_t bytes = 0;
    Kind::visit(
        &region,
        [](void* sum, const hs_region_block* b) {
          *static_cast<std::size_t*>(sum) += b->bytes + 8;
        },
        &bytes);
    EXPECT(bytes == 4096 - 16);
    Kind::limit_deferred(&region, 0);
    EXPECT(stats().deferred_bytes == 0);
  }

  /// The audit reads no further than the damage.
  static void damage() {
    start(4096);
    unsigned char* const p = block(100);
    block(100);
    EXPECT(Kind::check(&region) == 0);
    p[-8] ^= 0x40;
    EXPECT(Kind::check(&region) != 0);
    p[-8] ^= 0x40;
    EXPECT(Kind::check(&region) == 0);
    p[-1] ^= 0x01;
    EXPECT(Kind::check(&region) != 0);
  }

  // Misuse. The list of cases says which message each must cause.

  static void free_twice() {
    start(4096);
    unsigned char* const p = block(100);
    Kind::deallocate(&region, p);
    Kind::deallocate(&region, p);
  }
  static void free_large_twice() {
    start(memory_bytes);
    unsigned char* const p = block(20'000);
    block(100);
    Kind::deallocate(&region, p);
    Kind::deallocate(&region, p);
  }
  static void free_inside() {
    start(4096);
    Kind::deallocate(&region, block(100) + 16);
  }
  static void free_misaligned() {
    start(4096);
    Kind::deallocate(&region, block(100) + 1);
  }
  static void free_foreign() {
    start(4096);
    Kind::deallocate(&region, memory + 8192);
  }
  static void reallocate_freed() {
    start(4096);
    unsigned char* const p = block(300);
    Kind::deallocate(&region, p);
    static_cast<void>(Kind::reallocate(&region, p, 600));
  }
  static void write_behind() {
    start(memory_bytes);
    unsigned char* const p = block(3000);
    block(3000);
    memset(p + Kind::usable_size(&region, p), 0x41, 8);
    Kind::deallocate(&region, p);
  }
  static void write_after_free() {
    start(memory_bytes);
    unsigned char* const p = block(3000);
    unsigned char* const q = block(3000);
    const std::size_t usable = Kind::usable_size(&region, p);
    Kind::deallocate(&region, p);
    memset(p + usable - 8, 0x41, 8);
    Kind::deallocate(&region, q);
  }
};
