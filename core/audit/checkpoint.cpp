#include "core/audit/checkpoint.hpp"

#include "core/audit/record_hash.hpp"
#include "core/base/text.hpp"
#include "core/base/time.hpp"
#include "core/json/reader.hpp"
#include "core/json/writer.hpp"

namespace portail {
namespace {

constexpr std::int64_t version = 1;

// Returns the end that the member names; nullopt for null. `is_valid` becomes false for other values.
std::optional<ChainEnd> parse_end(JsonValue value, bool& is_valid) {
  if (value.is_null()) return std::nullopt;
  const auto object = object_of(value);
  const auto last = object ? audit_name_of(string_member(*object, "last").value_or("")) : std::nullopt;
  const auto hash = object ? parse_hash32(string_member(*object, "hash").value_or("")) : std::nullopt;
  if (last && hash) return ChainEnd{.last = *last, .hash = *hash};
  is_valid = false;
  return std::nullopt;
}

}  // namespace

std::string_view name_of(AuditChain chain) {
  switch (chain) {
    case AuditChain::configuration:
      return "configuration";
    case AuditChain::grants:
      return "grants";
    case AuditChain::calls:
      return "calls";
  }
  return {};
}

std::string checkpoint_text(const Checkpoint& checkpoint) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().name("portailAuditCheckpoint").integer(version);
  json.name("time").string(utc_text(checkpoint.time)).name("microseconds").integer(checkpoint.time.microseconds);
  json.name("prunedBefore");
  checkpoint.pruned_before ? json.integer(checkpoint.pruned_before->microseconds) : json.null();
  for (const AuditChain chain : audit_chains) {
    json.name(name_of(chain));
    const auto& end = checkpoint.ends[index_of(chain)];
    if (!end) {
      json.null();
      continue;
    }
    json.begin_object()
        .name("last")
        .string(audit_key(end->last))
        .name("hash")
        .string(lower_hex(end->hash))
        .end_object();
  }
  json.end_object();
  return text;
}

std::optional<Checkpoint> parse_checkpoint(std::string_view text) {
  const auto document = parse_json(text);
  const auto object = document ? object_of(document->root()) : std::nullopt;
  if (!object || integer_member(*object, "portailAuditCheckpoint") != version) return std::nullopt;
  const auto time = integer_member(*object, "microseconds");
  if (!time) return std::nullopt;
  Checkpoint checkpoint{.time = {*time}, .pruned_before = std::nullopt, .ends = {}};
  if (const auto pruned = integer_member(*object, "prunedBefore")) checkpoint.pruned_before = Instant{*pruned};
  bool is_valid = true;
  for (const AuditChain chain : audit_chains) {
    const auto end = member(*object, name_of(chain));
    if (!end) return std::nullopt;
    checkpoint.ends[index_of(chain)] = parse_end(*end, is_valid);
  }
  return is_valid ? std::optional(checkpoint) : std::nullopt;
}

}  // namespace portail
