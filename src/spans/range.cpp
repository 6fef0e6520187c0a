// Finding room for ranges and moving their frontier of mapped slices. docs/design/spans.md
#include "spans/range.hpp"

#include <algorithm>

#include "os/diagnose.hpp"
#include "os/os.hpp"
#include "spans/settings.hpp"

namespace heapsmith::spans {

constinit range main_range;
constinit range* further_ranges = nullptr;
constinit atomic<std::size_t> range_count{0};

namespace {

constexpr std::size_t usual_reserve = 256 * GiB;
constexpr std::size_t far_reserve = 1024 * GiB;
constexpr unsigned hole_attempts = 22;  // down to the least hole

constexpr std::size_t huge_page_slices = os::huge_page_bytes / slice_bytes;
/// Nobody asks for huge pages behind the first ones: small programs have little to gain.
constexpr std::size_t slices_on_small_pages = 16 * MiB / slice_bytes;

/// The room a range has to grow. The holes of the first attempts have it for free; where the kernel
/// has to be asked for one, less is asked for each time it refuses.
std::size_t hole_bytes(unsigned attempt, std::size_t least) {
  std::size_t most = settings().reserve_bytes;
  if (most == 0) most = attempt == 0 ? usual_reserve : far_reserve;
  return std::max(least, most >> (attempt < 4 ? 0 : attempt - 3));
}

/// Says once that the heap cannot grow although memory is left.
[[gnu::cold]] void warn_of_full_heap() {
  static constinit bool warned = false;
  if (warned) return;
  warned = true;
  std::size_t bytes = 0;
  for (std::size_t k = 0; k < max_ranges; ++k) bytes += ranges[k].capacity * slice_bytes;
  os::line()
      .add("heapsmith: the heap is full at ")
      .add_bytes(round_down(bytes, MiB))
      .add("; a larger HEAPSMITH_RESERVE allows more")
      .write();
}

/// Lays a range out in a hole and maps its first records, which shows that the hole is one.
bool lay_out(range& r, char* hole, std::size_t bytes) {
  const std::size_t page = os::page_bytes();
  const std::size_t n = bytes / slice_bytes;  // more than there will be: the arrays take some
  r.words = r.first_words;
  r.words_room = reinterpret_cast<free_word*>(hole);
  r.index_room = hole + round_up(words_for(n) * sizeof(free_word), page);
  r.records = reinterpret_cast<record*>(r.index_room + round_up(index_bytes(n), page));
  const std::size_t align = &r == &main_range ? os::huge_page_bytes : slice_bytes;
  r.base = round_up(reinterpret_cast<std::uintptr_t>(r.records + n), align);
  r.capacity = (reinterpret_cast<std::uintptr_t>(hole) + bytes - r.base) >> slice_shift;
  r.words_mapped = r.records_mapped = 0;
  return map_on(r.records, r.records_mapped, 1);
}

/// Makes room for the words of `n` slices: the first few move once.
bool map_words(range& r, std::size_t n) {
  if (words_for(n) <= range::few_words) return true;
  if (!map_on(r.words_room, r.words_mapped, words_for(n) * sizeof(free_word))) return false;
  if (r.words == r.first_words) {
    std::copy_n(r.first_words, range::few_words, r.words_room);
    r.words = r.words_room;
  }
  return true;
}

/// Maps the words, the index and the records of `n` slices.
bool describe(range& r, std::size_t n) {
  return map_words(r, n) && map_index_locked(r, n) &&
         map_on(r.records, r.records_mapped, n * sizeof(record));
}

/// Asks the OS for huge pages behind slices [from, end), which were just mapped, or refuses them.
void advise_slices(const range& r, std::size_t from, std::size_t end) {
  const huge_pages user = settings().huge_pages;
  if (user == huge_pages::as_the_kernel_says) return;
  const bool wanted = user == huge_pages::always;
  if (wanted) from = std::max(from, slices_on_small_pages);
  if (from < end)
    os::advise_huge_pages(r.address_of(r.records + from), (end - from) * slice_bytes, wanted);
}

}  // namespace

bool map_on(void* start, std::size_t& mapped, std::size_t bytes) {
  bytes = round_up(bytes, os::page_bytes());
  if (bytes <= mapped) return true;
  if (!os::map_at(static_cast<char*>(start) + mapped, bytes - mapped)) return false;
  mapped = bytes;
  if (mapped >= os::huge_page_bytes && settings().huge_pages == huge_pages::never)
    os::advise_huge_pages(start, mapped, false);
  return true;
}

range& numbered_ranges::numbered(std::size_t k) {
  return k == 0 ? main_range : further_ranges[k - 1];
}

record* find_anywhere(const void* p) {
  // acquire pairs with the release in add_range_locked(): a counted range is complete.
  const std::size_t n = range_count.load(acquire);
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t i = slice_of(ranges[k], p);
    if (is_slice(ranges[k], i)) return ranges[k].records + i;
  }
  return nullptr;
}

