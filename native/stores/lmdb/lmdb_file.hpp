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

enum class PagesChecked : std::uint8_t {
  all,
  of_no_snapshot,  // neither meta page is of the snapshot: two commits have come since
};

// Whether every page that is in use as of transaction `snapshot` is there, is a page of a tree, is there once, has its
// keys in order, and is not among the free ones, to which LMDB writes next. The caller holds that snapshot open, so
// that no writer reuses its pages meanwhile. The bytes of values are not read. The file may be shorter than its meta
// page says: LMDB does not write a last page that was freed in the commit that added it.
std::expected<PagesChecked, FileFault> check_pages(int file, std::uint64_t snapshot);

}  // namespace portail
