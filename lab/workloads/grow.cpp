// Workload grow: documents grow record by record, several at a time, by realloc and as vectors.
//
// Idea: Vo, "Vmalloc: a general and efficient memory allocator", Software: Practice and Experience
// 1996, which judges allocators by resizing, too. Text buffers and parsers grow their data without
// knowing its final size. Their buffers grow in turns, so growth in place is sometimes possible.

#include <algorithm>
#include <memory>

#include "workload.hpp"

namespace {

constexpr unsigned alive_per_task = 6;
constexpr double words_per_task = 2400e3;

// Words in one realloc chain. Real programs grow in these three ways.
class realloc_chain {
 public:
  enum class growth { by_half, by_one_os_page, exactly };

  explicit realloc_chain(growth how) : how_(how) {}
  realloc_chain(const realloc_chain&) = delete;
  realloc_chain& operator=(const realloc_chain&) = delete;
  ~realloc_chain() { std::free(words_); }

  void append(const std::uint64_t* record, std::size_t count) {
    if (size_ + count > capacity_) make_room(size_ + count);
    std::copy_n(record, count, words_ + size_);
    size_ += count;
  }

  const std::uint64_t* begin() const { return words_; }
  const std::uint64_t* end() const { return words_ + size_; }

 private:
  void make_room(std::size_t needed) {
    switch (how_) {
      case growth::by_half:
        capacity_ = std::max(needed, capacity_ + capacity_ / 2);
        break;
      case growth::by_one_os_page:
        capacity_ = (needed + 511) / 512 * 512;
        break;
      case growth::exactly:
        capacity_ = needed;
        break;
    }
    void* moved = std::realloc(words_, capacity_ * sizeof(std::uint64_t));
    if (moved == nullptr) lab::fail("realloc returned no block");
    words_ = static_cast<std::uint64_t*>(moved);
  }

  const growth how_;
  std::uint64_t* words_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

// The document's seed determines word i, so the whole document can be verified at the end.
class document {
 public:
  explicit document(lab::random_source& random) : seed_(random.word() | 1) {
    const std::uint32_t way = random.below(8);
    if (way < 4) {
      target_ = length(random, 7, 19);  // 1 KiB to 4 MiB
    } else {
      using growth = realloc_chain::growth;
      const growth how = way < 6   ? growth::by_half
                         : way < 7 ? growth::by_one_os_page
                                   : growth::exactly;
      chain_ = std::make_unique<realloc_chain>(how);
      target_ = how == growth::by_half          ? length(random, 7, 19)
                : how == growth::by_one_os_page ? length(random, 7, 15)   // to 256 KiB
                                                : length(random, 4, 12);  // to 32 KiB
    }
  }

  // Returns the number of words added; 0 if the document is complete.
  std::size_t grow(lab::random_source& random) {
    std::uint64_t record[longest_record];
    const std::size_t count =
        std::min<std::size_t>(1 + random.below(longest_record), target_ - size_);
    for (std::size_t i = 0; i < count; ++i) record[i] = word(size_ + i);
    size_ += count;
    if (chain_) {
      chain_->append(record, count);
    } else {
      for (std::size_t i = 0; i < count; ++i) vector_.push_back(record[i]);
    }
    return count;
  }

  std::uint64_t verify() const {
    return chain_ ? verify(chain_->begin(), chain_->end())
                  : verify(vector_.data(), vector_.data() + vector_.size());
  }

 private:
  static constexpr std::uint32_t longest_record = 48;

  // A power of two between the given exponents, plus a random part: all magnitudes are equally
  // likely.
  static std::size_t length(lab::random_source& random, std::uint32_t from, std::uint32_t to) {
    const std::size_t power = std::size_t{1} << (from + random.below(to - from));
    return power + random.below(static_cast<std::uint32_t>(power));
  }

  std::uint64_t word(std::size_t i) const { return seed_ * (i + 1); }

  std::uint64_t verify(const std::uint64_t* begin, const std::uint64_t* end) const {
    if (static_cast<std::size_t>(end - begin) != size_) lab::fail("a document lost its end");
    std::uint64_t difference = 0;
    for (std::size_t i = 0; i < size_; ++i) difference |= begin[i] ^ word(i);
    if (difference != 0) lab::fail("a document changed while it grew");
    return lab::mix(end[-1]);
  }

  const std::uint64_t seed_;
  std::size_t target_ = 0;
  std::size_t size_ = 0;
  std::unique_ptr<realloc_chain> chain_;
  std::vector<std::uint64_t> vector_;
};

std::uint64_t run_task(unsigned number, std::uint64_t words) {
  lab::random_source random(number);
  std::unique_ptr<document> alive[alive_per_task];
  std::uint64_t sum = 0;
  for (std::uint64_t done = 0; done < words;) {
    auto& turn = alive[random.below(alive_per_task)];
    if (!turn) turn = std::make_unique<document>(random);
    const std::size_t added = turn->grow(random);
    done += added;
    if (added == 0) {
      sum += turn->verify();
      turn.reset();
    }
  }
  for (auto& each : alive) {
    if (each) sum += each->verify();
  }
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  const auto options = lab::parse_options(argc, argv);
  const std::uint64_t words = options.scaled(words_per_task);
  return lab::finish(lab::run_lanes(options.threads, [&](unsigned lane) {
    std::uint64_t sum = 0;
    for (unsigned n = lane; n < lab::task_count; n += options.threads) {
      sum += run_task(n, words);
    }
    return sum;
  }));
}
