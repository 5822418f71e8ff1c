#include "native/stores/lmdb/lmdb_pages.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>

#include "native/system/terminal.hpp"

namespace portail::lmdb {
namespace {

// The layout of pages and nodes of LMDB 0.9 (mdb.c: MDB_page, MDB_node).
constexpr std::size_t page_header = 16;
constexpr std::size_t node_header = 8;
constexpr std::size_t max_key = 511;
constexpr unsigned branch_page = 0x01;
constexpr unsigned leaf_page = 0x02;
constexpr unsigned overflow_page = 0x04;
constexpr unsigned big_data_node = 0x01;
constexpr unsigned sub_database_node = 0x02;
constexpr std::size_t database_record = 48;

enum class TreeKind : std::uint8_t { free_pages, data };

// Checks the pages of one commit.
class PageCheck {
 public:
  PageCheck(int file, const Meta& meta, std::uint64_t pages_in_file)
      : file_(file), meta_(meta), pages_in_file_(pages_in_file), is_used_(meta.last_page + 1) {}

  // Returns the first fault, or nullopt.
  std::optional<FileFault> check() {
    if (auto fault = check_tree(meta_.free_pages, TreeKind::free_pages)) return fault;
    if (auto fault = check_tree(meta_.data, TreeKind::data)) return fault;
    // LMDB does not write a last page that was freed in the commit that added it; that page is listed as free.
    if (pages_in_file_ <= meta_.last_page && !is_used_[meta_.last_page]) return damaged_metas().error();
    return std::nullopt;
  }

 private:
  // The range of a page's keys: from `from` on, and before `before`; nullopt: unbounded.
  struct Bounds {
    std::optional<std::string_view> from;
    std::optional<std::string_view> before;
  };
  struct Node {
    std::size_t offset;
    std::size_t value;  // the offset of its value
    std::size_t end;
    std::string_view key;
    bool is_overflow;
  };
  struct Level {
    std::vector<std::byte> page;
    std::vector<Node> nodes;
  };

  std::optional<FileFault> check_tree(const Tree& tree, TreeKind kind) {
    kind_ = kind;
    if (tree.root == no_page) return std::nullopt;
    return check_page(tree.root, tree.depth, {});
  }

  // `levels` is the height of the tree below and including this page; 1 is a leaf.
  std::optional<FileFault> check_page(std::uint64_t number, std::size_t levels, const Bounds& bounds) {
    if (auto fault = mark_used(number, 1)) return fault;
    Level& level = levels_[levels - 1];
    level.page.resize(meta_.page_size);
    const auto got = read_bytes(file_, number * meta_.page_size, level.page);
    if (!got) return got.error();
    if (*got < meta_.page_size) return cut_off(number);
    if (auto fault = read_nodes(level, number, levels)) return fault;
    if (!is_in_order(level.nodes, levels, bounds)) return damaged(number);
    if (levels > 1) prefetch(level);
    for (std::size_t i = 0; i < level.nodes.size(); ++i) {
      auto fault = levels > 1 ? check_child(level, i, levels, bounds) : check_value(level, i, number);
      if (fault) return fault;
    }
    return std::nullopt;
  }

  // Fills `level.nodes`, and checks that the nodes cover the page from `upper` on without gaps and overlaps.
  std::optional<FileFault> read_nodes(Level& level, std::uint64_t number, std::size_t levels) {
    const std::span<const std::byte> page = level.page;
    const std::size_t lower = number_at<std::uint16_t>(page, 12);
    const std::size_t upper = number_at<std::uint16_t>(page, 14);
    if (number_at<std::uint64_t>(page, 0) != number ||
        number_at<std::uint16_t>(page, 10) != (levels > 1 ? branch_page : leaf_page) || lower % 2 != 0 ||
        lower < page_header + 2 * min_nodes(levels) || lower > upper || upper > page.size()) {
      return damaged(number);
    }
    level.nodes.clear();
    extents_.clear();
    for (std::size_t slot = page_header; slot < lower; slot += 2) {
      const std::size_t offset = number_at<std::uint16_t>(page, slot);
      if (offset < upper || offset % 2 != 0 || offset + node_header > page.size()) return damaged(number);
      const std::size_t key_size = number_at<std::uint16_t>(page, offset + 6);
      const std::size_t value = offset + node_header + key_size;
      if (key_size > max_key || value > page.size()) return damaged(number);
      Node node{.offset = offset,
                .value = value,
                .end = value,
                .key = {reinterpret_cast<const char*>(page.data()) + offset + node_header, key_size},
                .is_overflow = false};
      if (levels == 1) {
        if (auto fault = read_leaf_node(page, node, number)) return fault;
      }
      const bool is_first_of_branch = levels > 1 && slot == page_header;  // its key is never read
      if (!is_first_of_branch && !may_be_key(node.key)) return damaged(number);
      level.nodes.push_back(node);
      extents_.emplace_back(node.offset, node.end + node.end % 2);
    }
    std::ranges::sort(extents_);
    std::size_t covered = upper;
    for (const auto& [begin, end] : extents_) {
      if (begin != covered) return damaged(number);
      covered = end;
    }
    if (covered != page.size()) return damaged(number);
    return std::nullopt;
  }

