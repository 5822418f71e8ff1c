#include "native/stores/lmdb/lmdb_meta.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <expected>
#include <span>
#include <string>
#include <utility>

#include <unistd.h>

namespace portail::lmdb {
namespace {

constexpr std::uint32_t magic = 0xBEEFC0DE;
constexpr std::uint32_t readable_version = 1;
constexpr std::size_t min_page_size = 512;
constexpr std::size_t max_page_size = 32768;
constexpr std::uint64_t max_file = std::uint64_t{64} << 30;
constexpr unsigned meta_page = 0x08;
constexpr unsigned integer_keys = 0x08;
// Flags of the opening that created the file, which LMDB stores in it: MDB_FIXEDMAP and MDB_NOSUBDIR.
constexpr unsigned opening_flags = 0x4001;
constexpr std::size_t meta_size = 152;

using MetaBytes = std::array<std::byte, meta_size>;

std::expected<MetaBytes, FileFault> read_meta_bytes(int file, std::uint64_t offset) {
  MetaBytes bytes{};
  const auto got = read_bytes(file, offset, bytes);
  if (!got) return std::unexpected(got.error());
  if (*got < bytes.size()) {
    return std::unexpected("is not an LMDB file, or is cut off at its beginning" + std::string(restore_hint));
  }
  return bytes;
}

std::expected<Meta, FileFault> parse_meta(const MetaBytes& bytes) {
  const auto found = number_at<std::uint32_t>(bytes, 16);
  if (found == std::byteswap(magic)) {
    return std::unexpected(
        "was written by a machine of the other byte order: migrate it there to another kind of store");
  }
  if (found != magic) {
    return std::unexpected("is not an LMDB file, or its first pages are damaged" + std::string(restore_hint));
  }
  if (auto version = number_at<std::uint32_t>(bytes, 20); version != readable_version) {
    return std::unexpected("is of LMDB file version " + std::to_string(version) +
                           ", this program reads version 1: convert it with the mdb_dump and mdb_load of its version");
  }
  const auto tree_at = [&bytes](std::size_t offset) {
    return Tree{.root = number_at<std::uint64_t>(bytes, offset + 40),
                .depth = number_at<std::uint16_t>(bytes, offset + 6),
                .flags = number_at<std::uint16_t>(bytes, offset + 4)};
  };
  const Meta meta{.page_size = number_at<std::uint32_t>(bytes, 40),
                  .free_pages = tree_at(40),
                  .data = tree_at(88),
                  .last_page = number_at<std::uint64_t>(bytes, 136),
                  .transaction = number_at<std::uint64_t>(bytes, 144)};
  if (!std::has_single_bit(meta.page_size) || meta.page_size < min_page_size || meta.page_size > max_page_size ||
      number_at<std::uint16_t>(bytes, 10) != meta_page) {
    return damaged_metas();
  }
  return meta;
}

std::expected<std::array<MetaBytes, 2>, FileFault> read_meta_pages(int file) {
  const auto first = read_meta_bytes(file, 0);
  if (!first) return std::unexpected(first.error());
  const auto meta = parse_meta(*first);
  if (!meta) return std::unexpected(meta.error());
  const auto second = read_meta_bytes(file, meta->page_size);
  if (!second) return std::unexpected(second.error());
  return std::array{*first, *second};
}

// Reads both meta pages consistently: another process may be writing one of them.
std::expected<std::array<MetaBytes, 2>, FileFault> read_stable_meta_pages(int file) {
  auto before = read_meta_pages(file);
  while (before) {
    auto after = read_meta_pages(file);
    if (!after || *after == *before) return after;
    before = std::move(after);
  }
  return before;
}

}  // namespace

std::unexpected<FileFault> damaged_metas() {
  return std::unexpected("is damaged in its first pages" + std::string(restore_hint));
}
std::unexpected<FileFault> foreign_database() {
  return std::unexpected<FileFault>("is another program's LMDB database: name another store");
}

bool Meta::is_plausible() const {
  const auto has_plausible_root = [this](const Tree& tree) {
    return tree.root == no_page ? tree.depth == 0
                                : tree.root <= last_page && tree.depth >= 1 && tree.depth <= max_depth;
  };
  return last_page >= 1 && last_page < max_file / page_size && has_plausible_root(free_pages) &&
         has_plausible_root(data) && (free_pages.flags & ~opening_flags) == integer_keys;
}

std::expected<std::array<Meta, 2>, FileFault> read_metas(int file) {
  const auto pages = read_stable_meta_pages(file);
  if (!pages) return std::unexpected(pages.error());
  const auto first = parse_meta((*pages)[0]);
  if (!first) return std::unexpected(first.error());
  const auto second = parse_meta((*pages)[1]);
  if (!second) return std::unexpected(second.error());
  // Even commits write the first page and odd ones the second, so the other page has the previous commit. LMDB relies
  // on that.
  const bool alternate = first->transaction % 2 == 0 && (second->transaction % 2 == 1 || second->transaction == 0);
  const std::uint64_t difference = std::max(first->transaction, second->transaction) -  //
                                   std::min(first->transaction, second->transaction);
  if (!alternate || difference > 1 || first->page_size != second->page_size) return damaged_metas();
  // LMDB uses the later one. The other may have the new trees of a commit that failed to sync: LMDB then restores only
  // the number of its transaction.
  const Meta& current = first->transaction >= second->transaction ? *first : *second;
  if (!current.is_plausible()) return damaged_metas();
  if (current.data.flags != 0) return foreign_database();
  return std::array{*first, *second};
}

std::expected<std::size_t, FileFault> read_bytes(int file, std::uint64_t offset, std::span<std::byte> bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = pread(file, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::unexpected(std::string("cannot be read: ") + std::strerror(errno));
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

}  // namespace portail::lmdb
