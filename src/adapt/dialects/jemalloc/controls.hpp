// The names that mallctl knows, by subject. docs/dialects.md lists them with their meaning.
#pragma once

#include <span>

#include "adapt/dialects/jemalloc/access.hpp"

namespace heapsmith::jemalloc {

std::span<const control> constant_controls();    // version, config.*, opt.*
std::span<const control> statistics_controls();  // epoch, stats.*
std::span<const control> arena_controls();       // arena.*, arenas.*, thread.*, background_thread

}  // namespace heapsmith::jemalloc