  std::optional<FileFault> read_leaf_node(std::span<const std::byte> page, Node& node, std::uint64_t number) const {
    const unsigned flags = number_at<std::uint16_t>(page, node.offset + 4);
    const std::size_t size = number_at<std::uint32_t>(page, node.offset);
    if (flags == sub_database_node && size == database_record) return foreign_database().error();
    if (flags != 0 && flags != big_data_node) return damaged(number);
    node.is_overflow = flags == big_data_node;
    node.end = node.value + (node.is_overflow ? sizeof(std::uint64_t) : size);
    // Longer nodes have overflow pages, so that any page has room for two nodes.
    const std::size_t max_node = ((page.size() - page_header) / 2 & ~std::size_t{1}) - 2;
    if (node.end > page.size() || node.end - node.offset > max_node) return damaged(number);
    return std::nullopt;
  }

  [[nodiscard]] std::size_t min_nodes(std::size_t levels) const {
    return levels > 1 && kind_ == TreeKind::data ? 2 : 1;
  }
  [[nodiscard]] bool may_be_key(std::string_view key) const {
    return kind_ == TreeKind::data ? !key.empty() : key.size() == sizeof(std::uint64_t);
  }
  // The keys of the list of free pages are transaction numbers.
  [[nodiscard]] bool is_before(std::string_view one, std::string_view other) const {
    if (kind_ == TreeKind::data) return one < other;
    return number_at<std::uint64_t>(std::as_bytes(std::span(one)), 0) <
           number_at<std::uint64_t>(std::as_bytes(std::span(other)), 0);
  }

  [[nodiscard]] bool is_in_order(const std::vector<Node>& nodes, std::size_t levels, const Bounds& bounds) const {
    const std::size_t first = levels > 1 ? 1 : 0;
    if (first == nodes.size()) return true;
    if (bounds.from && is_before(nodes[first].key, *bounds.from)) return false;
    if (bounds.before && !is_before(nodes.back().key, *bounds.before)) return false;
    for (std::size_t i = first + 1; i < nodes.size(); ++i) {
      if (!is_before(nodes[i - 1].key, nodes[i].key)) return false;
    }
    return true;
  }

  static std::uint64_t child_of(const Level& level, const Node& node) {
    return number_at<std::uint32_t>(level.page, node.offset) |
           std::uint64_t{number_at<std::uint16_t>(level.page, node.offset + 4)} << 32;
  }

  // The disk reads the children of a page concurrently: they lie anywhere in the file.
  void prefetch(const Level& level) const {
    for (const Node& node : level.nodes) {
      const auto offset = static_cast<off_t>(child_of(level, node) * meta_.page_size);
      posix_fadvise(file_, offset, static_cast<off_t>(meta_.page_size), POSIX_FADV_WILLNEED);
    }
  }

  std::optional<FileFault> check_child(const Level& level, std::size_t index, std::size_t levels,
                                       const Bounds& bounds) {
    const Node& node = level.nodes[index];
    const std::uint64_t child = child_of(level, node);
    Bounds inner = bounds;
    if (index > 0) inner.from = node.key;
    if (index + 1 < level.nodes.size()) inner.before = level.nodes[index + 1].key;
    return check_page(child, levels - 1, inner);
  }

