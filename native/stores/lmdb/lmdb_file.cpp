#include "native/stores/lmdb/lmdb_file.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

namespace portail {
namespace {

// The layout of LMDB 0.9 files on 64-bit machines (mdb.c: MDB_page, MDB_meta, MDB_db, MDB_node), in the byte order of
// the machine that wrote them.
constexpr std::uint32_t magic = 0xBEEFC0DE;
constexpr std::uint32_t readable_version = 1;
constexpr std::uint64_t no_page = ~std::uint64_t{0};
constexpr std::size_t page_header = 16;
constexpr std::size_t node_header = 8;
constexpr std::size_t smallest_page = 512;
constexpr std::size_t largest_page = 65536;
constexpr std::size_t deepest_tree = 32;
constexpr unsigned branch_flag = 0x01;
constexpr unsigned leaf_flag = 0x02;
constexpr unsigned overflow_flag = 0x04;
constexpr unsigned big_data_flag = 0x01;

constexpr std::string_view what_to_do = ": restore it from a backup";

template <class T>
T at(const std::vector<std::byte>& bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

// `length` bytes of the file, or fewer at its end.
std::expected<std::vector<std::byte>, FileFault> read_bytes(int file, std::uint64_t offset, std::size_t length) {
  std::vector<std::byte> bytes(length);
  std::size_t done = 0;
  while (done < length) {
    ssize_t got = pread(file, bytes.data() + done, length - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::unexpected(std::string("cannot be read: ") + std::strerror(errno));
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  bytes.resize(done);
  return bytes;
}

struct Tree {
  std::uint64_t root;
  std::size_t depth;
};

struct Meta {
  std::size_t page_size;
  std::array<Tree, 2> trees;  // of the free pages, and of the data
  std::uint64_t last_page;
  std::uint64_t transaction;

  // Whether it can be what a commit has written.
  [[nodiscard]] bool is_plausible() const {
    return last_page >= 1 && last_page < (no_page >> 17) &&
           std::ranges::all_of(
               trees,
               [this](const Tree& tree) {
                 return tree.root == no_page ? tree.depth == 0
                                             : tree.root <= last_page && tree.depth >= 1 && tree.depth <= deepest_tree;
               });
  }
};

constexpr std::size_t meta_size = 152;

std::unexpected<FileFault> damaged_metas() {
  return std::unexpected("is damaged in its first pages" + std::string(what_to_do));
}

std::expected<Meta, FileFault> read_meta(int file, std::uint64_t offset) {
  auto bytes = read_bytes(file, offset, meta_size);
  if (!bytes) return std::unexpected(bytes.error());
  if (bytes->size() < meta_size) {
    return std::unexpected("is no LMDB file, or is cut off at its beginning" + std::string(what_to_do));
  }
  if (at<std::uint32_t>(*bytes, 16) != magic) {
    return std::unexpected("is no LMDB file, or its first pages are damaged" + std::string(what_to_do));
  }
  if (auto version = at<std::uint32_t>(*bytes, 20); version != readable_version) {
    return std::unexpected("is of LMDB file version " + std::to_string(version) +
                           ", this program reads version 1: convert it with the mdb_dump and mdb_load of its version");
  }
  Meta meta{.page_size = at<std::uint32_t>(*bytes, 40),
            .trees = {Tree{at<std::uint64_t>(*bytes, 80), at<std::uint16_t>(*bytes, 46)},
                      Tree{at<std::uint64_t>(*bytes, 128), at<std::uint16_t>(*bytes, 94)}},
            .last_page = at<std::uint64_t>(*bytes, 136),
            .transaction = at<std::uint64_t>(*bytes, 144)};
  if (!std::has_single_bit(meta.page_size) || meta.page_size < smallest_page || meta.page_size > largest_page) {
    return damaged_metas();
  }
  return meta;
}

std::expected<std::array<Meta, 2>, FileFault> read_metas(int file) {
  auto first = read_meta(file, 0);
  if (!first) return std::unexpected(first.error());
  auto second = read_meta(file, first->page_size);
  if (!second) return std::unexpected(second.error());
  // LMDB takes the later one. In the place of the other may be the rest of a commit that the disk refused: LMDB then
  // puts the old number of its transaction back, and leaves the new trees.
  if (!(first->transaction > second->transaction ? first : second)->is_plausible()) return damaged_metas();
  return std::array{*first, *second};
}

class PageCheck {
 public:
  PageCheck(int file, const Meta& meta, std::uint64_t pages_in_file, CheckDepth depth)
      : file_(file), meta_(meta), pages_in_file_(pages_in_file), depth_(depth) {}

  // The first fault, if there is one.
  std::optional<FileFault> check(const Tree& tree) const {
    if (tree.root == no_page) return std::nullopt;
    return check_page(tree.root, tree.depth);
  }

 private:
  // `levels` that the tree has from this page down; 1 is a leaf.
  std::optional<FileFault> check_page(std::uint64_t number, std::size_t levels) const {
    if (auto fault = missing(number, 1)) return fault;
    auto page = read_bytes(file_, number * meta_.page_size, meta_.page_size);
    if (!page) return page.error();
    if (page->size() < meta_.page_size) return cut_off(number);
    const std::size_t lower = at<std::uint16_t>(*page, 12);
    const std::size_t upper = at<std::uint16_t>(*page, 14);
    const bool right_kind = (kind(*page) & (levels > 1 ? branch_flag : leaf_flag)) != 0;
    if (at<std::uint64_t>(*page, 0) != number || !right_kind || lower < page_header || lower % 2 != 0 ||
        lower > upper || upper > meta_.page_size) {
      return damaged(number);
    }
    for (std::size_t slot = page_header; slot < lower; slot += 2) {
      const std::size_t node = at<std::uint16_t>(*page, slot);
      if (node < upper || node + node_header > meta_.page_size) return damaged(number);
      auto fault = levels > 1 ? check_child(*page, node, levels) : check_value(*page, node, number);
      if (fault) return fault;
    }
    return std::nullopt;
  }

  std::optional<FileFault> check_child(const std::vector<std::byte>& page, std::size_t node, std::size_t levels) const {
    const std::uint64_t child = at<std::uint32_t>(page, node) | std::uint64_t{at<std::uint16_t>(page, node + 4)} << 32;
    if (levels > 2 || depth_ == CheckDepth::every_page) return check_page(child, levels - 1);
    return missing(child, 1);
  }

  std::optional<FileFault> check_value(const std::vector<std::byte>& page, std::size_t node,
                                       std::uint64_t number) const {
    const std::size_t size = at<std::uint32_t>(page, node);
    const std::size_t value = node + node_header + at<std::uint16_t>(page, node + 6);
    const bool big = (at<std::uint16_t>(page, node + 4) & big_data_flag) != 0;
    if (value + (big ? sizeof(std::uint64_t) : size) > meta_.page_size) return damaged(number);
    return big ? check_big_value(at<std::uint64_t>(page, value), size) : std::nullopt;
  }

  std::optional<FileFault> check_big_value(std::uint64_t number, std::size_t size) const {
    const std::uint64_t pages = (page_header + size + meta_.page_size - 1) / meta_.page_size;
    if (auto fault = missing(number, pages)) return fault;
    auto header = read_bytes(file_, number * meta_.page_size, page_header);
    if (!header) return header.error();
    if (header->size() < page_header) return cut_off(number);
    if (at<std::uint64_t>(*header, 0) != number || (kind(*header) & overflow_flag) == 0 ||
        at<std::uint32_t>(*header, 12) < pages) {
      return damaged(number);
    }
    return std::nullopt;
  }

  std::optional<FileFault> missing(std::uint64_t number, std::uint64_t pages) const {
    if (number < 2 || number > meta_.last_page || pages > meta_.last_page - number + 1) return damaged(number);
    if (number + pages > pages_in_file_) return cut_off(number + pages - 1);
    return std::nullopt;
  }

  static unsigned kind(const std::vector<std::byte>& page) { return at<std::uint16_t>(page, 10); }
  [[nodiscard]] FileFault cut_off(std::uint64_t number) const {
    return "is cut off: it uses page " + std::to_string(number) + " and ends after " + std::to_string(pages_in_file_) +
           " pages" + std::string(what_to_do);
  }
  static FileFault damaged(std::uint64_t number) {
    return "is damaged at page " + std::to_string(number) + std::string(what_to_do);
  }

  int file_;
  const Meta& meta_;
  std::uint64_t pages_in_file_;
  CheckDepth depth_;
};

}  // namespace

std::expected<void, FileFault> check_meta_pages(int file) {
  auto metas = read_metas(file);
  if (!metas) return std::unexpected(metas.error());
  return {};
}

std::expected<void, FileFault> check_pages(int file, std::uint64_t snapshot, CheckDepth depth) {
  auto metas = read_metas(file);
  if (!metas) return std::unexpected(metas.error());
  auto meta = std::ranges::find(*metas, snapshot, &Meta::transaction);
  // Two commits by others have come between: the file is in use and its pages are being read already.
  if (meta == metas->end()) return {};
  if (!meta->is_plausible()) return damaged_metas();

  struct stat status{};
  if (fstat(file, &status) != 0) return std::unexpected(std::string("cannot be read: ") + std::strerror(errno));
  const std::uint64_t pages_in_file = static_cast<std::uint64_t>(status.st_size) / meta->page_size;
  if (pages_in_file <= meta->last_page) depth = CheckDepth::every_page;
  const PageCheck check(file, *meta, pages_in_file, depth);
  for (const Tree& tree : meta->trees) {
    if (auto fault = check.check(tree)) return std::unexpected(*fault);
  }
  return {};
}

}  // namespace portail
