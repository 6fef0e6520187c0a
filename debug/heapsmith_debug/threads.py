"""Heaps of threads, the threads they belong to, and the blocks that they carry."""

from .debugger import read, thread_names
from .layout import number, plain


class ThreadHeap:
    def __init__(self, value, names):
        self.value, self.address = value, int(value.address)
        self.token = number(value["token"])
        owner = number(value["thread"]) if int(value["account"]) else self.token
        self.name_of_thread = names.get(owner, "no thread")
        self.account = int(value["account"])
        self.is_orphan = bool(value["is_orphan"])
        self.is_busy = bool(value["busy"])

    def name(self):
        return self.name_of_thread

    def carried(self):
        """(first block, why the thread has it) of each list of freed blocks of other threads."""
        outgoing = self.value["outgoing"]
        if int(self.value["outgoing_count"]):
            for i in range(outgoing.type.strip_typedefs().range()[1] + 1):
                if int(outgoing[i]["to"]):
                    yield int(outgoing[i]["first"]), "on its way home to the slab"
        borrowed = self.value["borrowed"]
        for i in range(1, borrowed.type.strip_typedefs().range()[1] + 1):
            if int(borrowed[i]["first"]):
                yield int(borrowed[i]["first"]), "which keeps it for its own next request"


MOST_CARRIED = 4096  # no list is so long; a damaged one may be a ring


def chain(first):
    """The blocks of a list. Its last block has no link."""
    for _ in range(MOST_CARRIED):
        if not first:
            return
        yield first
        first = int.from_bytes(read(first, 8), "little")


class ThreadHeaps:
    def __init__(self, library):
        self.library = library
        self.names = thread_names()
        self.heaps = list(self.walk(plain(library.value("heapsmith::all_heaps"))))

    def walk(self, heap):
        while int(heap):
            yield ThreadHeap(heap.dereference(), self.names)
            heap = heap["next"]

    def add_subs(self, first_class):
        for _, heap in first_class:
            self.heaps += self.walk(plain(heap["subs"]))

    def owner_of(self, token):
        return next((h for h in self.heaps if h.token == token), None)

    def carried(self):
        """Each freed block that a thread carries, and how."""
        for heap in self.heaps:
            for first, why in heap.carried():
                for block in chain(first):
                    yield block, f"freed by {heap.name()}, {why}"

    def keeper_of(self, address):
        return next((how for block, how in self.carried() if block == address), None)
