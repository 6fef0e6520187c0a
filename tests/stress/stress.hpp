// Shared by the stress programs: seeds, blocks whose contents can be checked, rounds and their
// end.
//
// Environment: STRESS_SEED (default 1), STRESS_SCALE multiplies the work of a round (default 1),
// STRESS_SECONDS repeats rounds for that long, each with the next seed, and prints the RSS after
// each; see run_soak.
#pragma once

#include <cstddef>
#include <cstdint>

namespace stress {

/// A sequence of numbers determined by its seed (splitmix64).
class random {
 public:
  explicit random(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) {}

  std::uint64_t next();
  /// A number in [0, n).
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(next() % n); }
  bool one_in(std::size_t n) { return below(n) == 0; }
  /// Mostly small, some from multi-slice slabs, few large, very few direct maps.
  std::size_t size();

 private:
  std::uint64_t state_;
};

/// Lies at the start of every block: its length and a tag from which all of its bytes follow.
struct header {
  std::size_t bytes;
  std::uint64_t tag;
};

/// Fills a block of at least sizeof(header) bytes. Ends the process when it is not 16-aligned.
header* fill(void* p, std::size_t bytes, std::uint64_t tag);

/// Ends the process with a message unless every byte that fill() wrote is still there.
void check(const header* h);

/// The same for the part that survived a reallocation to `bytes`, then fills the block again.
header* check_and_refill(void* p, std::size_t old_bytes, std::uint64_t tag, std::size_t bytes);

/// A filled block from malloc, calloc (checked for zeroes), aligned_alloc or realloc(NULL);
/// null when the heap refuses.
header* make(random& r, std::size_t bytes);

/// Checks the block, then frees it, sized or not.
void destroy(header* h);

/// Fails the program: message, exit status 1, at once.
[[noreturn, gnu::format(printf, 1, 2)]] void fail(const char* format, ...);

/// Requires that nothing is in use and that a purge leaves no cache and at most `slab_bytes_left`
/// in slabs. To be called when no block is live and only this thread is left.
void require_empty(std::size_t slab_bytes_left);

std::size_t scaled(std::size_t work);

/// Runs rounds as the environment says; main() of every stress program.
int run(void (*round)(std::uint64_t seed));

}  // namespace stress
