// Memory in blocks: regions, pool resources, and malloc.
#pragma once

#include <malloc.h>

#include <algorithm>
#include <cstring>
#include <memory_resource>
#include <utility>

#include "growth/search/subject.hpp"
#include "heapsmith/concurrent_region.hpp"
#include "heapsmith/heap.hpp"
#include "heapsmith/offset_region.hpp"
#include "heapsmith/pool_resource.hpp"
#include "heapsmith/region.hpp"

namespace bench::search {

constexpr std::size_t wide_align = 4096, large_factor = 16;

// The most bytes of a block, and those of the next one.
inline std::size_t most_bytes(sizes s) {
  constexpr std::size_t most[] = {64, 256, 1024, 8192};
  return most[static_cast<std::size_t>(s)];
}
inline std::size_t draw_bytes(sizes s, random& draw) {
  switch (s) {
    case sizes::fixed:
      return 64;
    case sizes::small:
      return 1 + draw.below(256);
    case sizes::mixed:
      return draw.below(8) == 0 ? 1024 : 16 + draw.below(48);
    case sizes::wide:
      return std::size_t{16} << draw.below(10);
  }
  return 0;
}

// Blocks that carry their first and last byte. `Memory` gives and takes them.
template <class Memory>
class block_subject final : public subject {
 public:
  block_subject(const pattern& p, std::size_t n)
      : bytes_(p.bytes), memory_(n * (mean_bytes(p.bytes) + 24) + (std::size_t{1} << 20)) {}
  ~block_subject() override {
    while (!blocks_.empty()) erase(blocks_.size() - 1);
  }
  block_subject(const block_subject&) = delete;
  block_subject& operator=(const block_subject&) = delete;

  [[nodiscard]] std::size_t size() const override { return blocks_.size(); }

  void take(op o) override {
    if (blocks_.empty() && o != op::fail) o = op::add;
    switch (o) {
      case op::erase_any:
        return erase(draw_.below(blocks_.size()));
      case op::erase_old:
        return erase(0);
      case op::erase_young:
        return erase(blocks_.size() - 1);
      case op::add_large:
        return add(large_factor * most_bytes(bytes_), 16);
      case op::add_aligned:
        return add(draw_bytes(bytes_, draw_), wide_align);
      case op::grow:
        return grow(blocks_[draw_.below(blocks_.size())]);
      case op::fail:
        // More than all the memory that a region has.
        return expect(!memory_.is_bounded || memory_.take(memory_.bytes(), 16) == place{},
                      "more than everything was allocated");
      case op::squeeze:
        return squeeze();
      default:
        add(draw_bytes(bytes_, draw_), 16);
    }
  }

  void erase(std::size_t number) override {
    const block b = blocks_[number];
    expect(memory_.holds(b.at, b.bytes, b.mark), "a block was overwritten");
    memory_.give(b.at, b.bytes, b.align);
    blocks_[number] = blocks_.back();
    blocks_.pop_back();
  }

  [[nodiscard]] bool check() override {
    for (const block& b : blocks_)
      if (!memory_.holds(b.at, b.bytes, b.mark)) return false;
    return memory_.is_sound();
  }

 private:
  using place = typename Memory::place;
  struct block {
    place at;
    std::size_t bytes, align;
    unsigned char mark;
  };

  static std::size_t mean_bytes(sizes s) {
    constexpr std::size_t mean[] = {64, 128, 168, 1700};
    return mean[static_cast<std::size_t>(s)];
  }

  // A full region: old blocks go until there is room.
  void add(std::size_t bytes, std::size_t align) {
    place at = memory_.take(bytes, align);
    for (int tries = 0; at == place{} && !blocks_.empty() && tries < 64; ++tries) {
      erase(draw_.below(blocks_.size()));
      at = memory_.take(bytes, align);
    }
    if (at == place{}) return;
    blocks_.push_back({at, bytes, align, static_cast<unsigned char>(draw_())});
    memory_.mark(at, bytes, blocks_.back().mark);
  }
  void grow(block& b) {
    const std::size_t more = b.bytes + b.bytes / 4 + 16;
    if (!memory_.grow(b.at, b.bytes, more)) return;
    b.bytes = more;
    memory_.mark(b.at, more, b.mark);
  }
  // A large request in a full region frees one block at a time.
  void squeeze() {
    const std::size_t bytes = 4 * most_bytes(bytes_);
    place at = memory_.take(bytes, 16);
    if (at == place{}) return erase(draw_.below(blocks_.size()));
    memory_.give(at, bytes, 16);
    add(draw_bytes(bytes_, draw_), 16);
  }