  std::optional<FileFault> check_value(const Level& level, std::size_t index, std::uint64_t number) {
    const Node& node = level.nodes[index];
    const std::size_t size = number_at<std::uint32_t>(level.page, node.offset);
    const std::uint64_t big = node.is_overflow ? number_at<std::uint64_t>(level.page, node.value) : 0;
    if (node.is_overflow) {
      if (auto fault = check_overflow_value(big, size)) return fault;
    }
    if (kind_ == TreeKind::data) return std::nullopt;
    if (number_at<std::uint64_t>(std::as_bytes(std::span(node.key)), 0) > meta_.transaction) return damaged(number);
    if (!node.is_overflow) return check_free_pages(std::span(level.page).subspan(node.value, size), number);
    std::vector<std::byte> bytes(size);
    const auto got = read_bytes(file_, big * meta_.page_size + page_header, bytes);
    if (!got) return got.error();
    return *got < size ? cut_off(big) : check_free_pages(bytes, big);
  }

  std::optional<FileFault> check_overflow_value(std::uint64_t number, std::size_t size) {
    const std::uint64_t pages = (page_header + size + meta_.page_size - 1) / meta_.page_size;
    if (auto fault = check_range(number, pages)) return fault;
    std::array<std::byte, page_header> header{};
    const auto got = read_bytes(file_, number * meta_.page_size, header);
    if (!got) return got.error();
    if (*got < header.size()) return cut_off(number);
    const std::uint64_t all = number_at<std::uint32_t>(header, 12);
    if (number_at<std::uint64_t>(header, 0) != number || number_at<std::uint16_t>(header, 10) != overflow_page ||
        all < pages) {
      return damaged(number);
    }
    return mark_used(number, all);
  }

  // Checks a list of free pages: their count, and their numbers in descending order. LMDB writes to these pages next.
  std::optional<FileFault> check_free_pages(std::span<const std::byte> list, std::uint64_t number) {
    constexpr std::size_t width = sizeof(std::uint64_t);
    if (list.size() < width || list.size() % width != 0) return damaged(number);
    const auto count = number_at<std::uint64_t>(list, 0);
    if (count > list.size() / width - 1) return damaged(number);
    std::uint64_t before = meta_.last_page + 1;
    for (std::uint64_t i = 1; i <= count; ++i) {
      const auto page = number_at<std::uint64_t>(list, i * width);
      if (page < 2 || page >= before || is_used_[page]) return damaged(number);
      is_used_[page] = true;
      before = page;
    }
    return std::nullopt;
  }

  // Marks the pages as used; fails if one already is.
  std::optional<FileFault> mark_used(std::uint64_t number, std::uint64_t pages) {
    if (auto fault = check_range(number, pages)) return fault;
    for (std::uint64_t page = number; page < number + pages; ++page) {
      if (is_used_[page]) return damaged(page);
      is_used_[page] = true;
    }
    return std::nullopt;
  }
  [[nodiscard]] std::optional<FileFault> check_range(std::uint64_t number, std::uint64_t pages) const {
    if (number < 2 || number > meta_.last_page || pages > meta_.last_page - number + 1) return damaged(number);
    if (number + pages > pages_in_file_) return cut_off(number + pages - 1);
    return std::nullopt;
  }

  [[nodiscard]] FileFault cut_off(std::uint64_t number) const {
    return "is cut off: it uses page " + std::to_string(number) + " and ends after " +
           counted(pages_in_file_, "page", "pages") + std::string(restore_hint);
  }
  static FileFault damaged(std::uint64_t number) {
    return "is damaged at page " + std::to_string(number) + std::string(restore_hint);
  }

  int file_;
  const Meta& meta_;
  std::uint64_t pages_in_file_;
  std::vector<bool> is_used_;
  TreeKind kind_ = TreeKind::data;
  std::array<Level, max_depth> levels_;
  std::vector<std::pair<std::size_t, std::size_t>> extents_;  // of the nodes of one page
};

}  // namespace

std::expected<PageCheckResult, FileFault> check_pages(int file, std::uint64_t snapshot) {
  auto metas = read_metas(file);
  if (!metas) return std::unexpected(metas.error());
  const auto meta = std::ranges::find(*metas, snapshot, &Meta::transaction);
  if (meta == metas->end()) return PageCheckResult::snapshot_gone;
  if (!meta->is_plausible()) return damaged_metas();

  struct stat status{};
  if (fstat(file, &status) != 0) return std::unexpected(std::string("cannot be read: ") + std::strerror(errno));
  const std::uint64_t pages_in_file = static_cast<std::uint64_t>(status.st_size) / meta->page_size;
  if (auto fault = PageCheck(file, *meta, pages_in_file).check()) return std::unexpected(*fault);
  return PageCheckResult::all;
}

}  // namespace portail::lmdb