range& range_of(const record* r) {
  const std::size_t n = range_count.load(acquire);  // as in find_anywhere()
  for (std::size_t k = 1; k < n; ++k)
    if (r >= ranges[k].records && r < ranges[k].records + ranges[k].capacity) return ranges[k];
  return ranges[0];
}

std::size_t committed_slices() {
  std::size_t sum = 0;
  const std::size_t n = range_count.load(acquire);  // as in find_anywhere()
  for (std::size_t k = 0; k < n; ++k) sum += ranges[k].committed();
  return sum;
}

range* add_range_locked(std::size_t slices) {
  const std::size_t k = range_count.load(relaxed);  // only changed under the lock held here
  if (k == max_ranges) {
    warn_of_full_heap();
    return nullptr;
  }
  if (k == 1 && further_ranges == nullptr) {
    constexpr std::size_t bytes = (max_ranges - 1) * sizeof(range);  // zero: no range yet
    further_ranges =
        static_cast<range*>(os::map(round_up(bytes, os::page_bytes()), os::page_bytes()));
    if (further_ranges == nullptr) return nullptr;
  }
  const std::size_t least = std::max(least_reserve, 2 * slices * slice_bytes);
  for (unsigned attempt = 0; attempt < hole_attempts; ++attempt) {
    const std::size_t bytes = hole_bytes(attempt, least);
    auto* hole = static_cast<char*>(os::find_hole(bytes, slice_bytes, attempt));
    if (hole == nullptr || !lay_out(ranges[k], hole, bytes)) continue;
    // release pairs with find_anywhere(): the fields, and where they are, come before the count.
    range_count.store(k + 1, release);
    return &ranges[k];
  }
  return nullptr;
}

bool grow_range_locked(range& r, std::size_t slices) {
  const std::size_t have = r.committed();
  if (slices > r.capacity - have) return false;
  // By an eighth, so that the number of system calls stays logarithmic; at least 1 MiB.
  std::size_t step = std::max({slices, have / 8, std::size_t{1 * MiB / slice_bytes}});
  // To the end of a huge page: one that is asked for after its first touch comes too late.
  if (settings().huge_pages == huge_pages::always && have + step > slices_on_small_pages)
    step = round_up(have + step, huge_page_slices) - have;
  for (const std::size_t n : {std::min(step, r.capacity - have), slices}) {
    const std::size_t now = have + n;
    if (!describe(r, now) || !os::map_at(r.address_of(r.records + have), n * slice_bytes)) continue;
    advise_slices(r, have, now);
    change_words_locked(r, have, n, [](free_word& w, std::uint64_t mask) { w.clean |= mask; });
    note_run_locked(r, set_any, have, n);
    // release pairs with the walk over all records in watch/stats.cpp; a thread that looks a
    // pointer up got it from an allocation made after this.
    r.slices.store(now, release);
    return true;
  }
  return false;
}

}  // namespace heapsmith::spans
