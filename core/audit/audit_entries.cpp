#include "core/audit/audit_entries.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "core/audit/audit_record.hpp"
#include "core/audit/record_hash.hpp"
#include "core/json/reader.hpp"

namespace portail {
namespace {

std::optional<AuditChain> chain_of(std::string_view action) {
  using enum AuditAction;
  if (action == name_of(grants)) return AuditChain::grants;
  if (action == name_of(call) || action == name_of(erasure)) return AuditChain::calls;
  constexpr std::array others{update, replace_configuration, import, import_outcome, keys, template_file};
  const bool is_known = std::ranges::any_of(others, [action](AuditAction each) { return action == name_of(each); });
  return is_known ? std::optional(AuditChain::configuration) : std::nullopt;
}

// Parses the string member `name`. `is_valid` becomes false for a value that is neither null nor such a string.
template <class Parse>
auto parse_member(JsonObject object, std::string_view name, Parse parse, bool& is_valid) {
  const auto value = member(object, name);
  const auto text = value ? string_of(*value) : std::nullopt;
  auto parsed = parse(text.value_or(""));
  if (value && !value->is_null() && !parsed) is_valid = false;
  return parsed;
}

std::optional<RecordText> record_text(std::string_view key, std::string_view hash) {
  const auto name = audit_name_of(key);
  const auto parsed = parse_hash32(hash);
  return name && parsed ? std::optional(RecordText(*name, *parsed)) : std::nullopt;
}

}  // namespace

bool AuditRecords::visit(std::string_view key, std::string_view value) {
  const auto name = audit_name_of(key);
  if (!name) {
    invalid_keys.emplace_back(key);
    return true;
  }
  AuditEntry& entry = entries.emplace_back();
  entry.name = *name;
  entry.hash = audit_record_hash(key, value);
  const SaltForm salt = salt_form(value);
  if (salt == SaltForm::invalid) invalid_salts.push_back(*name);
  if (salt == SaltForm::erased) erased.emplace_back(*name, sha256(std::as_bytes(std::span(value))));
  const auto document = parse_json(value);
  if (const auto object = document ? object_of(document->root()) : std::nullopt) {
    read_members(entry, *object, key, value);
  } else {
    has_unreadable = true;
  }
  return true;
}

void AuditRecords::read_members(AuditEntry& entry, JsonObject object, std::string_view key, std::string_view value) {
  const auto action = string_member(object, "action");
  bool is_valid = member(object, "previous").has_value();
  const auto previous = parse_member(object, "previous", audit_name_of, is_valid);
  has_unreadable = has_unreadable || !is_valid;
  const auto previous_call = parse_member(object, "previousCall", audit_name_of, is_valid);
  entry.previous = previous ? previous : previous_call;
  entry.previous_hash = parse_member(object, "previousHash", parse_hash32, is_valid);
  // An earlier version, whose records have no hash, wrote that of no other record.
  entry.is_record = action && is_valid && (entry.hash || !entry.previous_hash);
  if (!entry.is_record) return;
  entry.chain = chain_of(*action);
  if (action == name_of(AuditAction::import)) {
    const auto text = without_outcome(value);
    const auto hash = text ? audit_record_hash(key, *text) : std::nullopt;
    if (hash) hashes_without_outcome_.emplace(entry.name, *hash);
  } else if (action == name_of(AuditAction::import_outcome)) {
    const auto outcome =
        record_text(string_member(object, "import").value_or(""), string_member(object, "hash").value_or(""));
    if (outcome) outcomes.emplace(entry.name, *outcome);
  } else if (action == name_of(AuditAction::erasure)) {
    const auto found = member(object, "erased");
    if (const auto texts = found ? object_of(*found) : std::nullopt) read_announced(entry.name, *texts);
  }
}

void AuditRecords::read_announced(AuditName erasure, JsonObject texts) {
  for (const JsonMember each : texts) {
    const auto text = record_text(each.name, string_of(each.value).value_or(""));
    if (text) announced.emplace_back(erasure, *text);
  }
}

AuditEntry* AuditRecords::find(AuditName name) {
  const auto found = std::ranges::lower_bound(entries, name, {}, &AuditEntry::name);
  return found != entries.end() && found->name == name ? &*found : nullptr;
}

std::optional<Hash32> AuditRecords::hash_without_outcome(AuditName import) const {
  const auto found = hashes_without_outcome_.find(import);
  return found == hashes_without_outcome_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace portail
