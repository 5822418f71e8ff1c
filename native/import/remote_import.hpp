// Imports a document through the management interface: its template files, then its sections in parts. One thread.
#pragma once

#include <cstdint>
#include <expected>
#include <string>

#include "core/exchange/import.hpp"
#include "native/portal_client/management_client.hpp"
#include "native/settings/fault.hpp"

namespace portail {

// `size` is that of the document, in bytes. A document over `part_size` bytes is sent in several parts: mail objects,
// third parties, bundles, then all grants. That is wrong usage with `prune` or `dry_run`, which need the whole. The
// report has the sums; with faults, it is that of the part that was refused, after the parts before it were imported.
std::expected<ImportReport, Fault> import_remotely(const ManagementClient& client, Context& context, ImportInput& input,
                                                   std::uint64_t size, std::uint64_t part_size,
                                                   const ImportOptions& options);

}  // namespace portail
