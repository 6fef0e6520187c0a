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
constexpr std::size_t smallest_step = 4 * 1024, largest_step = 64 * 1024;

class buffer {
 public:
  buffer() = default;
  buffer(const buffer&) = delete;
  buffer& operator=(const buffer&) = delete;
  ~buffer() { std::free(data_); }

  // Each step begins with its own place, and ends with the length before it.
  void grow(std::size_t step) {
    void* const moved = std::realloc(data_, size_ + step);
    if (moved == nullptr) lab::fail("realloc returned no block");
    data_ = static_cast<unsigned char*>(moved);
    if (size_ != 0 && word_at(size_ - 8) != last_) lab::fail("a buffer changed when it grew");
    for (std::size_t at = 0; at + 8 <= step; at += 4096) put(size_ + at, size_ + at);
    last_ = size_;
    size_ += step;
    put(size_ - 8, last_);
  }

  std::uint64_t verify() const {
    if (size_ != 0 && (word_at(0) != 0 || word_at(size_ - 8) != last_))
      lab::fail("a buffer changed");
    return size_;
  }

 private:
  void put(std::size_t at, std::uint64_t value) { std::memcpy(data_ + at, &value, sizeof value); }
  std::uint64_t word_at(std::size_t at) const {
    std::uint64_t value;
    std::memcpy(&value, data_ + at, sizeof value);
    return value;
  }

  unsigned char* data_ = nullptr;
  std::size_t size_ = 0;
  std::uint64_t last_ = 0;
};

struct task {
  explicit task(unsigned number) : random(number) {}

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
