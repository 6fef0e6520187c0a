"""Fields of the library's objects, found by name in its debug information."""

from .debugger import STRUCT


def plain(value):
    """The number or pointer in a std::atomic, or the value itself."""
    kind = value.type.strip_typedefs()
    while kind.code == STRUCT:
        fields = [f for f in kind.fields() if hasattr(f, "bitpos") and not f.is_base_class]
        bases = [f for f in kind.fields() if f.is_base_class]
        value = value[(fields or bases)[0]]
        kind = value.type.strip_typedefs()
    return value


def number(value):
    return int(plain(value))


class Fields:
    """Where the fields of a structure lie, for arrays that are read at once."""

    def __init__(self, kind):
        kind = kind.strip_typedefs()
        self.kind, self.size, self.places = kind, kind.sizeof, {}
        for field in kind.fields():
            if hasattr(field, "bitpos") and field.name:
                self.places[field.name] = (field.bitpos // 8, field.type.sizeof)

    def get(self, data, at, name):
        """A field as an unsigned number, in an object at an offset into data."""
        offset, length = self.places[name]
        return int.from_bytes(data[at + offset:at + offset + length], "little")