  sizes bytes_;
  Memory memory_;
  std::vector<block> blocks_;
  random draw_{2};
};

// Marks that lie in the blocks.
struct marked_memory {
  using place = void*;
  static void mark(void* p, std::size_t bytes, unsigned char m) {
    static_cast<unsigned char*>(p)[0] = static_cast<unsigned char*>(p)[bytes - 1] = m;
  }
  static bool holds(const void* p, std::size_t bytes, unsigned char m) {
    const auto* const at = static_cast<const unsigned char*>(p);
    return at[0] == m && at[bytes - 1] == m;
  }
};

template <class Region>
class region_memory : public marked_memory {
 public:
  static constexpr bool is_bounded = true;
  explicit region_memory(std::size_t bytes) : buffer_(bytes), region_(buffer_.data(), bytes) {}
  [[nodiscard]] std::size_t bytes() const { return buffer_.size(); }
  void* take(std::size_t bytes, std::size_t align) { return region_.try_allocate(bytes, align); }
  void give(void* p, std::size_t bytes, std::size_t align) { region_.deallocate(p, bytes, align); }
  bool grow(void* p, std::size_t from, std::size_t to) { return region_.try_expand(p, from, to); }
  bool is_sound() { return region_.check() == 0; }

 private:
  std::vector<std::byte> buffer_;
  Region region_;
};

// Offsets: the marks lie beside them.
class offset_memory {
 public:
  using place = heapsmith::offset_block;
  static constexpr bool is_bounded = true;
  explicit offset_memory(std::size_t bytes) : bytes_(bytes), region_(bytes, 16) {}
  [[nodiscard]] std::size_t bytes() const { return bytes_ + 16; }
  place take(std::size_t bytes, std::size_t align) { return region_.allocate(bytes, align); }
  void give(place p, std::size_t, std::size_t) { region_.deallocate(p); }
  bool grow(place p, std::size_t, std::size_t to) { return region_.try_expand(p, to); }
  static void mark(place, std::size_t, unsigned char) {}
  static bool holds(place p, std::size_t, unsigned char) { return static_cast<bool>(p); }
  bool is_sound() { return region_.check() == 0; }

 private:
  std::size_t bytes_;
  heapsmith::offset_region<> region_;
};

template <class Resource>
class resource_memory : public marked_memory {
 public:
  static constexpr bool is_bounded = false;
  explicit resource_memory(std::size_t) {}
  static std::size_t bytes() { return 0; }
  void* take(std::size_t bytes, std::size_t align) { return from_.allocate(bytes, align); }
  void give(void* p, std::size_t bytes, std::size_t align) { from_.deallocate(p, bytes, align); }
  static bool grow(void*, std::size_t, std::size_t) { return false; }
  static bool is_sound() { return true; }

 private:
  Resource from_;
};

// glibc's malloc, with the room of a region, so that it refuses where that is full.
class malloc_memory : public marked_memory {
 public:
  static constexpr bool is_bounded = true;
  explicit malloc_memory(std::size_t bytes) : most_(bytes) {}
  [[nodiscard]] std::size_t bytes() const { return most_; }
  void* take(std::size_t bytes, std::size_t align) {
    if (used_ + bytes + 16 > most_) return nullptr;
    void* const p = align <= 16 ? std::malloc(bytes)
                                : std::aligned_alloc(align, (bytes + align - 1) / align * align);
    if (p != nullptr) used_ += malloc_usable_size(p) + 8;
    return p;
  }
  void give(void* p, std::size_t, std::size_t) {
    used_ -= malloc_usable_size(p) + 8;
    std::free(p);
  }
  static bool grow(void* p, std::size_t, std::size_t to) { return malloc_usable_size(p) >= to; }
  static bool is_sound() { return true; }

 private:
  std::size_t most_, used_ = 0;
};

}  // namespace bench::search
