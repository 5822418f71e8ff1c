#include "core/portal/records/bundle.hpp"

#include "core/base/hexadecimal.hpp"
#include "core/crypto/hash.hpp"

namespace portail {
namespace {

void append_fields(std::string& out, std::initializer_list<std::string_view> fields) {
  bool first = true;
  for (const std::string_view field : fields) {
    if (!first) out += '\t';
    out += field;
    first = false;
  }
  out += '\n';
}

}  // namespace

Result<Bundle> read_bundle(std::string_view value) {
  Bundle bundle;
  Lines lines(value);
  Fields head(lines.next_or_empty());
  bundle.revision = head.next_or_empty();
  const auto deposits = parse_count(head.next_or_empty());
  bundle.instant = head.next_or_empty();
  Fields fields(lines.next_or_empty());
  for (std::string_view* field :
       {&bundle.id, &bundle.name, &bundle.creation_date, &bundle.third_party, &bundle.loan, &bundle.amount}) {
    *field = fields.next_or_empty();
  }
  const std::string_view put_in_place = fields.next_or_empty();
  if (!deposits || (put_in_place != "true" && put_in_place != "false")) return std::unexpected(Failure::corrupt);
  bundle.deposits = *deposits;
  bundle.put_in_place = put_in_place == "true";
  bundle.piece_lines = lines.rest();
  return bundle;
}

bool is_intact_bundle(std::string_view value) {
  const auto bundle = read_bundle(value);
  if (!bundle) return false;
  Pieces pieces(*bundle);
  for (;;) {
    const auto piece = pieces.next();
    if (!piece) return false;
    if (!*piece) return bundle->revision == lower_hex(blake2b(value.substr(bundle->revision.size() + 1)));
  }
}

std::string encode_bundle(const Bundle& bundle, std::span<const ExpectedPiece> pieces) {
  std::string text;
  append_fields(text, {std::to_string(bundle.deposits), bundle.instant});
  append_fields(text, {bundle.id, bundle.name, bundle.creation_date, bundle.third_party, bundle.loan, bundle.amount,
                       bundle.put_in_place ? "true" : "false"});
  for (const ExpectedPiece& piece : pieces) {
    append_fields(
        text, {piece.id, std::to_string(piece.mail_object), piece.status, piece.reason, piece.deposit.value_or("-")});
  }
  return lower_hex(blake2b(text)) + '\t' + text;
}

Result<std::optional<ExpectedPiece>> Pieces::next() {
  const auto line = lines_.next();
  if (!line) return std::nullopt;
  Fields fields(*line);
  ExpectedPiece piece;
  piece.id = fields.next_or_empty();
  const auto mail_object = parse_count(fields.next_or_empty());
  piece.status = fields.next_or_empty();
  piece.reason = fields.next_or_empty();
  const std::string_view deposit = fields.next_or_empty();
  if (!mail_object || deposit.empty()) return std::unexpected(Failure::corrupt);
  piece.mail_object = *mail_object;
  if (deposit != "-") piece.deposit = deposit;
  return piece;
}

BundleSortKey bundle_sort_key(std::string_view instant, std::string_view id) {
  Splitter parts(instant, '.');
  const std::string_view integer_part = parts.next_or_empty();
  BundleSortKey key{.seconds = 0, .fraction = parts.next_or_empty(), .id = id};
  std::from_chars(integer_part.data(), integer_part.data() + integer_part.size(), key.seconds);
  while (key.fraction.ends_with('0')) key.fraction.remove_suffix(1);
  return key;
}

bool precedes(const BundleSortKey& a, const BundleSortKey& b) {
  if (a.seconds != b.seconds) return a.seconds > b.seconds;
  if (a.fraction != b.fraction) return a.fraction > b.fraction;
  return a.id < b.id;
}

}  // namespace portail
