// The record of one slice: 128 bytes, out of band, found from an address by arithmetic.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heapsmith::spans {

struct account;

/// A record has room for the engine that took the slice and five fields of this layer. The room is
/// the engine's from take() to give(), and zero before the first; nothing here reads it. It covers
/// line 0, which the engine's fast path may have to itself, and half of line 1.
struct alignas(128) record {
  std::byte engine[96] = {};
  // In the first record of a span that is taken: its length, and how many slices behind it are left
  // for its growth. Those have no memory, and are neither free nor in use; 0 in every other record.
  // The spans' lock guards both.
  std::uint32_t slices = 0;
  std::uint32_t room = 0;
  // In the first record of a span that is held for an account: that account, and the neighbours in
  // its list. Null in every other record. The spans' lock guards them.
  spans::account* account = nullptr;
  record* account_next = nullptr;
  record* account_previous = nullptr;
};
static_assert(sizeof(record) == 128 && offsetof(record, slices) == 96 &&
              offsetof(record, room) == 100 && offsetof(record, account) == 104 &&
              offsetof(record, account_previous) == 120);

}  // namespace heapsmith::spans
