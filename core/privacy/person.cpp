#include "core/privacy/person.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <ranges>
#include <set>
#include <span>
#include <utility>

#include "core/audit/audit_state.hpp"
#include "core/audit/record_hash.hpp"
#include "core/base/text.hpp"
#include "core/crypto/hash.hpp"
#include "core/exchange/export_elements.hpp"
#include "core/exchange/scans.hpp"
#include "core/exchange/steps/stored_grants.hpp"
#include "core/exchange/stored_entities.hpp"
#include "core/json/reader.hpp"
#include "core/json/writer.hpp"
#include "core/portal/records/consultations.hpp"
#include "core/portal/records/lines.hpp"
#include "core/portal/records/third_party.hpp"
#include "core/privacy/subject_pattern.hpp"
#include "core/storage/audit_name.hpp"
#include "core/storage/key.hpp"
#include "core/storage/read_value.hpp"

namespace portail {
namespace {

// The numbers, JSON strings, of the third parties that name the person in a relation.
struct RelatedThirdParties {
  std::set<std::string, std::less<>> as_user;
  std::set<std::string, std::less<>> as_manager;
};

Task<RelatedThirdParties> read_third_parties(Context& context, KeyValueStore& store, std::string_view person,
                                             PersonData& data) {
  RelatedThirdParties related;
  co_await scan_entries(
      context, store, third_party_prefix, [&](std::string_view, std::string_view value) -> Result<void> {
        const auto third_party = read_third_party(value);
        if (!third_party) return std::unexpected(third_party.error());
        const bool is_user = has_relation(*third_party, Relation::user, person);
        const bool is_manager = has_relation(*third_party, Relation::manager, person);
        if (is_user) related.as_user.emplace(third_party->number);
        if (is_manager) related.as_manager.emplace(third_party->number);
        if (!is_user && !is_manager) return {};
        JsonWriter json(data.third_parties.emplace_back());
        json.begin_object().name("numeroTiers").raw(third_party->number);
        // A manager's third parties are other persons.
        if (is_user) json.name("nomTiers").raw(third_party->last_name).name("prenomTiers").raw(third_party->first_name);
        json.name("relations").begin_array();
        if (is_user) json.string(wire_name(Relation::user));
        if (is_manager) json.string(wire_name(Relation::manager));
        json.end_array().end_object();
        return {};
      });
  co_return related;
}

// Returns "managedBundles", ...
std::string managed_name(const StoredEntity& entity) {
  std::string name(entity.name);
  name.front() = static_cast<char>(name.front() - 'a' + 'A');
  return "managed" + name + 's';
}

Task<void> read_entities(Context& context, KeyValueStore& store, const StoredEntity& entity,
                         const RelatedThirdParties& related, PersonData& data) {
  PersonData::List own{.name = std::string(name_of(entity.section)), .elements = {}};
  PersonData::List managed{.name = managed_name(entity), .elements = {}};
  co_await scan_entries(context, store, entity.prefix, [&](std::string_view, std::string_view value) -> Result<void> {
    const auto ids = entity.ids(value);
    if (!ids) return std::unexpected(ids.error());
    if (related.as_manager.contains(ids->third_party)) managed.elements.emplace_back(ids->id);
    if (!related.as_user.contains(ids->third_party)) return {};
    return entity.element(value).transform([&](std::string&& element) { own.elements.push_back(std::move(element)); });
  });
  data.entities.push_back(std::move(own));
  data.entities.push_back(std::move(managed));
}

Task<void> read_grants(Context& context, KeyValueStore& store, std::string_view person, PersonData& data) {
  const auto session = co_await store.open(context);
  const AuditedValue audited = co_await read_stored_grants(context, *session);
  const Grants grants = co_await Grants::parse(audited.content);
  grants.for_each([&](Permission permission, GrantKind kind, std::string_view name) {
    if (kind == GrantKind::user && name == person) data.grants.push_back(grant_element(permission, kind, name));
  });
}

// Returns the query of a call, a JSON string, with the pseudonym in the place of the subject; nullopt if it does not
// have the subject.
std::optional<std::string> replaced_query(std::string_view json, const SubjectPattern& pattern,
                                          std::string_view pseudonym) {
  const auto document = parse_json(json);
  const auto query = document ? string_of(document->root()) : std::nullopt;
  const auto replaced = query ? pattern.replaced(*query, pseudonym) : std::nullopt;
  return replaced ? std::optional(json_string(*replaced)) : std::nullopt;
}

// Replaces the subject as the author, as the bearer of a grant, and in a query. Returns whether there was one.
bool replace_subject(std::string& record, const SubjectPattern& pattern, std::string_view person,
                     std::string_view pseudonym) {
  return erase_personal_strings(record,
                                [&](std::string_view name, std::string_view json) -> std::optional<std::string> {
                                  if (name == "query") return replaced_query(json, pattern, pseudonym);
                                  if (json != person) return std::nullopt;
                                  return json_string(pseudonym);
                                });
}

// Whether a record has the subject where its hash covers the text, for example in the id of a call.
bool has_other_occurrence(std::string record, const SubjectPattern& pattern) {
  erase_personal_strings(record, [](std::string_view, std::string_view) { return std::string("\"\""); });
  return pattern.occurs_in_strings(record);
}

// One scan over the store finds the subject in every key and value.
class OccurrenceReader {
 public:
  OccurrenceReader(std::string_view subject, Instant now, PersonData& data)
      : pattern_(subject), person_(json_string(subject)), now_(now), data_(data) {}

