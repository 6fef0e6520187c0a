// The C API of offset regions, in bytes. It checks arguments, and detects blocks that are not live.
#define HEAPSMITH_BUILDING
#include "heapsmith/offset_region.h"

#include <bit>

#include "adapt/stats.hpp"
#include "base/extremes.hpp"
#include "base/units.hpp"
#include "os/libc.hpp"
#include "os/misuse.hpp"
#include "region/offset_engine.hpp"

namespace offsets = heapsmith::offsets;
using offsets::engine;

static_assert(sizeof(engine) <= HS_OFFSET_REGION_BYTES && alignof(engine) <= 64);
static_assert(sizeof(offsets::node) == HS_OFFSET_REGION_NODE_BYTES);
static_assert(offsets::node_table::pieces_max == HS_OFFSET_REGION_PIECES);

namespace {

constexpr uint64_t granularity_max = uint64_t{1} << 31;  // so that a node's waste has 32 bits

engine& of(hs_offset_region* r) {
  return *reinterpret_cast<engine*>(r->opaque);
}
const engine& of(const hs_offset_region* r) {
  return *reinterpret_cast<const engine*>(r->opaque);
}

uint64_t bytes_of(const engine& e, uint64_t units) {
  return units << e.unit_shift();
}

hs_offset_block block_of(const engine& e, offsets::node_number i) {
  return {bytes_of(e, e.at(i).offset), i, e.at(i).generation};
}

bool is_live(const engine& e, hs_offset_block b) {
  return e.is_live(b.node, b.generation) && block_of(e, b.node).offset == b.offset;
}

void require_live(const engine& e, hs_offset_block b, const char* call) {
  if (!is_live(e, b)) [[unlikely]]
    heapsmith::os::abort_misuse(call,
                                reinterpret_cast<const void*>(static_cast<uintptr_t>(b.offset)),
                                "is not a live block: it was deallocated before, or never was one");
}

bool is_table(const void* table, size_t bytes, size_t nodes) {
  return table != nullptr && reinterpret_cast<uintptr_t>(table) % alignof(offsets::node) == 0 &&
         bytes / sizeof(offsets::node) >= nodes;
}

}  // namespace

extern "C" {

int hs_offset_region_init(hs_offset_region* region, uint64_t size, uint64_t granularity,
                          void* table, size_t table_bytes) {
  if (!heapsmith::is_power_of_two(granularity) || granularity > granularity_max ||
      size < granularity || size > INT64_MAX || !is_table(table, table_bytes, 2))
    return EINVAL;
  if (!of(region).is_empty()) return EBUSY;
  const auto shift = static_cast<unsigned>(std::countr_zero(granularity));
  of(region).init(size >> shift, shift, table, table_bytes);
  return 0;
}

int hs_offset_region_add_table(hs_offset_region* region, void* table, size_t table_bytes) {
  if (of(region).is_empty() || !is_table(table, table_bytes, 1)) return EINVAL;
  return of(region).add_table(table, table_bytes) ? 0 : ENOSPC;
}

int hs_offset_region_grow(hs_offset_region* region, uint64_t size) {
  engine& e = of(region);
  if (e.is_empty() || size > INT64_MAX || size >> e.unit_shift() < e.total()) return EINVAL;
  return e.grow(size >> e.unit_shift()) ? 0 : ENOBUFS;
}

hs_offset_block hs_offset_region_allocate(hs_offset_region* region, uint64_t bytes,
                                          uint64_t align) {
  engine& e = of(region);
  if (!heapsmith::is_power_of_two(align))
    return heapsmith::os::set_error(EINVAL), hs_offset_block{};
  if (e.is_empty()) return heapsmith::os::set_error(ENOMEM), hs_offset_block{};
  const offsets::allocation a =
      e.allocate(bytes, heapsmith::larger_of<uint64_t>(align >> e.unit_shift(), 1));
  if (a.number != 0) return block_of(e, a.number);
  heapsmith::os::set_error(a.result == offsets::outcome::no_node ? ENOBUFS : ENOMEM);
  return {};
}

void hs_offset_region_deallocate(hs_offset_region* region, hs_offset_block block) {
  if (block.node == 0) return;
  require_live(of(region), block, "offset_region_deallocate");
  of(region).deallocate(block.node);
}

int hs_offset_region_try_expand(hs_offset_region* region, hs_offset_block block, uint64_t bytes) {
  require_live(of(region), block, "offset_region_try_expand");
  switch (of(region).try_expand(block.node, bytes)) {
    case offsets::outcome::done:
      return 0;
    case offsets::outcome::no_node:
      return ENOBUFS;
    default:
      return ENOMEM;
  }
}

uint64_t hs_offset_region_size_of(const hs_offset_region* region, hs_offset_block block) {
  require_live(of(region), block, "offset_region_size_of");
  return bytes_of(of(region), of(region).units_of(block.node));
}

int hs_offset_region_owns(const hs_offset_region* region, hs_offset_block block) {
  return is_live(of(region), block);
}

void hs_offset_region_reset(hs_offset_region* region) {
  if (!of(region).is_empty()) of(region).reset();
}

void hs_offset_region_destroy(hs_offset_region* region) {
  memset(region, 0, sizeof *region);
}

int hs_offset_region_stats(const hs_offset_region* region, hs_offset_region_statistics* out) {
  if (!heapsmith::surface::can_take_stats(out)) return EINVAL;
  const engine& e = of(region);
  hs_offset_region_statistics all = {};
  if (!e.is_empty()) {
    const offsets::stats& s = e.measure();
    all.blocks = s.blocks;
    all.free_blocks = s.free_blocks;
    all.failed_requests = s.failed;
    all.nodes = e.nodes().count();
    all.nodes_in_use = e.nodes().taken();
    all.total_bytes = bytes_of(e, e.total());
    all.in_use_bytes = bytes_of(e, s.in_use);
    all.available_bytes = bytes_of(e, e.total() - s.in_use);
    all.largest_free_bytes = bytes_of(e, e.largest_free());
    all.waste_bytes = s.waste_bytes;
    all.peak_bytes = bytes_of(e, s.peak);
  }
  return heapsmith::surface::give_stats(all, out);
}

void hs_offset_region_for_each_block(const hs_offset_region* region,
                                     void (*visit)(void*, const hs_offset_region_view*),
                                     void* context) {
  const engine& e = of(region);
  if (e.is_empty()) return;
  for (auto i = e.at(engine::end).after; i != engine::end; i = e.at(i).after) {
    const hs_offset_region_view view = {block_of(e, i), bytes_of(e, e.units_of(i)), !e.is_free(i)};
    visit(context, &view);
  }
}

int hs_offset_region_check(const hs_offset_region* region) {
  return of(region).is_empty() ? 0 : static_cast<int>(of(region).check());
}

const char* hs_offset_region_invariant(int broken) {
  return offsets::name_of(static_cast<offsets::invariant>(broken));
}

}  // extern "C"
