// Offset regions in use: images in the heap of a GPU, and records in a file.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <new>
#include <random>
#include <string>
#include <vector>

#include "heapsmith/offset_region.hpp"

namespace heapsmith {
namespace {

/// The memory that an image needs: sizes and alignments as graphics drivers state them.
struct image {
  std::uint64_t bytes, align;
  offset_block memory;
};

TEST(OffsetRegionExamples, ImagesInTheHeapOfAGpu) {
  constexpr std::uint64_t vram = std::uint64_t{8} << 30, buffer_image_granularity = 1024;
  offset_region heap(vram, buffer_image_granularity);
  std::mt19937 random(7);
  std::vector<image> images;
  const auto load = [&] {
    const std::uint64_t side = std::uint64_t{64} << random() % 7;  // 64 … 4096, with mipmaps
    image i{side * side * 4 * 4 / 3, random() % 2 == 0 ? 65'536u : 4096u, {}};
    i.memory = heap.allocate(i.bytes, i.align);
    if (i.memory) images.push_back(i);
    return static_cast<bool>(i.memory);
  };
  while (load()) {
  }
  EXPECT_GT(heap.stats().in_use_bytes, vram / 100 * 98) << "little is lost between images";
  for (int frame = 0; frame < 5000; ++frame) {  // streaming: images are freed, and others allocated
    const std::size_t gone = random() % images.size();
    heap.deallocate(images[gone].memory);
    images[gone] = images.back();
    images.pop_back();
    load();
  }
  EXPECT_GT(heap.stats().in_use_bytes, vram / 100 * 70);
  for (const image& i : images) EXPECT_EQ(i.memory.offset % i.align, 0u);
  EXPECT_EQ(heap.check(), 0);
}

/// A file of records whose sizes change. Each is written at the offset of its block.
class record_file {
 public:
  record_file() : file_(std::tmpfile()) {}
  ~record_file() { std::fclose(file_); }
  record_file(const record_file&) = delete;
  record_file& operator=(const record_file&) = delete;

  void put(int key, const std::string& text) {
    record& r = records_[key];
    if (!r.place || !space_.try_expand(r.place, text.size())) {
      space_.deallocate(r.place);
      while (!(r.place = space_.allocate(text.size()))) ASSERT_TRUE(space_.grow(space_.size() * 2));
    }
    r.bytes = text.size();
    seek(r);
    ASSERT_EQ(std::fwrite(text.data(), 1, text.size(), file_), text.size());
  }

  [[nodiscard]] std::string get(int key) const {
    const record& r = records_.at(key);
    std::string text(r.bytes, '\0');
    seek(r);
    EXPECT_EQ(std::fread(text.data(), 1, text.size(), file_), text.size());
    return text;
  }

  void erase(int key) {
    space_.deallocate(records_.at(key).place);
    records_.erase(key);
  }

  [[nodiscard]] offset_region<>& space() { return space_; }

 private:
  struct record {
    offset_block place;
    std::size_t bytes;
  };
  void seek(const record& r) const {
    ASSERT_EQ(std::fseek(file_, static_cast<long>(r.place.offset), SEEK_SET), 0);
  }

  std::FILE* file_;
  offset_region<> space_{4096, 64};
  std::map<int, record> records_;
};

TEST(OffsetRegionExamples, RecordsInAFile) {
  record_file file;
  std::map<int, std::string> expected;
  std::mt19937 random(11);
  for (int step = 0; step < 5000; ++step) {
    const int key = static_cast<int>(random() % 300);
    if (random() % 4 == 0 && expected.contains(key)) {
      file.erase(key);
      expected.erase(key);
    } else {
      const std::string text(1 + random() % 2000, static_cast<char>('a' + step % 26));
      file.put(key, text);
      expected[key] = text;
    }
  }
  for (const auto& [key, text] : expected) EXPECT_EQ(file.get(key), text);
  EXPECT_EQ(file.space().check(), 0);
  EXPECT_LT(file.space().size(), 1 << 20);
}

/// An upstream that counts bytes, and fails on demand.
class counting {
 public:
  void* allocate(std::size_t bytes, std::size_t align) {
    void* p = try_allocate(bytes, align);
    if (p == nullptr) throw std::bad_alloc();
    return p;
  }
  void* try_allocate(std::size_t bytes, std::size_t) noexcept {
    if (left_ == 0) return nullptr;
    --left_;
    held_ += bytes;
    return std::malloc(bytes);
  }
  void deallocate(void* p, std::size_t bytes, std::size_t) noexcept {
    held_ -= bytes;
    std::free(p);
  }
  counting() = default;
  counting(const counting&) = delete;
  counting& operator=(const counting&) = delete;

  std::size_t held_ = 0;
  unsigned left_ = 2;
};

TEST(OffsetRegionExamples, TheTableComesFromAnUpstreamAndIsDeallocated) {
  counting upstream;
  {
    offset_region r(1'000'000, 1, upstream);
    EXPECT_EQ(upstream.held_, 0u) << "no memory is used before the first block";
    std::vector<offset_block> live;
    while (const offset_block b = r.allocate(1)) live.push_back(b);
    EXPECT_EQ(live.size(), 64u + 128 - 2) << "two pieces, except for the end and a free block";
    EXPECT_EQ(upstream.held_, (64u + 128) * 32);
    upstream.left_ = 1;
    live.push_back(r.allocate(1));
    EXPECT_TRUE(live.back()) << "works again once there is memory";
    EXPECT_EQ(r.check(), 0);
    for (const offset_block& b : live) r.deallocate(b);
    EXPECT_EQ(r.check(), 0);
    const offset_block old = r.allocate(10);
    r.reset();
    EXPECT_FALSE(r.owns(old)) << "reset ends all blocks";
    EXPECT_EQ(r.stats().available_bytes, 1'000'000u);
    EXPECT_EQ(upstream.held_, (64u + 128 + 256) * 32) << "and keeps the table";
    upstream.left_ = 0;
  }
  EXPECT_EQ(upstream.held_, 0u);
  offset_region none(1000, 1, upstream);
  EXPECT_FALSE(none.allocate(1));
  EXPECT_EQ(none.stats().available_bytes, 1000u);
}

}  // namespace
}  // namespace heapsmith
