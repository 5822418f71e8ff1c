#include "core/exchange/export_source.hpp"

#include "core/storage/key.hpp"

namespace portail {
namespace {

constexpr std::size_t chunk_size = std::size_t{64} * 1024;

}  // namespace

Task<std::optional<std::string_view>> ExportSource::next(Context& context) {
  while (!ended_ && document_.size() < chunk_size) co_await step(context);
  chunk_ = document_.take();
  if (chunk_.empty()) co_return std::nullopt;
  co_return chunk_;
}

Task<void> ExportSource::step(Context& context) {
  if (!keys_.empty()) {
    co_await add_values(context);
    co_return;
  }
  if (!section_) {
    co_await add_mail_objects(context);
    co_await begin_values(context, Section::third_parties, third_party_prefix);
  } else if (*section_ == Section::third_parties) {
    document_.end();
    co_await begin_values(context, Section::bundles, bundle_prefix);
  } else {
    document_.end();
    co_await append_grants(context, store_, document_);
    ended_ = true;
  }
}

Task<void> ExportSource::add_mail_objects(Context& context) {
  document_.begin(Section::mail_objects);
  const StoredMailObjects stored = co_await read_mail_objects(context, store_);
  for (const auto& [id, object] : stored.objects) {
    co_await document_.add(mail_object_element(id, object, stored.configurations.of(id)));
  }
  document_.end();
}

Task<void> ExportSource::begin_values(Context& context, Section section, std::string_view prefix) {
  section_ = section;
  document_.begin(section);
  co_await keys_.read(context, store_, prefix);
}

Task<void> ExportSource::add_values(Context& context) {
  const auto session = co_await store_.open(context);
  for (const KeyBatches::Entry& entry : co_await keys_.take(context, *session)) {
    if (!entry.value) continue;
    co_await document_.add(*section_ == Section::bundles ? bundle_element(*entry.value)
                                                         : third_party_element(*entry.value));
  }
}

}  // namespace portail
