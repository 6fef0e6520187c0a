// Reads the dynamic section and the hash table of a loaded file.
#include "image.hpp"

#include <elf.h>
#include <unistd.h>

#include <cstring>

namespace heapsmith::recorder {

image::image(const dl_phdr_info& info) : base_(info.dlpi_addr), from_(~std::uintptr_t{0}) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const ElfW(Dyn)* dynamic = nullptr;
  for (unsigned i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info.dlpi_phdr[i];
    const std::uintptr_t at = base_ + part.p_vaddr;
    if (part.p_type == PT_LOAD) {
      if (at < from_) from_ = at;
      if (at + part.p_memsz > to_) to_ = at + part.p_memsz;
    } else if (part.p_type == PT_DYNAMIC) {
      dynamic = reinterpret_cast<const ElfW(Dyn)*>(at);
    } else if (part.p_type == PT_GNU_RELRO) {
      protected_from_ = at / page * page;
      protected_to_ = (at + part.p_memsz) / page * page;
    }
  }
  if (from_ > to_) from_ = to_;
  if (dynamic != nullptr) read_dynamic(dynamic);
  if (names_ == nullptr || hash_ == nullptr) symbols_ = nullptr;
}

/// glibc has added the base to the addresses, other linkers have not.
std::uintptr_t image::address_of(const ElfW(Dyn) & entry) const {
  return entry.d_un.d_ptr < base_ ? base_ + entry.d_un.d_ptr : entry.d_un.d_ptr;
}

void image::read_dynamic(const ElfW(Dyn) * entry) {
  for (; entry->d_tag != DT_NULL; ++entry) {
    const std::uintptr_t at = address_of(*entry);
    switch (entry->d_tag) {
      case DT_SYMTAB:
        symbols_ = reinterpret_cast<const ElfW(Sym)*>(at);
        break;
      case DT_STRTAB:
        names_ = reinterpret_cast<const char*>(at);
        break;
      case DT_GNU_HASH:
        hash_ = reinterpret_cast<const std::uint32_t*>(at);
        break;
      case DT_JMPREL:
        tables_[0].first = reinterpret_cast<const ElfW(Rela)*>(at);
        break;
      case DT_PLTRELSZ:
        tables_[0].count = entry->d_un.d_val / sizeof(ElfW(Rela));
        break;
      case DT_RELA:
        tables_[1].first = reinterpret_cast<const ElfW(Rela)*>(at);
        break;
      case DT_RELASZ:
        tables_[1].count = entry->d_un.d_val / sizeof(ElfW(Rela));
        break;
      case DT_SYMBOLIC:
        is_symbolic_ = true;
        break;
      case DT_FLAGS:
        is_symbolic_ |= (entry->d_un.d_val & DF_SYMBOLIC) != 0;
        break;
      default:
        break;
    }
  }
  for (relocations& table : tables_)
    if (table.first == nullptr) table.count = 0;
}

std::uintptr_t image::find(const char* name) const {
  if (symbols_ == nullptr) return 0;
  std::uint32_t sum = 5381;
  for (const char* c = name; *c != 0; ++c) sum = sum * 33 + static_cast<unsigned char>(*c);
  // The table: counts of buckets, of symbols left out, of words of a filter; a shift; the filter;
  // the buckets; the hashes, of which the last of a bucket has the lowest bit set.
  const std::uint32_t buckets = hash_[0], left_out = hash_[1], words = hash_[2];
  const std::uint32_t* const bucket = hash_ + 4 + words * (sizeof(ElfW(Addr)) / 4);
  const std::uint32_t* const hashes = bucket + buckets;
  if (buckets == 0) return 0;
  std::uint32_t i = bucket[sum % buckets];
  if (i < left_out) return 0;
  for (;; ++i) {
    const std::uint32_t hash = hashes[i - left_out];
    const ElfW(Sym)& symbol = symbols_[i];
    const bool is_function = (symbol.st_info & 15) == STT_FUNC && symbol.st_shndx != SHN_UNDEF;
    if ((hash | 1) == (sum | 1) && is_function && strcmp(names_ + symbol.st_name, name) == 0)
      return base_ + symbol.st_value;
    if ((hash & 1) != 0) return 0;
  }
}

}  // namespace heapsmith::recorder
