#include "core/portal/records/bundle.hpp"

#include "core/base/text.hpp"
#include "core/crypto/hash.hpp"

namespace portail {

Result<Bundle> read_bundle(std::string_view value) {
  Bundle bundle;
  Lines lines(value);
  Fields head(lines.next_or_empty());
  bundle.revision = head.next_or_empty();
  const auto deposits = parse_count(head.next_or_empty());
  bundle.instant = head.next_or_empty();
  Fields fields(lines.next_or_empty());
  if (!deposits || !read_fields(fields, bundle)) return std::unexpected(Failure::corrupt);
  bundle.deposits = *deposits;
  bundle.piece_lines = lines.rest();
  return bundle;
}

bool is_intact_bundle(std::string_view value) {
  const auto bundle = read_bundle(value);
  if (!bundle) return false;
  return pieces_of(*bundle) && bundle->revision == lower_hex(blake2b(value.substr(bundle->revision.size() + 1)));
}

std::string encode_bundle(const Bundle& bundle) {
  std::string value = encode_without_revision(bundle);
  return value.insert(0, lower_hex(blake2b(std::string_view(value).substr(1))));
}

std::string encode_without_revision(const Bundle& bundle) {
  std::string text = '\t' + std::to_string(bundle.deposits) + '\t';
  text.append(bundle.instant) += '\n';
  append_fields(text, bundle);
  text += '\n';
  text += bundle.piece_lines;
  if (!text.ends_with('\n')) text += '\n';
  return text;
}

Result<std::optional<ExpectedPiece>> Pieces::next() {
  const auto line = lines_.next();
  if (!line) return std::nullopt;
  Fields fields(*line);
  ExpectedPiece piece;
  const auto id = read_fields(fields, piece) ? parse_count(piece.mail_object) : std::nullopt;
  const bool has_leading_zero = piece.mail_object.size() > 1 && piece.mail_object.starts_with('0');
  if (!id || has_leading_zero) return std::unexpected(Failure::corrupt);
  piece.mail_object_id = *id;
  return piece;
}

Result<std::vector<ExpectedPiece>> pieces_of(const Bundle& bundle) {
  std::vector<ExpectedPiece> found;
  for (Pieces pieces(bundle);;) {
    const auto piece = pieces.next();
    if (!piece) return std::unexpected(piece.error());
    if (!*piece) return found;
    found.push_back(**piece);
  }
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
