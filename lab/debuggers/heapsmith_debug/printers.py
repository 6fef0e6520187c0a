"""Printers of handles, pools, arenas and containers."""

from .debugger import at, constant
from .pools import Pool, base_named, short_name


class Handle:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        bits = int(self.value["bits_"])
        kind = base_named(self.value.type, "heapsmith::detail::handle_parts")
        of_index, of_generation = constant(kind, "index_bits"), constant(kind, "generation_bits")
        pool = bits >> of_index + of_generation
        if pool == 0:
            return "handle of no row"
        generation = bits >> of_index & (1 << of_generation) - 1
        return f"handle of row {bits & (1 << of_index) - 1}, generation {generation}, pool {pool}"


class Rows:
    """A pool, with a child for each live row, named by its index."""

    def __init__(self, value):
        self.pool, self.name = Pool(value), short_name(value.type)

    def to_string(self):
        where = " in columns" if self.pool.is_columns else ""
        return f"{self.name} of {len(self.pool)} rows{where}, room for {self.pool.capacity()}"

    def children(self):
        if self.pool.is_columns:
            return iter(())
        return ((f"[{index}]", row) for index, row in self.pool.rows())


class InlinePool:
    def __init__(self, value):
        self.value, kind = value, value.type.strip_typedefs()
        self.row_type = kind.template_argument(0)
        self.slots = value["slots_"]["_M_elems"]
        self.room = self.slots.type.strip_typedefs().range()[1] + 1

    def to_string(self):
        return f"inline_pool of {int(self.value['size_'])} rows, room for {self.room}"

    def children(self):
        words = self.value["live_"]["_M_elems"]
        for i in range(self.room):
            if int(words[i // 64]) >> i % 64 & 1:
                yield f"[{i}]", at(int(self.slots[i].address), self.row_type)


class Arena:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        pieces, front = self.value["pieces_"], self.value["front_"]
        room = int(front["position"]) and int(front["end"]) - int(front["position"])
        count, piece = 0, pieces["current_"]
        while int(piece):
            count, piece = count + 1, piece["older"]
        return (f"{short_name(self.value.type)} of {int(pieces['held_'])} bytes from upstream, "
                f"{count} pieces in use, {room} bytes left in the current one")


class Sequence:
    """A stack or a queue: the rows of its pool in order."""

    def __init__(self, value):
        self.pool, self.name = Pool(value["pool_"]), short_name(value.type)

    def to_string(self):
        return f"{self.name} of {len(self.pool)}"

    def children(self):
        return ((f"[{n}]", row) for n, (_, row) in enumerate(self.pool.rows()))


class List:
    """A list: the values from its root on. Other lists may share its cells."""

    def __init__(self, value):
        self.value, self.pool = value, Pool(value["pool_"])

    def values(self):
        index = int(self.pool.books["root"])
        for _ in range(len(self.pool)):
            if index == self.pool.modulus - 1:
                return
            node = self.pool.row(index)
            yield node["value"]
            index = int(node["hot"])

    def to_string(self):
        return f"list, {len(self.pool)} cells in its pool"

    def children(self):
        if self.pool.is_columns:
            return iter(())
        return ((f"[{n}]", value) for n, value in enumerate(self.values()))


class Ordered:
    """A set or a map, in the order of its keys."""

    def __init__(self, value):
        self.value, self.tree, self.name = value, value["tree_"], short_name(value.type)
        self.pool = Pool(self.tree["pool_"])
        self.nil = self.pool.modulus - 1 >> 2  # tree_links::none

    def to_string(self):
        size = int(self.tree["added_"]) - int(self.tree["erased_"])
        return f"{self.name} of {size}"

    def nodes(self):
        above, index = [], int(self.pool.books["root"])
        while above or index != self.nil:
            if index != self.nil:
                above.append(index)
                index = int(self.links(index)[0])
                continue
            index = above.pop()
            yield self.pool.row(index)
            index = int(self.links(index)[1])

    def links(self, index):
        return self.pool.row(index)["hot"]["links"]["child"]

    def children(self):
        if self.pool.is_columns:
            return
        for n, node in enumerate(self.nodes()):
            yield f"[{n}]", node["hot"]["key"]
            if self.name == "map":
                yield f"value[{n}]", node["value"]

    def display_hint(self):
        return "map" if self.name == "map" and not self.pool.is_columns else None


PRINTERS = (
    (r"handle", Handle),
    (r"pool|soa_pool", Rows),
    (r"inline_pool", InlinePool),
    (r"arena|inline_arena|fixed_arena", Arena),
    (r"stack|queue", Sequence),
    (r"list", List),
    (r"set|map", Ordered),
)
