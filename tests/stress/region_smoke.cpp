// 4,000,000 random steps in a region of 512 MiB, with contents checked throughout: by one thread on
// region, or by ten on concurrent_region.
//
// usage: stress_region_smoke alone|together [STEPS]
// Environment: REGION_SMOKE_STEPS goes before STEPS; and that of all stress programs (stress.hpp).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <memory>
#include <string_view>
#include <thread>
#include <vector>

#include "heapsmith/concurrent_region.hpp"
#include "heapsmith/region.hpp"
#include "region_smoke.hpp"
#include "stress.hpp"

namespace {

constexpr std::size_t buffer_bytes = std::size_t{512} << 20;
constexpr std::size_t threads = 10;

std::size_t steps_asked = 4'000'000;

std::size_t all_steps() {
  return stress::scaled(steps_asked);
}

/// When all is freed, the region is one free block again.
template <class R>
void require_whole(R& region, std::size_t largest) {
  if (const int broken = region.check()) stress::fail("invariant %d is broken", broken);
  const heapsmith::region_stats s = region.stats();
  if (s.in_use_bytes != 0)
    stress::fail("%zu bytes are in use, though all is freed", s.in_use_bytes);
  const std::size_t now = region.defragment();
  if (now != largest) stress::fail("the largest request was %zu bytes, and is %zu", largest, now);
}

void require_work(std::size_t allocated, std::size_t refused, std::size_t steps) {
  if (allocated < steps / 4) stress::fail("only %zu blocks in %zu steps", allocated, steps);
  if (steps >= 1'000'000 && refused == 0) stress::fail("the buffer was never full");
}

void alone(std::uint64_t seed) {
  const stress::mapped_buffer buffer(buffer_bytes);
  heapsmith::region region(buffer.at(), buffer.bytes());
  const std::size_t largest = region.defragment();
  stress::smoke<heapsmith::region> smoke(region, seed);
  smoke.run(all_steps());
  if (const int broken = region.check()) stress::fail("invariant %d is broken", broken);
  smoke.finish();
  require_whole(region, largest);
  require_work(smoke.allocated(), smoke.refused(), all_steps());
}

void together(std::uint64_t seed) {
  const stress::mapped_buffer buffer(buffer_bytes);
  const auto region = std::make_unique<heapsmith::concurrent_region>(buffer.at(), buffer.bytes());
  const std::size_t largest = region->defragment();
  using share = stress::smoke<heapsmith::concurrent_region>;
  std::vector<share> shares;
  for (std::size_t t = 0; t < threads; ++t) shares.emplace_back(*region, seed * threads + t);
  std::vector<std::thread> crowd;
  for (share& s : shares) crowd.emplace_back([&s] { s.run(all_steps() / threads); });
  for (std::thread& t : crowd) t.join();
  if (const int broken = region->check()) stress::fail("invariant %d is broken", broken);
  // Each frees what its neighbour made, so that caches hold the blocks of others.
  crowd.clear();
  for (std::size_t t = 0; t < threads; ++t)
    crowd.emplace_back([&s = shares[(t + 1) % threads]] { s.finish(); });
  for (std::thread& t : crowd) t.join();
  require_whole(*region, largest);
  std::size_t allocated = 0, refused = 0;
  for (const share& s : shares) allocated += s.allocated(), refused += s.refused();
  require_work(allocated, refused, all_steps());
}

}  // namespace

int main(int argc, char** argv) {
  const char* steps = getenv("REGION_SMOKE_STEPS");
  if (steps == nullptr && argc == 3) steps = argv[2];
  if (steps != nullptr) steps_asked = strtoull(steps, nullptr, 10);
  const std::string_view how = argc > 1 ? argv[1] : "";
  if (steps_asked != 0 && how == "alone") return stress::run(alone);
  if (steps_asked != 0 && how == "together") return stress::run(together);
  fputs("usage: stress_region_smoke alone|together [STEPS]\n", stderr);
  return 2;
}
