#include "core/exchange/export.hpp"

#include <memory>
#include <string>
#include <utility>

#include "core/exchange/export_elements.hpp"
#include "core/exchange/scans.hpp"
#include "core/exchange/stored_entities.hpp"
#include "core/exchange/stored_references.hpp"

namespace portail {
namespace {

Result<void> flush(DocumentWriter& document, ExportSink& sink) {
  if (!sink.write(document.take())) return std::unexpected(Failure::cancelled);
  return {};
}

Task<void> export_mail_objects(Context& context, KeyValueStore& store, DocumentWriter& document, ExportSink& sink,
                               StoredReferences& references) {
  document.begin(Section::mail_objects);
  const StoredMailObjects stored = co_await read_mail_objects(context, store);
  co_await references.add(stored);
  for (const auto& [id, object] : stored.objects) {
    if (const auto& file = object.template_file) {
      const std::string bytes = co_await references.read_template(context, store, id, *file);
      if (!sink.write_template(template_path(id, *file), bytes)) co_await std::unexpected(Failure::cancelled);
    }
    co_await document.add(mail_object_element(id, object, stored.configurations.of(id)));
    co_await flush(document, sink);
  }
  document.end();
}

Task<void> export_values(Context& context, KeyValueStore& store, DocumentWriter& document, ExportSink& sink,
                         StoredReferences& references, const StoredEntity& entity) {
  document.begin(entity.section);
  IdSet keys;
  co_await scan_entries(context, store, entity.prefix, [&](std::string_view key, std::string_view value) {
    keys.insert(IdSet::of(key));
    return references.add(entity, value).and_then([&] { return document.add(entity.element(value)); }).and_then([&] {
      return flush(document, sink);
    });
  });
  co_await references.check_indexes(context, store, entity, keys);
  document.end();
}

// The end of the document, from the grants on, stays in `document`.
Task<void> export_sections(Context& context, KeyValueStore& store, DocumentWriter& document, ExportSink& sink,
                           StoredReferences& references) {
  co_await export_mail_objects(context, store, document, sink, references);
  for (const StoredEntity& entity : stored_entities) {
    co_await export_values(context, store, document, sink, references, entity);
  }
  co_await references.check_absent_grants(context, store);
  const auto session = co_await store.open(context);
  co_await append_grants(context, *session, document);
}

}  // namespace

Task<bool> export_document(Context& context, KeyValueStore& store, const DataState& state, ExportSink& sink) {
  DocumentWriter document;
  StoredReferences references(state);
  const auto exported = co_await outcome(export_sections(context, store, document, sink, references));
  // Values of two states may also seem to be corrupt.
  if (co_await read_data_state(context, store) != state) co_return false;
  references.log_missing(context);
  co_await exported;
  co_await flush(document, sink);
  co_return true;
}

}  // namespace portail
