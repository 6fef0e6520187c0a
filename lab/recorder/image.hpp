// A loaded file as the dynamic linker sees it: its symbols, and the entries that it fills in.
#pragma once

#include <link.h>

#include <cstddef>
#include <cstdint>

namespace heapsmith::recorder {

/// One loaded file. It is valid while the file stays loaded.
class image {
 public:
  explicit image(const dl_phdr_info& info);

  /// Returns: whether the file has symbols that can be searched.
  explicit operator bool() const { return symbols_ != nullptr; }

  /// Returns: whether `address` lies in the file's mapped parts.
  bool has(std::uintptr_t address) const { return address - from_ < to_ - from_; }

  /// Returns: where the file was loaded: what its addresses are relative to.
  std::uintptr_t base() const { return base_; }

  /// Returns: the function of this name that the file defines, or 0. Complexity: constant.
  std::uintptr_t find(const char* name) const;

  /// Returns: whether the dynamic linker searches the file's own symbols first for it.
  bool is_symbolic() const { return is_symbolic_; }

  /// Returns: whether the dynamic linker makes this address read-only once the entries are filled
  /// in.
  bool is_protected_later(std::uintptr_t at) const {
    return at - protected_from_ < protected_to_ - protected_from_;
  }

  /// Effects: calls f(name, entry, is_lazy) for each entry that the dynamic linker fills with the
  /// address of a symbol. A lazy one may still lead to the linker. Complexity: linear.
  template <class F>
  void for_each_entry(F f) const {
    for (const auto& table : tables_) {
      for (std::size_t i = 0; i < table.count; ++i) {
        const ElfW(Rela)& entry = table.first[i];
        const auto type = static_cast<unsigned>(entry.r_info & 0xFFFFFFFFu);
        const bool is_address = type == jump_slot || type == glob_dat || type == address_64;
        if (!is_address || entry.r_addend != 0) continue;
        const ElfW(Sym)& symbol = symbols_[entry.r_info >> 32];
        f(names_ + symbol.st_name, reinterpret_cast<std::uintptr_t*>(base_ + entry.r_offset),
          type == jump_slot);
      }
    }
  }

 private:
  struct relocations {
    const ElfW(Rela) * first = nullptr;
    std::size_t count = 0;
  };
  static constexpr unsigned address_64 = 1, glob_dat = 6, jump_slot = 7;  // of x86-64

  void read_dynamic(const ElfW(Dyn) * entry);
  std::uintptr_t address_of(const ElfW(Dyn) & entry) const;

  std::uintptr_t base_ = 0, from_ = 0, to_ = 0, protected_from_ = 0, protected_to_ = 0;
  const ElfW(Sym) * symbols_ = nullptr;
  const char* names_ = nullptr;
  const std::uint32_t* hash_ = nullptr;
  relocations tables_[2] = {};
  bool is_symbolic_ = false;
};

/// Effects: calls f(image) for each loaded file, in the order in which the linker searches them.
template <class F>
void for_each_image(F f) {
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* to) {
        (*static_cast<F*>(to))(image(*info));
        return 0;
      },
      &f);
}

}  // namespace heapsmith::recorder
