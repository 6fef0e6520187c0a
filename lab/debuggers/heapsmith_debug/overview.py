"""info heapsmith: how much memory the heap has, who has it, and its slabs by class."""

import bisect
from collections import Counter

from .heap import Heap
from .layout import number


class Totals:
    """Sums over all spans. Blocks that threads carry are free, though their slabs miss them."""

    def __init__(self, heap):
        self.slices, self.slabs, self.blocks, self.room = Counter(), Counter(), Counter(), Counter()
        self.of_owner, starts, classes = Counter(), [], []
        for span in heap.spans():
            self.slices[span.kind] += span.slices
        for slab in heap.slabs():
            self.slabs[slab.class_index] += 1
            self.blocks[slab.class_index] += slab.in_use
            self.room[slab.class_index] += slab.capacity
            self.of_owner[slab.owner] += 1
            starts.append(slab.start)
            classes.append(slab.class_index)
        def by_class(blocks):
            return Counter(classes[bisect.bisect_right(starts, at) - 1] for at, _ in blocks)

        self.carried = by_class(heap.threads.carried())
        self.cached = by_class(heap.threads.cached())
        self.blocks -= self.carried + self.cached
        self.direct = list(heap.direct_maps())
        self.direct_bytes = sum(length for _, length, _ in self.direct)

    def bytes_of(self, heap, counts):
        return sum(n * heap.block_bytes(c) for c, n in counts.items())


def line(name, value, unit="bytes", more=""):
    print(f"  {name:<16} {value:>16} {unit}{more}")


def show(_argument):
    """Shows the memory of the heap, the heaps of threads, first-class heaps, and slabs by class."""
    heap = Heap()
    totals = Totals(heap)
    show_bytes(heap, totals)
    show_threads(heap, totals)
    show_first_class(heap)
    show_classes(heap, totals)


def show_bytes(heap, totals):
    slice_bytes, state = heap.slice_bytes, heap.state
    large = totals.slices["large"] * slice_bytes
    carried = totals.bytes_of(heap, totals.carried)
    cached = number(state["dirty"]) * slice_bytes
    slices = sum(number(r["slices"]) for r in heap.ranges)
    print(f"heapsmith, in {heap.library.filename}")
    line("in use", totals.bytes_of(heap, totals.blocks) + large + totals.direct_bytes)
    line("freed, carried", carried, more=", by threads that freed blocks of others")
    line("freed, cached", totals.bytes_of(heap, totals.cached), more=", by threads, or in the depot")
    line("slabs", totals.slices["slab"] * slice_bytes)
    line("large blocks", large)
    line("direct maps", totals.direct_bytes, more=f", {len(totals.direct)} maps")
    line("cached spans", cached)
    line("metadata", number(state["metadata"]) + slices * heap.record.size)
    line("committed", slices * slice_bytes)
    line("purged", number(state["numbers"]["purged_bytes"]),
         more=f", {number(state['numbers']['purges'])} purges")


def show_threads(heap, totals):
    own = [h for h in heap.threads.heaps if not h.account]
    print(f"heaps of threads: {len(own)}")
    for h in own:
        busy = ", in a slow path" if h.is_busy else ""
        print(f"  {h.address:#x}  {h.name()}, owns {totals.of_owner[h.token]} slabs{busy}")
    disowned = totals.of_owner[0]
    print(f"  slabs without an owner: {disowned}")


def show_first_class(heap):
    for address, value in heap.first_class_heaps():
        limit = int(value["limit"])
        print(f"first-class heap {address:#x}: holds {int(value['held'])} bytes, "
              f"peak {int(value['peak'])}, limit {limit if limit else 'none'}")


def show_classes(heap, totals):
    if totals.slabs:
        print("  block size     slabs    in use      free")
    for c in sorted(totals.slabs):
        free = totals.room[c] - totals.blocks[c]
        print(f"  {heap.block_bytes(c):>10} {totals.slabs[c]:>9} {totals.blocks[c]:>9} {free:>9}")
