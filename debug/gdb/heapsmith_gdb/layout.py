"""Fields of the library's objects, found by name in its debug information."""

import gdb


class Problem(Exception):
    """Says in one line why something cannot be read."""


def plain(value):
    """The number or pointer in a std::atomic, or the value itself."""
    kind = value.type.strip_typedefs()
    while kind.code == gdb.TYPE_CODE_STRUCT:
        fields = [f for f in kind.fields() if hasattr(f, "bitpos") and not f.is_base_class]
        bases = [f for f in kind.fields() if f.is_base_class]
        value = value[(fields or bases)[0]]
        kind = value.type.strip_typedefs()
    return value


def number(value):
    return int(plain(value))


def constant(kind, name):
    """The value of a static constexpr member of a class."""
    for field in kind.strip_typedefs().fields():
        if field.name == name:
            return int(gdb.Value(bytes(kind.sizeof), kind)[field])
    raise Problem(f"the debug information lacks {name}")


def read(address, length):
    """Bytes of the process. Raises Problem where nothing is mapped, or a core file has nothing."""
    try:
        return bytes(gdb.selected_inferior().read_memory(address, length))
    except gdb.error as error:
        raise Problem(f"cannot read {length} bytes at {address:#x}: {error}") from error


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
