#include "core/api/mail_object_selection.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/text.hpp"
#include "core/json/normal_form.hpp"
#include "core/portal/records/lines.hpp"

namespace portail {
namespace {

// Those of sort_fields after the mail object's own.
enum class OtherField : std::uint8_t { id, usable_for_bundle, assignment, template_link };

std::optional<SortKey> read_key(std::string_view text) {
  text = trimmed(text, " ");
  const std::string_view name = take_until(text, ' ');
  const std::string_view direction = trimmed(text, " ");
  const bool descending = equals_ignoring_case(direction, "desc");
  if (!descending && !direction.empty() && !equals_ignoring_case(direction, "asc")) return std::nullopt;
  for (std::size_t i = 0; i < sort_fields.size(); ++i) {
    if (equals_ignoring_case(name, sort_fields[i])) return SortKey{i, descending};
  }
  return std::nullopt;
}

// Returns a text that sorts by bytes as the field does; objects without a template file come first.
std::string text_of(std::size_t field, const MailObject& object, Configuration configuration) {
  constexpr auto& fields = fields_of<MailObject>;
  static_assert(std::ranges::all_of(
                    fields, [](const auto& field) { return is_string(field.form) && !is_nullable(field.presence); }),
                "other values sort and filter otherwise");
  if (field < fields.size()) return unquoted(object.*fields[field].stored);
  switch (static_cast<OtherField>(field - fields.size())) {
    case OtherField::id: {
      const std::string digits = std::to_string(object.id);
      return std::string(20 - digits.size(), '0') + digits;  // 2^64 has twenty digits
    }
    case OtherField::usable_for_bundle:
      return configuration.usable_for_bundle ? "1" : "0";
    case OtherField::assignment:
      return std::string(wire_name(configuration.assignment));
    case OtherField::template_link:
      return object.template_file ? std::to_string(object.id) : "";
  }
  return {};
}

// Appends `text` so that concatenations sort by it first: it ends in the smallest byte, and is inverted for descending
// order.
void append_sort_text(std::string& out, std::string_view text, bool descending) {
  const std::size_t begin = out.size();
  for (const char c : text) {
    const bool needs_escape = c == '\0' || c == '\1';
    if (needs_escape) out += '\1';
    out += needs_escape ? static_cast<char>(c + 1) : c;
  }
  out += '\0';
  for (std::size_t i = begin; descending && i < out.size(); ++i) out[i] = static_cast<char>(~out[i]);
}

// Composes, and converts to lower case: ASCII, Latin-1, whose capitals are C3 80 to C3 9E in UTF-8, Œ, which is C5 92,
// and Ÿ, which is C5 B8 (ÿ is C3 BF).
std::string folded(std::string_view text) {
  std::string result = composed(text);
  char* before = nullptr;
  for (char& c : result) {
    const auto byte = static_cast<unsigned char>(c);
    const bool follows_c3 = before && *before == '\xc3';
    const bool follows_c5 = before && *before == '\xc5';
    if (follows_c3 && byte >= 0x80 && byte <= 0x9e && byte != 0x97) {
      c = static_cast<char>(byte + 0x20);
    } else if (follows_c5 && byte == 0x92) {
      c = '\x93';
    } else if (follows_c5 && byte == 0xb8) {
      *before = '\xc3';
      c = '\xbf';
    } else {
      c = to_lower_ascii(c);
    }
    before = &c;
  }
  return result;
}

}  // namespace

std::optional<std::vector<SortKey>> read_sorting(std::string_view sorting) {
  std::vector<SortKey> keys;
  sorting = trimmed(sorting, " ");
  while (!sorting.empty()) {
    const bool is_last = !sorting.contains(',');
    const auto key = read_key(take_until(sorting, ','));
    if (!key || (!is_last && sorting.empty())) return std::nullopt;
    if (!std::ranges::contains(keys, key->field, &SortKey::field)) keys.push_back(*key);
  }
  return keys;
}

Result<MailObjectsInOrder> select(const Catalogue& catalogue, const Configurations& configurations,
                                  std::string_view filter, const std::vector<SortKey>& sorting) {
  const std::string folded_filter = folded(filter);
  MailObjectsInOrder selected;
  for (std::size_t i = 0; i < catalogue.size(); ++i) {
    const auto object = catalogue.at(i);
    if (!object) return std::unexpected(object.error());
    const auto contains_filter = [&](const Field<MailObject>& field) {
      return folded(unquoted((*object).*field.stored)).contains(folded_filter);
    };
    if (!folded_filter.empty() && std::ranges::none_of(fields_of<MailObject>, contains_filter)) continue;
    std::string key;
    for (const SortKey& each : sorting) {
      append_sort_text(key, text_of(each.field, *object, configurations.of(object->id)), each.descending);
    }
    selected.emplace(std::move(key), *object);
  }
  return selected;
}

}  // namespace portail
