"""lldb's values and types, with as much of gdb's interface as heapsmith_debug uses."""

from collections import namedtuple

import lldb

STRUCT = "struct"

Field = namedtuple("Field", "name type bitpos is_base_class")
Enumerator = namedtuple("Enumerator", "name enumval")


class Type:
    def __init__(self, of_lldb):
        self.of_lldb = of_lldb
        self.name, self.sizeof = of_lldb.GetName(), of_lldb.GetByteSize()

    @property
    def code(self):
        kind = self.of_lldb.GetCanonicalType().GetTypeClass()
        return STRUCT if kind in (lldb.eTypeClassStruct, lldb.eTypeClassClass) else "other"

    def strip_typedefs(self):
        return Type(self.of_lldb.GetCanonicalType())

    def fields(self):
        kind = self.of_lldb.GetCanonicalType()
        if kind.GetTypeClass() == lldb.eTypeClassEnumeration:
            members = kind.GetEnumMembers()
            return [Enumerator(m.GetName(), m.GetValueAsUnsigned())
                    for m in (members.GetTypeEnumMemberAtIndex(i) for i in range(len(members)))]
        return [Field(m.GetName(), Type(m.GetType()), m.GetOffsetInBits(), is_base)
                for members, is_base in ((kind.bases, True), (kind.fields, False)) for m in members]

    def __getitem__(self, name):
        return next(field for field in self.fields() if field.name == name)

    def target(self):
        kind = self.of_lldb.GetCanonicalType()
        return Type(kind.GetPointeeType() if kind.IsPointerType() else kind.GetArrayElementType())

    def range(self):
        return 0, self.sizeof // self.target().sizeof - 1

    def template_argument(self, n):
        return Type(self.of_lldb.GetCanonicalType().GetTemplateArgumentType(n))


class Value:
    def __init__(self, of_lldb):
        self.of_lldb = of_lldb.GetNonSyntheticValue()

    @property
    def type(self):
        return Type(self.of_lldb.GetType())

    @property
    def address(self):
        return self.of_lldb.GetAddress().GetLoadAddress(self.of_lldb.GetTarget())

    def __getitem__(self, key):
        kind = self.of_lldb.GetType().GetCanonicalType()
        if isinstance(key, int):
            if not kind.IsPointerType():
                return Value(self.of_lldb.GetChildAtIndex(key))
            element = self.type.target()
            return value_at(int(self) + key * element.sizeof, element)
        if isinstance(key, Field):
            return value_at(self.address + key.bitpos // 8, key.type)
        target = self.dereference().of_lldb if kind.IsPointerType() else self.of_lldb
        return Value(target.GetChildMemberWithName(key))

    def dereference(self):
        return value_at(int(self), self.type.target())

    def __int__(self):
        signed = self.of_lldb.GetType().GetCanonicalType().GetTypeFlags() & lldb.eTypeIsSigned
        return self.of_lldb.GetValueAsSigned() if signed else self.of_lldb.GetValueAsUnsigned()

    __index__ = __int__

    def __bool__(self):
        return int(self) != 0


def value_at(address, kind):
    """The value of a type at an address."""
    target = lldb.debugger.GetSelectedTarget()
    return Value(target.CreateValueFromAddress("value", lldb.SBAddress(address, target),
                                               kind.of_lldb))