  Result<void> read(std::string_view key, std::string_view value) {
    if (pattern_.is_consultation(key)) return read_consultations(key, value);
    if (key.starts_with(audit_prefix)) {
      read_record(key, value);
    } else if (key == import_lock_key && pattern_.occurs_in(value) && has_expired(value)) {
      data_.import_lock = value;
    } else if (!is_of_import(key, value) && (pattern_.occurs_in_key(key) || occurs_in_value(key, value))) {
      data_.other_keys.emplace_back(key);
    }
    return {};
  }

  void finish() {
    for (const auto& [bundle, count] : seen_) {
      JsonWriter json(data_.consultations.emplace_back());
      json.begin_object().name("liasse").raw(bundle).name("depots").integer(static_cast<std::int64_t>(count));
      json.end_object();
    }
  }

 private:
  Result<void> read_consultations(std::string_view key, std::string_view value) {
    Consultations consultations;
    if (auto added = consultations.add_part(key.ends_with(".0") ? 0 : 1, value); !added) return added;
    consultations.for_each([this](std::string_view bundle, std::uint64_t count) {
      std::uint64_t& highest = seen_[std::string(bundle)];
      highest = std::max(highest, count);
    });
    data_.consultation_keys.emplace_back(key);
    return {};
  }

  void read_record(std::string_view key, std::string_view value) {
    std::string record(value);
    if (replace_subject(record, pattern_, person_, "")) {
      data_.audit_records.emplace_back(value);
      data_.audit_keys.emplace_back(key);
    }
    if (has_other_occurrence(std::move(record), pattern_)) data_.other_keys.emplace_back(key);
  }

  // An import that holds the lock (core/management/stored_import_lock.cpp) needs its value: TOKEN TAB EXPIRY TAB
  // IMPORT.
  [[nodiscard]] bool has_expired(std::string_view lock) const {
    Fields fields(lock);
    fields.next_or_empty();
    const auto expiry = parse_count(fields.next_or_empty());
    return !expiry || static_cast<std::int64_t>(*expiry) <= now_.microseconds;
  }

  // Whether the element names the person, so that PersonData has it already.
  [[nodiscard]] bool is_of_import(std::string_view key, std::string_view value) const {
    if (key == grants_key) return !data_.grants.empty();
    if (pattern_.is_index(key)) return !data_.third_parties.empty();
    if (!key.starts_with(third_party_prefix)) return false;
    const auto third_party = read_third_party(value);
    return third_party && (has_relation(*third_party, Relation::user, person_) ||
                           has_relation(*third_party, Relation::manager, person_));
  }

  // Files and key sets are searched as they are, lines and JSON objects in their strings.
  [[nodiscard]] bool occurs_in_value(std::string_view key, std::string_view value) const {
    const bool is_raw =
        key.starts_with(template_prefix) || key.starts_with(template_deposit_prefix) || key.starts_with(config_prefix);
    return is_raw ? pattern_.occurs_in(value) : pattern_.occurs_in_strings(value);
  }

