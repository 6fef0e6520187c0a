// Workload limited: the address space is limited to 400 MiB, and 250 MiB are wanted after 200 MiB
// were freed.
//
// Idea: batch systems, build farms and web servers limit each job by RLIMIT_AS. A job that reads
// its input in parts, frees them and then sorts an index needs memory of the same size in another
// shape. An allocator that keeps the address space of freed blocks for blocks of their size makes
// such a job fail. The value `refused` is the number of requests that returned null.

#include <sys/resource.h>

#include "workload.hpp"

namespace {

constexpr std::size_t limit_bytes = std::size_t{400} << 20;
constexpr std::uint64_t parts_bytes = std::uint64_t{200} << 20;
constexpr std::uint32_t index_bytes = 250 << 20;
constexpr std::uint32_t smallest_part = 1000;
constexpr double jobs = 4;

// Starts again under the limit, so that the allocator begins its life with it.
void limit_address_space(char** argv) {
  rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur == limit_bytes) return;
  limit.rlim_cur = limit_bytes;
  if (setrlimit(RLIMIT_AS, &limit) != 0) lab::fail("cannot limit the address space");
  execv("/proc/self/exe", argv);
  lab::fail("cannot start again");
}

}  // namespace

int main(int argc, char** argv) {
  const auto options = lab::parse_options(argc, argv);
  limit_address_space(argv);
  std::uint64_t sum = 0, refused = 0;
  for (std::uint64_t job = 0; job < options.scaled(jobs); ++job) {
    lab::random_source random(job);
    std::vector<lab::ended_block> parts;
    for (std::uint64_t held = 0; held < parts_bytes; held += parts.back().size) {
      // From blocks of slabs to large ones.
      const std::uint32_t kind = smallest_part << random.below(10);
      const std::uint32_t size = kind + random.below(kind);
      void* const data = std::malloc(size);
      if (data == nullptr) {
        ++refused;
        break;
      }
      parts.push_back(lab::ended_block::seal_at(data, size, random.word()));
    }
    for (const auto& each : parts) sum += each.retire();
    std::vector<lab::ended_block>().swap(parts);
    void* const index = std::malloc(index_bytes);
    refused += index == nullptr;
    if (index != nullptr) lab::ended_block::seal_at(index, index_bytes, job).retire();
  }
  std::printf("value refused %llu\n", static_cast<unsigned long long>(refused));
  return lab::finish(sum);
}
