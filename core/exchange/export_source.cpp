#include "core/exchange/export_source.hpp"

namespace portail {
namespace {

constexpr std::size_t chunk_size = std::size_t{64} * 1024;

}  // namespace

Task<bool> ExportSource::begin(Context& context) {
  auto session = co_await store_.open(context);
  if (co_await read_data_state(context, *session) != state_) co_return false;
  const auto read = co_await outcome(read_beginning(context));
  // Scans have no session. The state is also that of the first one, so they saw the same keys.
  if (co_await read_data_state(context, store_) != state_) co_return false;
  if (!read) references_.log_missing(context);
  co_await read;
  if (holds_session()) session_ = std::move(session);
  is_checked_ = holds_session() || ended_;
  co_return true;
}

Task<void> ExportSource::read_beginning(Context& context) {
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    co_await keys_[i].read(context, store_, stored_entities[i].prefix);
    if (!stored_entities[i].indexes.empty()) {
      co_await references_.check_indexes(context, store_, stored_entities[i], keys_[i].set());
    }
  }
  while (!holds_session() && !ended_ && document_.size() < buffer_size_) co_await step(context);
}

Task<std::optional<std::string_view>> ExportSource::next(Context& context) {
  const auto filled = co_await outcome(fill(context));
  chunk_ = document_.take();
  if (filled && chunk_.empty()) co_return std::nullopt;
  // Values of two states may also seem to be corrupt.
  if ((!is_checked_ || !filled) && co_await read_data_state(context, store_) != state_) {
    co_return std::unexpected(Failure::unavailable);
  }
  if (!filled) references_.log_missing(context);
  co_await filled;
  co_return chunk_;
}

Task<void> ExportSource::fill(Context& context) {
  while (!ended_ && document_.size() < chunk_size) co_await step(context);
}

Task<void> ExportSource::step(Context& context) {
  if (session_) co_return co_await step(context, *session_);
  const auto session = co_await store_.open(context);
  co_await step(context, *session);
}

Task<void> ExportSource::step(Context& context, Session& session) {
  if (!begun_) {
    document_.begin(Section::mail_objects);
    const StoredMailObjects stored = co_await read_mail_objects(context, session);
    co_await references_.add(stored);
    for (const auto& [id, object] : stored.objects) {
      co_await document_.add(mail_object_element(id, object, stored.configurations.of(id)));
    }
    document_.end();
    document_.begin(stored_entities.front().section);
    begun_ = true;
    co_return;
  }
  if (!keys_[entity_].empty()) {
    for (const KeyBatches::Entry& entry : co_await keys_[entity_].take(context, session)) {
      if (!entry.value) continue;
      co_await references_.add(stored_entities[entity_], *entry.value);
      co_await document_.add(stored_entities[entity_].element(*entry.value));
    }
    co_return;
  }
  document_.end();
  if (entity_ + 1 < stored_entities.size()) {
    document_.begin(stored_entities[++entity_].section);
  } else {
    co_await references_.check_absent_grants(context, store_);
    co_await append_grants(context, session, document_);
    ended_ = true;
  }
}

}  // namespace portail
