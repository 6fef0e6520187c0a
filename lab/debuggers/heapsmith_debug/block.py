"""heapsmith block ADDRESS: the block at an address, or around it."""

from .debugger import evaluate
from .heap import Heap, Slab
from .problem import Problem

NEIGHBOURS = 2  # on each side


def show(argument):
    """Shows the block at an address: its slab, size, state, owner and neighbours.

Usage: heapsmith block ADDRESS"""
    if not argument.strip():
        raise Problem("heapsmith block needs an address")
    heap = Heap()
    address = evaluate(argument)
    span = heap.find(address)
    if span is None:
        show_outside(heap, address)
    elif span.kind == "free":
        print(f"{address:#x} lies in a free slice of heapsmith: no block is there")
    elif span.kind == "large":
        show_large(heap, span, address)
    else:
        show_small(heap, Slab(heap, span), address)


def show_outside(heap, address):
    for start, length, account in heap.direct_maps():
        if start <= address < start + length:
            print(f"{place(address, start)}: in use, {length} usable bytes, a direct map"
                  f"{heap_name(account)}")
            return
    if heap.is_for_signal_handlers(address):
        print(f"{address:#x} lies in the memory for signal handlers that interrupt the heap")
        return
    print(f"{address:#x} is foreign: heapsmith has no memory there")


def show_large(heap, span, address):
    length = span.slices * heap.slice_bytes
    print(f"{place(address, span.address)}: in use, {length} usable bytes, a large block"
          f"{heap_name(span.account)}")


def show_small(heap, slab, address):
    index = slab.index_of(address)
    if not 0 <= index < slab.capacity:
        print(f"{address:#x} lies behind the last block of the slab at {slab.address:#x}")
        return
    start = slab.block(index)
    print(f"{place(address, start)}: {heap.state_of(slab, start)}, {slab.block_bytes} usable bytes")
    print(f"  block {index} of {slab.capacity} in the slab at {slab.address:#x}, class "
          f"{slab.class_index}{heap_name(slab.account)}")
    print(f"  the slab has {slab.in_use} blocks in use or carried, {slab.carved} handed out so far, "
          f"{slab.waiting} waiting for its owner")
    print(f"  owner: {owner_name(heap, slab)}")
    for i in range(max(0, index - NEIGHBOURS), min(slab.capacity, index + NEIGHBOURS + 1)):
        mark = ">" if i == index else " "
        print(f"  {mark} {slab.block(i):#x}  {heap.state_of(slab, slab.block(i))}")


def owner_name(heap, slab):
    if slab.owner == 0:
        return "none, the slab is full" if slab.disowned else "none, the slab is kept empty"
    if slab.owner == heap.vanished:
        return "a thread that is not in this forked process"
    owner = heap.threads.owner_of(slab.owner)
    if owner is None:
        return f"a heap of token {slab.owner:#x}"
    kind = "sub-heap" if slab.owner & heap.sub_heap_bit else "heap"
    return f"the {kind} {owner.address:#x} of {owner.name()}"


def heap_name(account):
    return f", of the first-class heap {account:#x}" if account else ""


def place(address, start):
    if address == start:
        return f"{address:#x} is a block"
    return f"{address:#x} lies {address - start} bytes into the block at {start:#x}"
