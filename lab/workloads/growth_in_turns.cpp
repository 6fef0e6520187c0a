// Workload growth-in-turns: buffers grow by small steps, in turns, until the end of the run.
//
// Idea: logs, columns and send buffers that are lengthened by what arrives, many at a time: Vo,
// "Vmalloc: a general and efficient memory allocator", Software: Practice and Experience 1996. None
// can grow where it is for long, as the next one begins behind it. An allocator that moves a buffer
// at each step copies bytes in the square of its length.

#include <memory>

#include "workload.hpp"

namespace {

constexpr unsigned buffers_per_task = 2;
constexpr double bytes_per_task = 250e3;
constexpr std::size_t smallest_step = 1024, largest_step = 16 * 1024;

class buffer {
 public:
  buffer() = default;
  buffer(const buffer&) = delete;
  buffer& operator=(const buffer&) = delete;
  ~buffer() { std::free(data_); }

  // Each word has its place in it, mixed with the buffer's seal.
  void grow(std::size_t step) {
    verify_word(size_ - 8);
    void* const moved = std::realloc(data_, size_ + step);
    if (moved == nullptr) lab::fail("realloc returned no block");
    data_ = static_cast<unsigned char*>(moved);
    verify_word(size_ - 8);
    for (std::size_t at = size_; at < size_ + step; at += 8) {
      const std::uint64_t word = seal + at;
      std::memcpy(data_ + at, &word, sizeof word);
    }
    size_ += step;
  }

  std::uint64_t verify() const {
    for (std::size_t at = 0; at < size_; at += 1024) verify_word(at);
    verify_word(size_ - 8);
    return size_;
  }

  std::uint64_t seal = 0;

 private:
  void verify_word(std::size_t at) const {
    if (size_ == 0) return;
    std::uint64_t word;
    std::memcpy(&word, data_ + at, sizeof word);
    if (word != seal + at) lab::fail("a buffer changed");
  }

  unsigned char* data_ = nullptr;
  std::size_t size_ = 0;
};

struct task {
  explicit task(unsigned number) : random(number) {
    for (buffer& each : buffers) each.seal = random.word();
  }

  void step() {
    const std::size_t bytes = smallest_step + random.below(largest_step - smallest_step) / 8 * 8;
    buffers[random.below(buffers_per_task)].grow(bytes);
    grown += bytes;
  }

  lab::random_source random;
  buffer buffers[buffers_per_task];
  std::uint64_t grown = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const auto options = lab::parse_options(argc, argv);
  const std::uint64_t bytes = options.scaled(bytes_per_task);
  return lab::finish(lab::run_lanes(options.threads, [&](unsigned lane) {
    std::vector<std::unique_ptr<task>> tasks;
    for (unsigned n = lane; n < lab::task_count; n += options.threads)
      tasks.push_back(std::make_unique<task>(n));
    for (bool more = true; more;) {
      more = false;
      for (auto& each : tasks)
        if (each->grown < bytes) {
          each->step();
          more = true;
        }
    }
    std::uint64_t sum = 0;
    for (auto& each : tasks)
      for (const buffer& one : each->buffers) sum += one.verify();
    return sum;
  }));
}
