"""Heaps of threads, the threads they belong to, and the blocks that they carry."""

import itertools

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
        if not self.account and not self.is_orphan and self.token == self.address:
            self.name_of_thread = "all threads"

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

    def cached(self):
        """The first block of each list of middle blocks that the thread caches."""
        lists = self.value["cached"]
        for i in range(lists.type.strip_typedefs().range()[1] + 1):
            yield int(lists[i])


MOST_CARRIED = 65536  # no list is so long; a damaged one may be a ring


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

    def cached(self):
        """Each freed middle block that waits in a thread's cache or in the depot, and where."""
        for heap in self.heaps:
            for first in heap.cached():
                for block in chain(first):
                    yield block, f"cached by {heap.name()}"
        depot = plain(self.library.value("heapsmith::the_depot"))
        if not int(depot):
            return
        of_class = depot.dereference()["of_"]
        for c in range(of_class.type.strip_typedefs().range()[1] + 1):
            for i in range(of_class[c].type.strip_typedefs().range()[1] + 1):
                for block in chain(int(plain(of_class[c][i]))):
                    yield block, "in the depot"

    def keeper_of(self, address):
        for block, how in itertools.chain(self.carried(), self.cached()):
            if block == address:
                return how
        return None
