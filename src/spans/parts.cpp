// Which parts of the first range are advised. A huge page costs its 2 MiB at the first touch. So
// parts are advised only while the program fills its memory, as witnesses show: parts that are not
// advised, whose OS pages are counted after others have begun.
#include "spans/parts.hpp"

#include <string.h>

#include <algorithm>
#include <bit>

#include "spans/state.hpp"

namespace heapsmith::spans {

namespace {

/// Smaller heaps are not observed, so that small programs make no system calls for it.
constexpr std::size_t least_observed = slices_never_advised / 4;

/// So many witnesses in a row must be full before parts are advised.
constexpr unsigned believed = 2;
/// While parts are advised, one of so many is a witness.
constexpr std::size_t parts_for_each_witness = 16;
/// A witness is looked at when so many further spans have begun parts: what lies in it is filled by
/// then, if one thread fills it at once. It may take as many spans longer as there are threads.
constexpr unsigned first_look = 2, last_look = 64;

/// A sixteenth that stays empty is what huge pages may cost.
constexpr std::size_t share_empty = 16;

/// The kernel keeps a mapping for each stretch of parts that are advised or not, and by default a
/// process may have 65,530 mappings. No more borders than these are made.
constexpr std::size_t most_borders = 8192;

constexpr std::size_t no_part = SIZE_MAX;

struct {
  unsigned full = 0;                 // witnesses in a row, up to `believed`
  unsigned usual_look = first_look;  // when the last one was found full
  unsigned next_look = first_look;
  bool is_doubted = false;        // the witness was not full when that was usual
  unsigned spans_since = 0;       // that began parts, since the witness did
  std::size_t witness = no_part;  // or none
  std::size_t advised_since = 0;  // parts, since the last witness
  std::size_t borders = 0;
} constinit parts;

char* address_of_part(std::size_t part) {
  return reinterpret_cast<char*>(ranges[0].base) + part * os::huge_page_bytes;
}

char* end_of_part(char* p) {
  return p + os::huge_page_bytes - reinterpret_cast<std::uintptr_t>(p) % os::huge_page_bytes;
}

/// The bits of the slices of a part that are clean.
std::uint32_t clean_slices(std::size_t part) {
  return part_of(ranges[0].words[part / 2].clean, part);
}

bool is_fresh(std::size_t part) {
  return clean_slices(part) == UINT32_MAX;
}

/// Changes what the OS was told. Nothing changes if it refuses, or for lack of mappings.
void set_advised_locked(std::size_t part, bool to) {
  if (is_advised(part) == to) return;
  // To each neighbour there is a border now or afterwards.
  const std::size_t same = std::size_t{part != 0 && is_advised(part - 1) == to} +
                           std::size_t{is_advised(part + 1) == to};
  if (same == 0 && parts.borders + 2 > most_borders) return;
  std::size_t mapped = advised.mapped.load(relaxed);
  if (!map_on(advised.each, mapped, part + 1)) return;
  // release pairs with the acquire of is_advised().
  advised.mapped.store(mapped, release);
  if (!os::advise_huge_pages(address_of_part(part), os::huge_page_bytes, to)) return;
  advised.each[part].store(to, relaxed);
  parts.borders += 2 - 2 * same;
}

/// Whether the OS pages of a part are filled, but for a few.
bool is_full(std::size_t part) {
  const std::size_t pages = std::min(os::huge_page_bytes / os::page_bytes(), os::most_pages_asked);
  return os::pages_with_memory(address_of_part(part), pages) >= pages - pages / share_empty;
}

void end_witness_locked() {
  parts.witness = no_part;
  parts.is_doubted = false;
}

/// Looks at the witness: later and later, until it is full or had time enough. If it is not all in
/// use, it shows nothing. Complexity: few system calls for each witness.
void look_at_witness_locked() {
  if (parts.witness == no_part || ++parts.spans_since < parts.next_look) return;
  const std::size_t part = parts.witness;
  const bool is_in_use =
      (part + 1) * part_slices <= ranges[0].committed() && clean_slices(part) == 0;
  if (is_in_use && !is_full(part)) {
    parts.is_doubted = true;
    parts.next_look = 2 * parts.next_look;
    if (parts.next_look <= last_look) return;
    parts.full = 0;
    parts.usual_look = first_look;
  } else if (is_in_use) {
    parts.full = std::min(parts.full + 1, believed);
    parts.usual_look = parts.next_look;
  }
  end_witness_locked();
}

void begin_witness_locked(std::size_t part) {
  parts.witness = part;
  parts.next_look = parts.usual_look;
  parts.spans_since = 0;
  parts.advised_since = 0;
}

/// Whether the OS has huge pages to give, asked when the process starts: a file is read for it,
/// which a filter of system calls may forbid later. After the range, whose making reads the
/// settings.
[[gnu::constructor(102)]] void ask_for_offer() {
  const os::lock_guard guard(all.lock);
  if (parts_may_be_advised() && !os::huge_pages_are_offered())
    settings().huge_pages = huge_pages::as_the_kernel_says;
}

}  // namespace

void begin_parts_locked(const range& r, std::size_t first, std::size_t n, filling f) {
  if (!parts_may_be_advised() || &r != &main_range || r.committed() < least_observed) return;
  const std::size_t begin = first / part_slices;
  std::size_t end = (first + n - 1) / part_slices + 1;
  const bool is_sparse = f == filling::perhaps_sparse;
  if (is_sparse && parts.witness >= begin && parts.witness < end) end_witness_locked();
  while (end != begin && !is_fresh(end - 1)) --end;
  if (end == begin) return;
  if (!is_sparse) look_at_witness_locked();
  const bool fills = !is_sparse && parts.full == believed && !parts.is_doubted;
  // The last part: programs that ask for too much use the beginning.
  if (!is_sparse && parts.witness == no_part &&
      (!fills || parts.advised_since + (end - begin) >= parts_for_each_witness))
    begin_witness_locked(end - 1);
  for (std::size_t part = begin; part != end; ++part) {
    if (!is_fresh(part)) continue;
    const bool advise =
        fills && part >= slices_never_advised / part_slices && part != parts.witness;
    set_advised_locked(part, advise);
    parts.advised_since += advise;
  }
}

bool break_part_locked(std::size_t part) {
  set_advised_locked(part, false);
  if (is_advised(part)) return false;
  os::split_huge_page(address_of_part(part));
  // Slices that nobody took got memory with the others.
  for (std::uint32_t clean = clean_slices(part); clean != 0;) {
    const auto first = static_cast<unsigned>(std::countr_zero(clean));
    const auto n = static_cast<unsigned>(std::countr_one(clean >> first));
    os::decommit(address_of_part(part) + first * slice_bytes, n * slice_bytes);
    clean &= clean + (std::uint32_t{1} << first);
  }
  return true;
}

bool lies_on_advised(const char* p) {
  const std::size_t i = slice_of(ranges[0], p);
  return is_slice(ranges[0], i) && is_advised(i / part_slices);
}

void forget_contents(char* start, std::size_t bytes) {
  char* const end = start + bytes;
  while (start != end) {
    const bool on_advised = lies_on_advised(start);
    char* next = start;
    do next = std::min(end, end_of_part(next));
    while (next != end && !on_advised && !lies_on_advised(next));
    const auto n = static_cast<std::size_t>(next - start);
    if ((on_advised && n != os::huge_page_bytes) || !os::decommit(start, n)) {
      memset(start, 0, n);
    } else if (on_advised) {
      const os::lock_guard guard(all.lock);
      set_advised_locked(slice_of(ranges[0], start) / part_slices, false);
    }
    start = next;
  }
}

}  // namespace heapsmith::spans
