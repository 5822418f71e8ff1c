#include "core/exchange/export.hpp"

#include <memory>
#include <string>
#include <utility>

#include "core/exchange/export_elements.hpp"
#include "core/exchange/result_visitor.hpp"
#include "core/portal/template_file.hpp"
#include "core/storage/key.hpp"

namespace portail {
namespace {

Result<void> flush(DocumentWriter& document, ExportSink& sink) {
  if (!sink.write(document.take())) return std::unexpected(Failure::cancelled);
  return {};
}

Task<void> export_mail_objects(Context& context, KeyValueStore& store, DocumentWriter& document, ExportSink& sink) {
  document.begin(Section::mail_objects);
  const StoredMailObjects stored = co_await read_mail_objects(context, store);
  for (const auto& [id, object] : stored.objects) {
    if (const auto& file = object.template_file) {
      const auto session = co_await store.open(context);
      const auto bytes = co_await read_template_file(context, *session, id, file->size, file->hash);
      if (!bytes) co_await std::unexpected(Failure::corrupt);
      if (!sink.write_template(template_path(id, *file), *bytes)) co_await std::unexpected(Failure::cancelled);
    }
    co_await document.add(mail_object_element(id, object, stored.configurations.of(id)));
    co_await flush(document, sink);
  }
  document.end();
}

Task<void> export_values(Context& context, KeyValueStore& store, DocumentWriter& document, ExportSink& sink,
                         Section section, std::string_view prefix, Result<std::string> (*read)(std::string_view)) {
  document.begin(section);
  ResultVisitor visitor([&](std::string_view /*key*/, std::string_view value) {
    return document.add(read(value)).and_then([&] { return flush(document, sink); });
  });
  co_await store.scan(context, prefix, visitor);
  co_await visitor.outcome();
  document.end();
}

// The end of the document, from the grants on, stays in `document`.
Task<void> export_sections(Context& context, KeyValueStore& store, DocumentWriter& document, ExportSink& sink) {
  co_await export_mail_objects(context, store, document, sink);
  co_await export_values(context, store, document, sink, Section::third_parties, third_party_prefix,
                         third_party_element);
  co_await export_values(context, store, document, sink, Section::bundles, bundle_prefix, bundle_element);
  const auto session = co_await store.open(context);
  co_await append_grants(context, *session, document);
}

}  // namespace

Task<bool> export_document(Context& context, KeyValueStore& store, const DataState& state, ExportSink& sink) {
  DocumentWriter document;
  const auto exported = co_await outcome(export_sections(context, store, document, sink));
  // Values of two states may also seem to be corrupt.
  if (co_await read_data_state(context, store) != state) co_return false;
  co_await exported;
  co_await flush(document, sink);
  co_return true;
}

}  // namespace portail
