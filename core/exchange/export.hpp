// Export: the document whose import into an empty store gives the same contents (docs/how-to/import.md, "Export").
// Sections are in the order of that page, one entity a line. Mail objects have the portal's current
// utilisablePourLiasse and typeAffectation. Bundles and third parties are in the order of their keys. After an import
// of the document, an export gives the same bytes. One thread at a time.
#pragma once

#include <string_view>

#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/exchange/data_state.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

// The destination of the document. A call that returns false ends the export with Failure::cancelled. The views are
// valid during the call. The sink must not call the store.
class ExportSink {
 public:
  virtual ~ExportSink() = default;
  // Writes the next bytes of the document, UTF-8.
  virtual bool write(std::string_view text) = 0;
  // Writes a complete template file of at most a few MiB. `path` is the document's `chemin`: "modeles/ID-nomFichier",
  // two segments, without '\' and control characters. Paths are unique. Each file is written before the line that
  // names it.
  virtual bool write_template(std::string_view path, std::string_view bytes) = 0;
};

// Streams the document: at most one entity or one template file is in memory, and the catalogue. `state` is that of
// before the call. Returns false if an import has changed it since: what was written mixes two states, ends before the
// grants, and must be discarded. Fails with Failure::corrupt if a stored value is invalid.
Task<bool> export_document(Context& context, KeyValueStore& store, const DataState& state, ExportSink& sink);

}  // namespace portail
