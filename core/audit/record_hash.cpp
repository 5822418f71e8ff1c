#include "core/audit/record_hash.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "core/base/text.hpp"

namespace portail {
namespace {

constexpr char commitment_mark = '=';

constexpr std::size_t salt_size = 32;          // digits
constexpr std::size_t list_element_size = 64;  // digits

bool is_hexadecimal(std::string_view text, std::size_t size) {
  return text.size() == size && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// A JSON string of a text, quotes included.
struct StringToken {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// Returns the next string from `from` on. An unfinished one ends with the text.
std::optional<StringToken> find_string(std::string_view text, std::size_t from) {
  const std::size_t begin = text.find('"', from);
  if (begin == std::string_view::npos) return std::nullopt;
  std::size_t end = begin + 1;
  while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
  return StringToken{begin, std::min(end + 1, text.size())};
}

std::string_view text_of(std::string_view text, StringToken token) {
  return text.substr(token.begin, token.end - token.begin);
}

struct PersonalString {
  std::string_view name;  // of the member, with its quotes
  StringToken value;
};

// Visits the personal strings of a record in their order.
class PersonalStrings {
 public:
  explicit PersonalStrings(std::string_view record) : record_(record) {}

  std::optional<PersonalString> next() {
    while (const auto token = find_string(record_, at_)) {
      at_ = token->end;
      const std::string_view name = text_of(record_, *token);
      constexpr std::array<std::string_view, 3> names{"\"subject\"", "\"utilisateur\"", "\"query\""};
      if (!record_.substr(at_).starts_with(":\"") || std::ranges::find(names, name) == names.end()) continue;
      const auto value = find_string(record_, at_);
      at_ = value->end;
      return PersonalString{.name = name, .value = *value};
    }
    return std::nullopt;
  }

 private:
  std::string_view record_;
  std::size_t at_ = 0;
};

std::string hmac(std::string_view key, std::string_view message) {
  return lower_hex(hmac_sha256(std::as_bytes(std::span(key)), message));
}

// The value of "salt": a string, or after an erasure a list of strings.
class Salt {
 public:
  // nullopt: the record has none.
  static std::optional<Salt> of(std::string_view record) {
    const auto begin = find_value(record);
    if (!begin) return std::nullopt;
    Salt salt;
    salt.begin_ = *begin;
    salt.is_list_ = record.substr(salt.begin_).starts_with('[');
    salt.end_ = salt.begin_ + 1;
    if (salt.is_list_) {
      while (const auto element = salt.element_of(record)) salt.end_ = element->end;
      ++salt.end_;
    } else if (const auto string = find_string(record, salt.begin_); string && string->begin == salt.begin_) {
      salt.end_ = string->end;
    } else {
      return std::nullopt;
    }
    salt.end_ = std::min(salt.end_, record.size());
    salt.record_ = record;
    salt.next_element_ = salt.begin_ + 1;
    return salt;
  }

  [[nodiscard]] std::size_t begin() const { return begin_; }
  [[nodiscard]] std::size_t end() const { return end_; }

  // Returns the element for the next personal string: its salt, or '=' and its commitment.
  std::string next() {
    if (!is_list_) return hmac(record_.substr(begin_ + 1, end_ - begin_ - 2), std::to_string(position_++));
    const auto element = find_string(record_.substr(0, end_), next_element_);
    if (!element) return {};
    next_element_ = element->end;
    return std::string(record_.substr(element->begin + 1, element->end - element->begin - 2));
  }

 private:
  // Returns where the value begins. Text in another string is not the member.
  static std::optional<std::size_t> find_value(std::string_view record) {
    std::size_t at = 0;
    while (const auto token = find_string(record, at)) {
      at = token->end;
      if (!record.substr(at).starts_with(':')) continue;
      if (text_of(record, *token) == "\"salt\"") return at + 1;
      if (record.substr(at + 1).starts_with('"')) at = find_string(record, at)->end;
    }
    return std::nullopt;
  }
  // Returns the list's element after `end_`.
  [[nodiscard]] std::optional<StringToken> element_of(std::string_view record) const {
    const std::size_t at = end_ + (record.substr(end_).starts_with(',') ? 1 : 0);
    if (!record.substr(std::min(at, record.size())).starts_with('"')) return std::nullopt;
    return find_string(record, at);
  }

  std::string_view record_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool is_list_ = false;
  std::size_t position_ = 0;
  std::size_t next_element_ = 0;
};

// Appends an element to the list of a salt, which has no end yet.
void append_element(std::string& list, std::string_view element) {
  list.append(list.empty() ? "[\"" : ",\"").append(element).append("\"");
}

std::string commitment_of(const std::string& element, std::string_view json) {
  return element.starts_with(commitment_mark) ? element.substr(1) : hmac(element, json);
}

}  // namespace

std::optional<Hash32> audit_record_hash(std::string_view key, std::string_view record) {
  auto salt = Salt::of(record);
  if (!salt) return std::nullopt;
  std::string text(key);
  text += '\n';
  std::size_t copied = 0;
  const auto copy_until = [&](std::size_t end) {
    text += record.substr(copied, end - copied);
    copied = end;
  };
  const auto skip_salt_before = [&](std::size_t position) {
    if (copied > salt->begin() || position < salt->end()) return;
    copy_until(salt->begin());
    copied = salt->end();
  };
  PersonalStrings strings(record);
  while (const auto string = strings.next()) {
    skip_salt_before(string->value.begin);
    copy_until(string->value.begin);
    text += commitment_of(salt->next(), text_of(record, string->value));
    copied = string->value.end;
  }
  skip_salt_before(record.size());
  copy_until(record.size());
  return sha256(std::as_bytes(std::span(text)));
}

SaltForm salt_form(std::string_view record) {
  auto salt = Salt::of(record);
  if (!salt) return SaltForm::absent;
  const std::string_view value = record.substr(salt->begin(), salt->end() - salt->begin());
  if (!value.starts_with('[')) {
    const bool is_whole = value.ends_with('"') && is_hexadecimal(value.substr(1, value.size() - 2), salt_size);
    return is_whole ? SaltForm::whole : SaltForm::invalid;
  }
  bool has_erased = false;
  std::string list;
  for (PersonalStrings strings(record); strings.next();) {
    const std::string element = salt->next();
    const bool is_erased = element.starts_with(commitment_mark);
    if (!is_hexadecimal(std::string_view(element).substr(is_erased ? 1 : 0), list_element_size)) {
      return SaltForm::invalid;
    }
    has_erased = has_erased || is_erased;
    append_element(list, element);
  }
  // The list must have no further elements.
  return has_erased && value == list + ']' ? SaltForm::erased : SaltForm::invalid;
}

std::optional<Hash32> parse_hash32(std::string_view text) {
  Hash32 hash;
  if (text.size() != 2 * hash.size()) return std::nullopt;
  for (std::size_t i = 0; i < hash.size(); ++i) {
    const auto high = hexadecimal_digit(text[2 * i]);
    const auto low = hexadecimal_digit(text[2 * i + 1]);
    if (!high || !low) return std::nullopt;
    hash[i] = static_cast<std::byte>(*high << 4U | *low);
  }
  return lower_hex(hash) == text ? std::optional(hash) : std::nullopt;
}

bool erase_personal_strings(std::string& record, const StringReplacement& replacement) {
  auto salt = Salt::of(record);
  std::string elements;
  std::string replaced;
  std::size_t copied = 0;
  bool is_found = false;
  PersonalStrings strings(record);
  while (const auto string = strings.next()) {
    const std::string_view json = text_of(record, string->value);
    const auto text = replacement(string->name.substr(1, string->name.size() - 2), json);
    is_found = is_found || text;
    if (salt) {
      std::string element = salt->next();
      if (text && !element.starts_with(commitment_mark)) element = commitment_mark + hmac(element, json);
      append_element(elements, element);
    }
    replaced.append(record, copied, string->value.begin - copied);
    text ? replaced.append(*text) : replaced.append(json);
    copied = string->value.end;
  }
  if (!is_found) return false;
  replaced.append(record, copied);
  if (const auto present = salt ? Salt::of(replaced) : std::nullopt) {
    replaced.replace(present->begin(), present->end() - present->begin(), elements + ']');
  }
  record = std::move(replaced);
  return true;
}

std::optional<std::string> without_outcome(std::string_view record) {
  constexpr std::string_view finished = ",\"finished\":";
  const std::size_t at = record.find(finished);
  if (at == std::string_view::npos || record.substr(at + finished.size()).starts_with("null")) return std::nullopt;
  return std::string(record.substr(0, at + finished.size())) + "null,\"sections\":null,\"deposits\":null}";
}

}  // namespace portail
