"""Reads the rows of typed pools by the fields of their books."""

import re

from .debugger import at, constant, read


def base_named(kind, name):
    """The base class of a type whose name begins so, however deep."""
    kind = kind.strip_typedefs()
    for field in kind.fields():
        if field.is_base_class:
            found = field.type if field.type.strip_typedefs().name.startswith(name) else None
            found = found or base_named(field.type, name)
            if found is not None:
                return found
    return None


class Pool:
    """A heapsmith::pool, in one block or in pieces, with rows or columns."""

    def __init__(self, value):
        self.value = value
        self.books = value["books_"]
        live_slots = base_named(self.books.type, "heapsmith::detail::live_slots<")
        layout = live_slots.template_argument(0).strip_typedefs()
        self.reuses = bool(constant(live_slots, "reuses"))
        self.is_columns = "::rows_layout<" not in layout.name
        self.slots = self.books["slots"]
        first = self.books["first"]
        self.modulus = 1 << 8 * first.type.sizeof
        self.first, self.last = int(first), int(self.books["last"])
        self.window = (self.last - self.first) % self.modulus
        self.row_type = value.type.strip_typedefs().template_argument(0)
        self.in_pieces = "piece_slots<" in self.slots.type.strip_typedefs().name

    def __len__(self):
        return int(self.books["live"]) if self.reuses else self.window

    def capacity(self):
        if self.in_pieces:
            return int(self.slots["count_"]) << constant(self.slots.type, "shift")
        return int(self.slots["block_"]["capacity_"])

    def place(self, index):
        """The block that has a slot, and the slot's position in it."""
        if self.in_pieces:
            shift = constant(self.slots.type, "shift")
            distance = ((index >> shift) - int(self.slots["first_piece_"])) % (self.modulus >> shift)
            block = self.slots["directory_"][int(self.slots["offset_"]) + distance]
            return block, index % (1 << shift)
        block = self.slots["block_"]
        position = (index - int(self.slots["bias_"])) % self.modulus
        capacity = int(block["capacity_"])
        return block, position - capacity if position >= capacity else position  # of a ring

    def is_live(self, index):
        if not self.reuses:
            return True
        block, position = self.place(index)
        words = int(block["column_"][constant(block.type, "live_column")])
        word = int.from_bytes(read(words + position // 64 * 8, 8), "little")
        return bool(word >> position % 64 & 1)

    def row(self, index):
        block, position = self.place(index)
        start = int(block["column_"][0]) + position * constant(block.type, "row_bytes")
        return at(start, self.row_type)

    def indices(self):
        for n in range(self.window):
            index = (self.first + n) % self.modulus
            if self.is_live(index):
                yield index

    def rows(self):
        return ((index, self.row(index)) for index in self.indices())


def short_name(kind):
    """The name of a type without its arguments and namespaces."""
    return re.sub(r"<.*", "", kind.strip_typedefs().name).rpartition("::")[2]
