#include "core/exchange/person.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <ranges>
#include <set>
#include <span>
#include <utility>

#include "core/base/hexadecimal.hpp"
#include "core/base/text.hpp"
#include "core/crypto/hash.hpp"
#include "core/exchange/export_elements.hpp"
#include "core/exchange/result_visitor.hpp"
#include "core/exchange/steps/stored_grants.hpp"
#include "core/http/query.hpp"
#include "core/json/reader.hpp"
#include "core/json/writer.hpp"
#include "core/portal/audit/audit_state.hpp"
#include "core/portal/audit/record_hash.hpp"
#include "core/portal/records/bundle.hpp"
#include "core/portal/records/consultations.hpp"
#include "core/portal/records/third_party.hpp"
#include "core/storage/audit_name.hpp"
#include "core/storage/key.hpp"
#include "core/storage/read_value.hpp"

namespace portail {
namespace {

template <class Visit>
Task<void> visit_all(Context& context, KeyValueStore& store, std::string_view prefix, Visit visit_entry) {
  ResultVisitor visitor(std::move(visit_entry));
  co_await store.scan(context, prefix, visitor);
  co_await visitor.outcome();
}

// The numbers, JSON strings, of the third parties that name the person in a relation.
struct RelatedThirdParties {
  std::set<std::string, std::less<>> as_user;
  std::set<std::string, std::less<>> as_manager;
};

Task<RelatedThirdParties> read_third_parties(Context& context, KeyValueStore& store, std::string_view person,
                                             PersonData& data) {
  RelatedThirdParties related;
  co_await visit_all(context, store, third_party_prefix, [&](std::string_view, std::string_view value) -> Result<void> {
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

Task<void> read_bundles(Context& context, KeyValueStore& store, const RelatedThirdParties& related, PersonData& data) {
  co_await visit_all(context, store, bundle_prefix, [&](std::string_view, std::string_view value) -> Result<void> {
    const auto bundle = read_bundle(value);
    if (!bundle) return std::unexpected(bundle.error());
    if (related.as_manager.contains(bundle->third_party)) data.managed_bundles.emplace_back(bundle->id);
    if (!related.as_user.contains(bundle->third_party)) return {};
    auto element = bundle_element(value);
    if (!element) return std::unexpected(element.error());
    data.bundles.push_back(std::move(*element));
    return {};
  });
}

Task<void> read_consultations(Context& context, KeyValueStore& store, std::string_view subject, PersonData& data) {
  const std::string part_0 = consultation_key(subject, 0);
  const std::string_view prefix = std::string_view(part_0).substr(0, part_0.size() - 1);
  std::map<std::string, std::uint64_t, std::less<>> seen;
  co_await visit_all(context, store, prefix, [&](std::string_view key, std::string_view value) -> Result<void> {
    Consultations consultations;
    if (auto added = consultations.add_part(key == part_0 ? 0 : 1, value); !added) return added;
    consultations.for_each([&seen](std::string_view bundle, std::uint64_t count) {
      std::uint64_t& highest = seen[std::string(bundle)];
      highest = std::max(highest, count);
    });
    data.consultation_keys.emplace_back(key);
    return {};
  });
  for (const auto& [bundle, count] : seen) {
    JsonWriter json(data.consultations.emplace_back());
    json.begin_object().name("liasse").raw(bundle).name("depots").integer(static_cast<std::int64_t>(count));
    json.end_object();
  }
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
std::optional<std::string> replaced_query(std::string_view json, std::string_view subject, std::string_view pseudonym) {
  const auto document = parse_json(json);
  const auto query = document ? string_of(document->root()) : std::nullopt;
  std::string replaced;
  bool found = false;
  for (std::string_view rest = query.value_or(""); !rest.empty();) {
    const std::string_view parameter = take_until(rest, '&');
    const bool is_subject = query_value(parameter, "subject") == subject;
    found = found || is_subject;
    replaced.append(replaced.empty() ? "" : "&");
    is_subject ? replaced.append("subject=").append(pseudonym) : replaced.append(parameter);
  }
  return found ? std::optional(json_string(replaced)) : std::nullopt;
}

// Replaces the subject as the author, as the bearer of a grant, and in a query. Returns whether there was one.
bool replace_subject(std::string& record, std::string_view subject, std::string_view pseudonym) {
  const std::string person = json_string(subject);
  return erase_personal_strings(record,
                                [&](std::string_view name, std::string_view json) -> std::optional<std::string> {
                                  if (name == "query") return replaced_query(json, subject, pseudonym);
                                  if (json != person) return std::nullopt;
                                  return json_string(pseudonym);
                                });
}

Task<void> read_audit_records(Context& context, KeyValueStore& store, std::string_view subject, PersonData& data) {
  co_await visit_all(context, store, audit_prefix, [&](std::string_view key, std::string_view value) -> Result<void> {
    std::string record(value);
    if (!replace_subject(record, subject, "")) return {};
    data.audit_records.emplace_back(value);
    data.audit_keys.emplace_back(key);
    return {};
  });
}

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
  co_await read_bundles(context, store, related, data);
  co_await read_consultations(context, store, subject, data);
  co_await read_grants(context, store, person, data);
  co_await read_audit_records(context, store, subject, data);
  co_return data;
}

std::string person_document(std::string_view subject, std::string_view log_pseudonym, const PersonData& data) {
  std::string text = "{\"subject\":";
  append_json_string(text, subject);
  text.append(",\n\"logPseudonym\":").append(log_pseudonym.empty() ? "null" : json_string(log_pseudonym));
  append_list(text, "tiers", data.third_parties);
  append_list(text, "liasses", data.bundles);
  append_list(text, "managedBundles", data.managed_bundles);
  append_list(text, "consultations", data.consultations);
  append_list(text, "droits", data.grants);
  append_list(text, "audit", data.audit_records);
  return text + '}';
}

Task<std::string> erase_person(Context& context, KeyValueStore& store, std::string_view subject, const PersonData& data,
                               const Author& author) {
  std::array<std::byte, 8> bytes{};
  context.random.fill(bytes);
  const std::string pseudonym = "erased-" + lower_hex(bytes);
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
      replace_subject(step.after.emplace_back(record), subject, pseudonym);
    }
    co_await erase_records(context, store, step, pseudonym, author);
    done += count;
  } while (done < keys.size());
  co_await remove_consultations(context, store, data.consultation_keys);
  co_return pseudonym;
}

}  // namespace portail
