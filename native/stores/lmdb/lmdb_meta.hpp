// The two meta pages at the beginning of an LMDB data file: the trees of the last two commits. They are read from the
// file, not from the map. The layout is that of LMDB 0.9 files on 64-bit machines (mdb.c: MDB_meta, MDB_db), in the
// byte order of the machine that wrote them. Any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <expected>
#include <span>
#include <string>
#include <string_view>

namespace portail::lmdb {

// Why a file cannot be used; the message follows its path: "is cut off: …".
using FileFault = std::string;

// The end of messages about damage.
inline constexpr std::string_view restore_hint = ": restore it from a backup";
// The faults of damaged meta pages, and of a database that the portal did not write.
std::unexpected<FileFault> damaged_metas();
std::unexpected<FileFault> foreign_database();

inline constexpr std::uint64_t no_page = ~std::uint64_t{0};  // the root of an empty tree
inline constexpr std::size_t max_depth = 32;                 // of a tree

// A tree of pages: MDB_db.
struct Tree {
  std::uint64_t root;  // the number of a page
  std::size_t depth;   // 0: empty
  unsigned flags;
};

struct Meta {
  std::size_t page_size;  // bytes
  Tree free_pages;
  Tree data;
  std::uint64_t last_page;    // of the file; older commits may have used fewer
  std::uint64_t transaction;  // the commit that wrote it

  // Returns whether a commit can have written these values.
  [[nodiscard]] bool is_plausible() const;
};

// Reads both meta pages, in the order of the file. Fails if they are not of the LMDB version that this program reads,
// or if the last commit's is damaged.
std::expected<std::array<Meta, 2>, FileFault> read_metas(int file);

// Reads the bytes at the offset; returns how many the file has.
std::expected<std::size_t, FileFault> read_bytes(int file, std::uint64_t offset, std::span<std::byte> bytes);

// Returns the number at the offset, in this machine's byte order; `bytes` must have it.
template <class T>
T number_at(std::span<const std::byte> bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

}  // namespace portail::lmdb
