// A look at an LMDB data file before it is trusted: LMDB keeps no checksums, maps the file, and would end the process
// where a page is missing. Reads the file only, never the map. Any thread.
#pragma once

#include <cstdint>
#include <expected>
#include <string>

namespace portail {

// Why a file cannot be used, as the end of a sentence that began with its path: "is cut off: …".
using FileFault = std::string;

// Whether `file` begins with the two meta pages of the LMDB version that this program reads.
std::expected<void, FileFault> check_meta_pages(int file);

enum class CheckDepth : std::uint8_t {
  branches,    // the inner pages of the trees: a hundredth of the file or less
  every_page,  // the leaves and the large values too
};

// Whether the pages that are in use as of transaction `snapshot` are there and are pages of a tree. The caller holds
// that snapshot open, so that no writer reuses its pages meanwhile. Goes to every page where the file is shorter than
// its meta page says: that may be harmless, since LMDB does not write a last page that was freed at once.
std::expected<void, FileFault> check_pages(int file, std::uint64_t snapshot, CheckDepth depth);

}  // namespace portail
