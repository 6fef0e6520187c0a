// Claims blocks of this process's file: by its path, each time again, so that no descriptor stays
// open and a program may close all of its own; or from the reserve of a confined process.
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "record/confine.hpp"
#include "record/file.hpp"
#include "record/file_parts.hpp"
#include "record/reserve.hpp"

namespace heapsmith::recorder {
namespace {

/// Returns: a descriptor of the file, or -1.
int open_again() {
  return open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
}

block_header* begin_block(file_header& h, void* memory, std::uint32_t index) {
  auto* block = new (memory) block_header{};
  block->index = index;
  block->used.store(sizeof(block_header), relaxed);  // relaxed: read after the program's end
  block->magic = block_magic;
  // release: a reader counts no home that is not there, also if the program is killed here.
  h.homes.fetch_add(1, release);
  return block;
}

/// Returns: the file's next block, by its path, or null with errno.
block_header* claim_by_path(file_header& h) {
  const kernel_calls calls;
  if (!calls.may_open()) return nullptr;
  // relaxed: only the thread that gets a number uses the block.
  const std::uint32_t index = h.blocks.fetch_add(1, relaxed);
  const int fd = open_again();
  void* memory = fd < 0 ? nullptr : map_block(fd, index);
  const int error = errno;
  if (fd >= 0) close(fd);
  errno = error;
  return memory == nullptr ? nullptr : begin_block(h, memory, index);
}

bool write_at(int fd, const void* from, std::size_t bytes, off_t at) {
  return pwrite(fd, from, bytes, at) == static_cast<ssize_t>(bytes);
}

/// Effects: appends the copy, its events first: a reader takes no part of a copy for a block.
/// Returns: whether it was written; if not, errno says why.
bool append(const block_header& copy, const unsigned char* events, off_t at) {
  const kernel_calls calls;
  if (!calls.may_open()) return false;
  const int fd = open_again();
  if (fd < 0) return false;
  errno = ENOSPC;  // of a write that ended early
  const bool is_stored = may_reach(at) &&
                         write_at(fd, events, copy.used.load(relaxed) - sizeof copy,
                                  at + static_cast<off_t>(sizeof copy)) &&
                         write_at(fd, &copy, sizeof copy, at);
  const int error = errno;
  close(fd);
  errno = error;
  return is_stored;
}

/// Returns: whether a copy of the block was appended to the file. The block is then empty.
bool store_by_path(file_header& h, block_header* block) {
  const off_t at = place_of(h.blocks.fetch_add(1, relaxed));  // relaxed: as in claim_by_path()
  auto* const events = reinterpret_cast<unsigned char*>(block) + sizeof *block;
  const std::uint32_t used = block->used.load(relaxed);  // relaxed: this thread wrote it
  block_header copy = {};
  copy.magic = block_magic;
  copy.index = block->index;
  copy.used.store(used, relaxed);  // relaxed, both: nobody else has the copy
  copy.is_closed.store(1, relaxed);
  copy.checksum = checksum_of(events, used - sizeof *block);
  copy.copies = block->copies;
  if (!append(copy, events, at)) return false;
  // If the program is killed here, a reader finds both and leaves the older one out. release:
  // first the events are gone, then the number says that they lie elsewhere.
  block->used.store(sizeof(block_header), release);
  atomic_ref<std::uint64_t>(block->copies).store(copy.copies + 1, release);
  return true;
}

/// Returns: the next block of the reserve, or null with errno.
block_header* claim_reserved(file_header& h) {
  std::uint32_t index = 0;
  void* memory = claim_reserved(h, index);
  return memory == nullptr ? nullptr : begin_block(h, memory, index);
}

/// Returns: null, with the reason in the header.
block_header* no_block(file_header& h) {
  const int error = errno != 0 ? errno : ENOSPC;
  h.drop_errno.store(static_cast<std::uint32_t>(error), relaxed);  // relaxed: a number of its own
  return nullptr;
}

block_header* end_recording() {
  stop();
  return nullptr;
}

void close_in_place(block_header* block) {
  const std::uint32_t used = block->used.load(relaxed);  // relaxed: this thread wrote it
  block->checksum =
      checksum_of(reinterpret_cast<unsigned char*>(block) + sizeof *block, used - sizeof *block);
  block->is_closed.store(1, release);  // after the checksum, also if the program is killed here
}

}  // namespace

block_header* claim_block() {
  file_header& h = header();
  if (was_packed(h)) return end_recording();
  block_header* block = claim_by_path(h);
  // Another thread may have confined the process meanwhile.
  if (block == nullptr && is_confined_to(confinement::jailed)) block = claim_reserved(h);
  return block != nullptr ? block : no_block(h);
}

block_header* store_block(block_header* block) {
  file_header& h = header();
  if (was_packed(h)) return end_recording();
  if (!is_confined_to(confinement::jailed) && store_by_path(h, block)) return block;
  if (!is_confined_to(confinement::jailed)) return no_block(h);
  block_header* next = claim_reserved(h);
  if (next == nullptr) return no_block(h);
  close_block(block);
  return next;
}

void unmap_block(block_header* block) {
  // Behind a filter, the memory is left.
  if (!is_confined_to(confinement::filtered)) munmap(block, block_bytes);
}

void close_block(block_header* block) {
  close_in_place(block);
  unmap_block(block);
}

}  // namespace heapsmith::recorder
