// Writes the notes. It calls no function of libc that a process between vfork and exec must not.
#include "record/notes.hpp"

#include "record/clock.hpp"

namespace heapsmith::recorder {
namespace {

process_note* place_for(file_header& h, lack why) {
  auto* const all =
      reinterpret_cast<process_note*>(reinterpret_cast<unsigned char*>(&h) + notes_at);
  // relaxed, both: a number of its own
  if (why == lack::unknown) return all + h.plain_notes.fetch_add(1, relaxed) % plain_places;
  const std::uint32_t n = h.odd_notes.fetch_add(1, relaxed);
  return n < odd_places ? all + plain_places + n : nullptr;
}

}  // namespace

process_note* note_process(file_header* h, lack why, std::uint32_t pid, std::uint32_t error,
                           const char* program) {
  process_note* const note = h == nullptr ? nullptr : place_for(*h, why);
  if (note == nullptr) return nullptr;
  note->is_there.store(0, relaxed);  // relaxed: read after the program's end, or a killed one's
  note->pid = pid;
  note->tick = tick_now();
  note->why = why;
  note->error = error;
  std::size_t n = 0;
  for (; n + 1 < sizeof note->program && program[n] != 0; ++n) note->program[n] = program[n];
  note->program[n] = 0;
  note->is_there.store(1, release);  // a reader of a killed program's file finds the rest
  return note;
}

void forget_note(process_note* note) {
  if (note != nullptr) note->is_there.store(0, relaxed);  // relaxed: as in note_process()
}

}  // namespace heapsmith::recorder