  SubjectPattern pattern_;
  std::string person_;
  Instant now_;
  PersonData& data_;
  std::map<std::string, std::uint64_t, std::less<>> seen_;
};

void append_list(std::string& text, std::string_view name, const std::vector<std::string>& elements) {
  text.append(",\n\"").append(name).append("\":[");
  for (const std::string& element : elements) {
    text += &element == elements.data() ? "\n" : ",\n";
    text += element;
  }
  text += elements.empty() ? "]" : "\n]";
}

// One step of an erasure: as many records as one record of it can confirm.
struct ErasureStep {
  std::span<const std::string> keys;
  std::span<const std::string> before;  // the records
  std::vector<std::string> after;
  std::size_t consultations = 0;
};
constexpr std::size_t max_records_per_step = 2'000;  // 110 bytes each; at most max_value_size

std::string erasure_record(Context& context, const ErasureStep& step, std::string_view pseudonym, const Author& author,
                           const AuditLink& link) {
  std::string record;
  JsonWriter json(record);
  begin_record(json, AuditAction::erasure, context.clock.now(), author, link);
  json.name("pseudonym").string(pseudonym);
  json.name("records").integer(static_cast<std::int64_t>(step.keys.size()));
  json.name("consultations").integer(static_cast<std::int64_t>(step.consultations));
  json.name("erased").begin_object();
  for (std::size_t i = 0; i < step.keys.size(); ++i) {
    json.name(step.keys[i]).string(lower_hex(sha256(std::as_bytes(std::span(step.after[i])))));
  }
  json.end_object().end_object();
  return record;
}

// Writes the record of the step, and replaces the records.
Task<void> erase_records(Context& context, KeyValueStore& store, const ErasureStep& step, std::string_view pseudonym,
                         const Author& author) {
  const auto last = step.keys.empty() ? std::nullopt : audit_name_of(step.keys.back());
  co_await append_call_record(
      context, store, [&](const AuditLink& link) { return erasure_record(context, step, pseudonym, author, link); },
      last);
  for (std::size_t i = 0; i < step.keys.size(); ++i) {
    if (co_await store.compare_and_swap(context, step.keys[i], step.before[i], step.after[i])) continue;
    // A record changes only when it is pruned, when its import ends, or by another erasure.
    if (co_await read_value(context, store, step.keys[i])) co_await std::unexpected(Failure::unavailable);
  }
}

// Removes the parts, of which the first one has their number, in the reverse order.
Task<void> remove_consultations(Context& context, KeyValueStore& store, const std::vector<std::string>& keys) {
  std::vector<Change> changes;
  for (const std::string& key : keys | std::views::reverse) changes.push_back({key, std::nullopt});
  if (!changes.empty()) co_await store.write(context, changes);
}

}  // namespace

Task<PersonData> read_person(Context& context, KeyValueStore& store, std::string_view subject) {
  PersonData data;
  const std::string person = json_string(subject);
  const RelatedThirdParties related = co_await read_third_parties(context, store, person, data);
  for (const StoredEntity& entity : stored_entities) {
    if (!entity.reference_name.empty()) co_await read_entities(context, store, entity, related, data);
  }
  co_await read_grants(context, store, person, data);
  OccurrenceReader reader(subject, context.clock.now(), data);
  co_await scan_entries(context, store, "",
                        [&reader](std::string_view key, std::string_view value) { return reader.read(key, value); });
  reader.finish();
  co_return data;
}

std::string person_document(std::string_view subject, std::string_view log_pseudonym, const PersonData& data) {
  std::string text = "{\"subject\":";
  append_json_string(text, subject);
  text.append(",\n\"logPseudonym\":").append(log_pseudonym.empty() ? "null" : json_string(log_pseudonym));
  append_list(text, name_of(Section::third_parties), data.third_parties);
  for (const auto& [name, elements] : data.entities) append_list(text, name, elements);
  append_list(text, "consultations", data.consultations);
  append_list(text, name_of(Section::grants), data.grants);
  append_list(text, "audit", data.audit_records);
  std::vector<std::string> other_keys;
  for (const std::string& key : data.other_keys) other_keys.push_back(json_string(key));
  append_list(text, "otherKeys", other_keys);
  return text + '}';
}

Task<std::string> erase_person(Context& context, KeyValueStore& store, std::string_view subject, const PersonData& data,
                               const Author& author) {
  std::array<std::byte, 8> bytes{};
  context.random.fill(bytes);
  const std::string pseudonym = "erased-" + lower_hex(bytes);
  const SubjectPattern pattern(subject);
  const std::string person = json_string(subject);
  const std::span<const std::string> keys(data.audit_keys);
  const std::span<const std::string> records(data.audit_records);
  std::size_t done = 0;
  do {
    const std::size_t count = std::min(keys.size() - done, max_records_per_step);
    ErasureStep step{.keys = keys.subspan(done, count),
                     .before = records.subspan(done, count),
                     .after = {},
                     .consultations = done == 0 ? data.consultations.size() : 0};
    for (const std::string& record : step.before) {
      replace_subject(step.after.emplace_back(record), pattern, person, pseudonym);
    }
    co_await erase_records(context, store, step, pseudonym, author);
    done += count;
  } while (done < keys.size());
  co_await remove_consultations(context, store, data.consultation_keys);
  if (data.import_lock && !co_await store.compare_and_swap(context, import_lock_key, *data.import_lock, "")) {
    co_await std::unexpected(Failure::unavailable);  // another import has begun
  }
  co_return pseudonym;
}

}  // namespace portail
