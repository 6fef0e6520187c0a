"""The heap: its slices with their records, its slabs, the heaps of threads, and direct maps."""

from dataclasses import dataclass

from .debugger import constant, read
from .layout import Fields, number, plain
from .library import MAIN_RANGE, the_library
from .problem import Problem
from .threads import ThreadHeaps

U32 = 1 << 32


@dataclass
class Slice:
    """The record of the first slice of a span that is taken."""

    address: int       # of the slice
    record: int        # address of the record
    kind: str          # slab or large
    slices: int
    account: int       # of its first-class heap; 0: the process's heap
    data: bytes        # of the record


class Slab:
    """A slab, as its record says."""

    def __init__(self, heap, first):
        def field(name):
            return heap.slab.get(first.data, 0, name)

        self.heap, self.first = heap, first
        self.address, self.account = first.address, first.account
        self.start, self.free = field("start"), field("free")
        self.carved, self.capacity = field("carved"), field("capacity")
        self.owner, self.class_index = field("owner"), field("size_class")
        self.block_bytes = heap.block_bytes(self.class_index)
        word = field("remote")
        self.waiting = word // heap.count_one % heap.count_one
        self.first_waiting = word % heap.count_one * 16 if self.waiting else None
        self.disowned = bool(word & heap.disowned_bit)
        counted = (field("countdown") + field("later")) % U32
        held = min(counted, self.carved) if self.owner else self.carved
        self.in_use = held - min(held, self.waiting)  # with the blocks that are on their way home

    def index_of(self, address):
        return (address - self.start) // self.block_bytes

    def block(self, index):
        return self.start + index * self.block_bytes

    def links(self, first, most):
        """The addresses of a list of blocks. Ends at a link that leads out of the slab."""
        end = self.block(self.capacity)
        while most > 0 and self.start <= first < end:
            yield first
            first = int.from_bytes(read(first, 8), "little")
            most -= 1


class Heap:
    def __init__(self):
        self.library = library = the_library()
        main = library.value(MAIN_RANGE)
        self.slice_bytes = constant(main.type, "bytes_of_slice")
        self.record = Fields(main["records"].type.target())
        self.threads = ThreadHeaps(library)
        self.threads.add_subs(self.first_class_heaps())
        slab_type = library.value("heapsmith::no_slab").type
        self.slab = Fields(slab_type)
        self.sub_heap_bit = constant(slab_type, "bit_of_sub_heaps")
        self.vanished = constant(slab_type, "token_of_vanished")
        remote = slab_type["remote"].type
        self.count_one = constant(remote, "count_one")
        self.disowned_bit = constant(remote, "disowned_bit")
        self.kinds = {f.enumval: f.name.rpartition("::")[2]
                      for f in slab_type["kind"].type.strip_typedefs().fields()}
        self.classes = library.value("heapsmith::class_table")["_M_elems"]
        self.class_count = self.classes.type.strip_typedefs().range()[1] + 1
        self.bytes_of_class = [int(self.classes[c]["bytes"]) for c in range(self.class_count)]
        self.ranges = list(self.find_ranges(main))
        self.state = library.value("heapsmith::spans::all")

    def block_bytes(self, class_index):
        if class_index >= self.class_count:
            raise Problem(f"a record is damaged: it has class {class_index}")
        return self.bytes_of_class[class_index]

    def find_ranges(self, main):
        yield main
        further = self.library.value("heapsmith::spans::further_ranges")
        count = number(self.library.value("heapsmith::spans::range_count"))
        for k in range(1, count):
            yield further[k - 1]

    def records(self, r):
        """The records of a range, and the addresses of the first record and the first slice."""
        n, at = number(r["slices"]), int(r["records"])
        return (read(at, n * self.record.size) if n else b""), at, int(r["base"])

    def spans(self):
        """Every span that is taken."""
        for r in self.ranges:
            data, at, base = self.records(r)
            for offset in range(0, len(data), self.record.size):
                kind = self.kinds.get(self.slab.get(data, offset, "kind"), "damaged")
                if kind in ("slab", "large"):
                    yield self.slice_at(data, offset, at, base, kind)

    def slice_at(self, data, offset, at, base, kind):
        index = offset // self.record.size
        return Slice(base + index * self.slice_bytes, at + offset, kind,
                     self.record.get(data, offset, "slices"),
                     self.record.get(data, offset, "account"),
                     data[offset:offset + self.record.size])

    def slabs(self):
        return (Slab(self, s) for s in self.spans() if s.kind == "slab")

    def find(self, address):
        """The span that has an address; a Slice of kind "free" for a free slice; None outside."""
        for r in self.ranges:
            data, at, base = self.records(r)
            index = (address - base) // self.slice_bytes
            if not 0 <= index < len(data) // self.record.size:
                continue
            for i in range(index, -1, -1):  # back to the first slice of the span
                offset = i * self.record.size
                kind = self.kinds.get(self.slab.get(data, offset, "kind"), "damaged")
                if kind in ("none", "interior"):
                    continue
                found = self.slice_at(data, offset, at, base, kind)
                if index < i + found.slices:
                    return found
                break
            return Slice(base + index * self.slice_bytes, at + index * self.record.size, "free", 1,
                         0, b"")
        return None

    def is_for_signal_handlers(self, address):
        """Whether an address lies in the memory that serves calls which interrupt the heap."""
        name = "heapsmith::emergency::(anonymous namespace)::pieces"
        piece = plain(self.library.value(name))
        while int(piece):
            if int(piece) <= address < int(piece) + int(piece["bytes"]):
                return True
            piece = piece["next"]
        return False

    def direct_maps(self):
        """(start, bytes, account) of each direct map."""
        table = self.library.value("heapsmith::spans::(anonymous namespace)::table")
        fields = Fields(table["entries"].type.target())
        capacity = int(table["capacity"])
        data = read(int(table["entries"]), capacity * fields.size) if capacity else b""
        for at in range(0, len(data), fields.size):
            start, length = fields.get(data, at, "start"), fields.get(data, at, "bytes")
            if start and length:
                yield start, length, fields.get(data, at, "holder")

    def first_class_heaps(self):
        """(address, value) of each first-class heap that has not ended."""
        name = "heapsmith::(anonymous namespace)::all_first_class"
        heap = plain(self.library.value(name))
        while int(heap):
            if int(heap["id"]) != 2**64 - 1:
                yield int(heap), heap.dereference()
            heap = heap["next"]

    def state_of(self, slab, address):
        """Whether the block of a slab at an address is in use, and where it waits otherwise."""
        if slab.index_of(address) >= slab.carved:
            return "free: never handed out since the slab was set up"
        if address in slab.links(slab.free, slab.capacity):
            return "free: in the slab's list"
        if slab.first_waiting is not None:
            first = slab.start + slab.first_waiting
            if address in slab.links(first, slab.waiting):
                return "free: freed by another thread, waits for the slab's owner"
        keeper = self.threads.keeper_of(address)
        return f"free: {keeper}" if keeper else "in use"
