// The check of an LMDB file's pages when a store is opened: LMDB has no checksums, maps the file, and a missing page
// would end the process. Reads the file, not the map. Any thread.
#pragma once

#include <cstdint>
#include <expected>

#include "native/stores/lmdb/lmdb_meta.hpp"

namespace portail::lmdb {

enum class PageCheckResult : std::uint8_t {
  all,
  snapshot_gone,  // neither meta page is of the snapshot: two commits followed it
};

// Checks every page in use as of transaction `snapshot`: it exists, belongs to a tree, is used once, has its keys in
// order, and is not listed as free (LMDB writes to free pages next). The caller must keep that snapshot open, so that
// no writer reuses its pages. Values are not read. The file may be shorter than its meta page states: LMDB does not
// write a last page that was freed in the commit that added it.
std::expected<PageCheckResult, FileFault> check_pages(int file, std::uint64_t snapshot);

}  // namespace portail::lmdb
