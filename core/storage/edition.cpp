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

class EditionSession final : public ForwardingSession {
 public:
  // `configuration` is the value when the session was opened. `edition` is nullopt if no value may be cached.
  EditionSession(std::unique_ptr<Session> target, ValueCache& cache, Value configuration,
                 const std::optional<StoreRevision>& edition, const std::optional<StoreRevision>& revision)
      : ForwardingSession(std::move(target)),
        configuration_(configuration),
        revision_(revision),
        cached_(cache, edition) {}

  [[nodiscard]] std::optional<StoreRevision> revision() const override { return revision_; }

  Task<void> get(Context& context, std::span<const std::string_view> keys, std::span<Value> values) override {
    std::vector<std::optional<Value>> cached(keys.size());
    bool are_cached = revision_.has_value();  // all values but those of volatile keys
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (keys[i] == configuration_key) continue;
      cached[i] = cached_.find(keys[i]);
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
    std::vector<Value> found(missing.size());
    co_await target().get(context, missing_keys, found);
    for (std::size_t k = 0; k < missing.size(); ++k) {
      values[missing[k]] = found[k];
      if (found[k] && missing_keys[k] != configuration_key) cached_.insert(missing_keys[k], found[k]);
    }
  }

 private:
  const Value configuration_;
  const std::optional<StoreRevision> revision_;
  CachedValues cached_;
};

}  // namespace

Task<std::unique_ptr<Session>> EditionStore::open(Context& context) {
  auto session = co_await target().open(context);
  const std::string_view key = configuration_key;
  Value configuration;
  co_await session->get(context, std::span(&key, 1), std::span(&configuration, 1));
  std::optional<StoreRevision> cached_edition;
  std::optional<StoreRevision> revision;  // also changes with each change of `configuration`
  if (auto audited = read_audited_value(configuration.value_or(""))) {
    const auto edition = take_edition(*audited);
    if (edition && edition->is_complete) {
      const AuditName& last = *audited->last;
      cached_edition = StoreRevision{{static_cast<std::uint64_t>(edition->import.time), edition->import.id}};
      revision = StoreRevision{{edition->import.id, static_cast<std::uint64_t>(last.time), last.id}};
      cache_.set_revision(*cached_edition);
    }
  }
  co_return std::make_unique<EditionSession>(std::move(session), cache_, configuration, cached_edition, revision);
}

}  // namespace portail
