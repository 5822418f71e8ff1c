// Export: the document that an import into an empty store would make this store of (docs/how-to/import.md, "Export").
// The sections stand in the order of that page, one entity a line; mail objects carry the portal's current
// utilisablePourLiasse and typeAffectation; bundles and third parties stand in the order of their keys. Exporting what
// an import of it made gives the same bytes. One thread at a time.
#pragma once

#include <string_view>

#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

// Where the document goes. A call that answers false ends the export with Failure::cancelled; the host knows why.
// The views live until the call returns. The sink must not call the store.
class ExportSink {
 public:
  virtual ~ExportSink() = default;
  // The next bytes of the document, UTF-8.
  virtual bool write(std::string_view text) = 0;
  // A template file, whole, of at most a few MiB. `path` is what the document says as `chemin`:
  // "modeles/ID-nomFichier", two segments, without '\' and control characters. Paths differ; each file comes before the
  // line that names it.
  virtual bool write_template(std::string_view path, std::string_view bytes) = 0;
};

// Streams: never more than one entity or one template file in memory, beside the catalogue. Each entity is whole; the
// sections are read one after the other, so an import that runs meanwhile may show in a later one only.
// Failure::corrupt for a value that this program never writes.
Task<void> export_document(Context& context, KeyValueStore& store, ExportSink& sink);

}  // namespace portail
