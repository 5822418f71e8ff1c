#include "core/exchange/export.hpp"

#include <memory>
#include <string>
#include <utility>

#include "core/exchange/export_elements.hpp"
#include "core/portal/template_file.hpp"
#include "core/storage/key.hpp"

namespace portail {
namespace {

Result<void> flush(DocumentWriter& document, ExportSink& sink) {
  if (!sink.write(document.take())) return std::unexpected(Failure::cancelled);
  return {};
}

// Adds each visited value to the document.
class ElementVisitor final : public Visitor {
 public:
  using Read = Result<std::string> (*)(std::string_view value);

  ElementVisitor(DocumentWriter& document, ExportSink& sink, Read read)
      : document_(document), sink_(sink), read_(read) {}
  bool visit(std::string_view /*key*/, std::string_view value) override {
    outcome_ = document_.add(read_(value)).and_then([this] { return flush(document_, sink_); });
    return outcome_.has_value();
  }
  [[nodiscard]] Result<void> outcome() const { return outcome_; }

 private:
  DocumentWriter& document_;
  ExportSink& sink_;
  Read read_;
  Result<void> outcome_;
};

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
                         Section section, std::string_view prefix, ElementVisitor::Read read) {
  document.begin(section);
  ElementVisitor visitor(document, sink, read);
  co_await store.scan(context, prefix, visitor);
  co_await visitor.outcome();
  document.end();
}

}  // namespace

Task<void> export_document(Context& context, KeyValueStore& store, ExportSink& sink) {
  DocumentWriter document;
  co_await export_mail_objects(context, store, document, sink);
  co_await export_values(context, store, document, sink, Section::third_parties, third_party_prefix,
                         third_party_element);
  co_await export_values(context, store, document, sink, Section::bundles, bundle_prefix, bundle_element);
  co_await append_grants(context, store, document);
  co_await flush(document, sink);
}

}  // namespace portail
