#include "core/storage/edition.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/storage/key.hpp"
#include "core/storage/mutex.hpp"

namespace portail {
namespace {

constexpr std::string_view edition_prefix = "18446744073709551615\tfalse\tRien\t";
constexpr std::string_view edition_id = edition_prefix.substr(0, edition_prefix.find('\t') + 1);

std::string_view state_of(const Edition& edition) { return edition.is_complete ? "complete" : "begun"; }

// Removes the first field of the line, and the tab after it.
std::string_view take_field(std::string_view& line) {
  const std::string_view field = line.substr(0, line.find('\t'));
  line.remove_prefix(std::min(field.size() + 1, line.size()));
  return field;
}

}  // namespace

std::optional<Edition> take_edition(AuditedValue& configuration) {
  std::string_view& content = configuration.content;
  if (!content.ends_with('\n')) return std::nullopt;
  std::string_view line = content.substr(0, content.size() - 1);
  line.remove_prefix(line.rfind('\n') + 1);
  if (!line.starts_with(edition_id)) return std::nullopt;
  content.remove_suffix(line.size() + 1);
  if (!line.starts_with(edition_prefix)) return std::nullopt;
  line.remove_prefix(edition_prefix.size());
  const auto import = audit_name_of(take_field(line));
  const std::string_view state = take_field(line);
  if (!import || take_field(line) != configuration.last_key || configuration.last_key.empty()) return std::nullopt;
  std::uint32_t sections = 0;  // also if the field is absent
  std::from_chars(line.data(), line.data() + line.size(), sections);
  for (const bool is_complete : {false, true}) {
    const Edition edition{.import = *import, .is_complete = is_complete, .sections = sections};
    if (state == state_of(edition)) return edition;
  }
  return std::nullopt;
}

std::string edition_line(const Edition& edition, const AuditName& last) {
  std::string line(edition_prefix);
  line.append(audit_key(edition.import)).append("\t").append(state_of(edition)).append("\t");
  line.append(audit_key(last));
  if (edition.sections != 0) line.append("\t").append(std::to_string(edition.sections));
  line.append("\n");
  return line;
}

std::string incomplete_configuration(std::string_view value) {
  auto audited = read_audited_value(value);
  auto edition = audited ? take_edition(*audited) : std::nullopt;
  if (!edition) return std::string(value);
  edition->is_complete = false;
  std::string copy = audit_line(*audited->last);
  return copy.append(audited->content).append(edition_line(*edition, *audited->last));
}

namespace {

struct Revisions {
  std::optional<StoreRevision> edition;   // nullopt: no value may be cached
  std::optional<StoreRevision> revision;  // also changes with each change of `configuration`
};

Revisions revisions_of(Value configuration) {
  auto audited = read_audited_value(configuration.value_or(""));
  const auto edition = audited ? take_edition(*audited) : std::nullopt;
  if (!edition || !edition->is_complete) return {};
  const AuditName& last = *audited->last;
  return {.edition = StoreRevision{{static_cast<std::uint64_t>(edition->import.time), edition->import.id}},
          .revision = StoreRevision{{edition->import.id, static_cast<std::uint64_t>(last.time), last.id}}};
}

// Opens a session, and reads `configuration`.
Task<std::pair<std::unique_ptr<Session>, Value>> read_configuration(Context& context, KeyValueStore& store) {
  auto session = co_await store.open(context);
  const std::string_view key = configuration_key;
  Value configuration;
  co_await session->get(context, std::span(&key, 1), std::span(&configuration, 1));
  co_return std::pair(std::move(session), configuration);
}

class EditionSession final : public Session {
 public:
  // `target` has read `configuration`. Null: another request has, and `shared` owns the value; the target is opened
  // when values must be read.
  EditionSession(KeyValueStore& store, ValueCache& cache, std::unique_ptr<Session> target, Value configuration,
                 EditionStore::SharedConfiguration shared)
      : store_(store), cache_(cache), target_(std::move(target)), shared_(std::move(shared)) {
    revision_ = use(configuration).revision;
  }

  [[nodiscard]] std::optional<StoreRevision> revision() const override { return revision_; }
  void release() override {
    is_released_ = true;
    if (has_target()) target_->release();
  }
  [[nodiscard]] std::size_t copied_bytes() const override {
    return has_target() ? target_->copied_bytes() : configuration_.value_or("").size();
  }

  Task<void> get(Context& context, std::span<const std::string_view> keys, std::span<Value> values) override {
    if (!has_target() && store_.traits().snapshots) {
      // All values must be of one state, which may be later than that of the shared value.
      auto [target, configuration] = co_await read_configuration(context, store_);
      target_ = std::move(target);
      use(configuration);
    }
    std::vector<std::optional<Value>> cached(keys.size());
    bool are_cached = has_edition_;  // all values but those of volatile keys
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (keys[i] == configuration_key) continue;
      cached[i] = cached_->find(keys[i]);
      are_cached &= cached[i] || is_volatile_key(keys[i]);
    }
    std::vector<std::size_t> missing;  // indices of the keys to be read
    std::vector<std::string_view> missing_keys;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      // Values that are read now may be newer than configuration_: an import writes the configuration before the mail
      // objects that it belongs to. It is read again with them, in the order of the keys.
      if (keys[i] == configuration_key && are_cached) cached[i] = configuration_;
      if (cached[i]) {
        values[i] = *cached[i];
      } else {
        missing.push_back(i);
        missing_keys.push_back(keys[i]);
      }
    }
    if (missing.empty()) co_return;
    if (!has_target()) target_ = co_await store_.open(context);
    std::vector<Value> found(missing.size());
    co_await target_->get(context, missing_keys, found);
    if (is_released_) target_->release();
    for (std::size_t k = 0; k < missing.size(); ++k) {
      values[missing[k]] = found[k];
      if (found[k] && missing_keys[k] != configuration_key) cached_->insert(missing_keys[k], found[k]);
    }
  }

 private:
  [[nodiscard]] bool has_target() const { return !has_threads || target_ != nullptr; }

  // Sets the state whose values are cached.
  Revisions use(Value configuration) {
    const Revisions revisions = revisions_of(configuration);
    if (revisions.edition) cache_.set_revision(*revisions.edition);
    configuration_ = configuration;
    has_edition_ = revisions.edition.has_value();
    cached_.emplace(cache_, revisions.edition);
    return revisions;
  }

  KeyValueStore& store_;
  ValueCache& cache_;
  std::unique_ptr<Session> target_;
  const EditionStore::SharedConfiguration shared_;
  std::optional<StoreRevision> revision_;
  Value configuration_;  // in the memory of target_ or shared_
  bool has_edition_ = false;
  bool is_released_ = false;
  std::optional<CachedValues> cached_;
};

}  // namespace

Task<std::unique_ptr<Session>> EditionStore::open(Context& context) {
  std::optional<ConfigurationCheck::Turn> turn;
  if (has_threads && context.suspension) {  // only hosts with threads suspend requests
    turn.emplace(checks_, *context.suspension);
    if (auto shared = co_await turn->wait(context)) {
      const Value configuration = *shared;
      co_return std::make_unique<EditionSession>(target(), cache_, nullptr, configuration, std::move(shared));
    }
  }
  auto read = co_await outcome(read_configuration(context, target()));
  if (turn) {
    const bool is_shared = read && turn->is_awaited();
    turn->end(is_shared ? std::make_shared<std::optional<std::string>>(read->second) : nullptr);
  }
  auto [session, configuration] = co_await std::move(read);
  co_return std::make_unique<EditionSession>(target(), cache_, std::move(session), configuration, nullptr);
}

}  // namespace portail
