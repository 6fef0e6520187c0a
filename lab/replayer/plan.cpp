// Reads a plan piece by piece: a replay needs no more memory than one piece for each thread.
#include "plan.hpp"

#include <string.h>
#include <unistd.h>

namespace heapsmith::replayer {

void stream::begin(int file, std::uint64_t offset) {
  file_ = file;
  read(offset);
}

bool stream::next_piece() {
  std::uint64_t next;
  memcpy(&next, piece_, sizeof next);
  if (next == 0) return false;
  read(next);
  return true;
}

void stream::read(std::uint64_t offset) {
  const ssize_t n = pread(file_, piece_, piece_bytes, static_cast<off_t>(offset));
  if (n != static_cast<ssize_t>(piece_bytes)) {
    static const char text[] = "replayer: the plan ends early: make it again\n";
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    _exit(3);
  }
  at_ = piece_ + sizeof(std::uint64_t);
}

}  // namespace heapsmith::replayer
