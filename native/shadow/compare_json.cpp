#include "native/shadow/compare_json.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/text.hpp"
#include "core/json/raw_json.hpp"
#include "core/json/reader.hpp"
#include "core/portal/values.hpp"

namespace portail::shadow {
namespace {

// An exponent beyond 64 bits becomes the nearest that fits.
std::int64_t exponent_of(std::string_view digits) {
  if (digits.starts_with('+')) digits.remove_prefix(1);
  std::int64_t exponent = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
  if (error == std::errc()) return exponent;
  constexpr std::int64_t limit = std::numeric_limits<std::int64_t>::max() / 2;
  return digits.starts_with('-') ? -limit : limit;
}

}  // namespace

std::string canonical_decimal(std::string_view number) {
  const bool is_negative = number.starts_with('-');
  const std::size_t exponent_begin = std::min(number.find_first_of("eE"), number.size());
  const std::string_view mantissa = number.substr(0, exponent_begin);
  std::int64_t exponent = exponent_begin < number.size() ? exponent_of(number.substr(exponent_begin + 1)) : 0;
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  if (point < mantissa.size()) exponent -= static_cast<std::int64_t>(mantissa.size() - point - 1);

  std::string digits;
  std::ranges::copy_if(mantissa, std::back_inserter(digits), is_ascii_digit);
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  while (digits.ends_with('0')) {
    digits.pop_back();
    ++exponent;
  }
  if (digits.empty()) return "0";
  return (is_negative ? "-" : "") + digits + 'e' + std::to_string(exponent);
}

namespace {

constexpr std::string_view json_space = " \t\r\n";
constexpr std::size_t max_name_size = 64;  // bytes of a member's name that are shown

enum class ValueKind : std::uint8_t { null, boolean, number, text, list, object };

ValueKind kind_of(std::string_view value) {
  switch (value.front()) {
    case 'n':
      return ValueKind::null;
    case 't':
    case 'f':
      return ValueKind::boolean;
    case '"':
      return ValueKind::text;
    case '[':
      return ValueKind::list;
    case '{':
      return ValueKind::object;
    default:
      return ValueKind::number;
  }
}

// Returns the name as a part of a JSON pointer. Names of another form may be data: they are not shown.
std::string pointer_part(std::string_view name) {
  const auto is_plain = [](char c) { return is_ascii_letter(c) || is_ascii_digit(c) || c == '_' || c == '.'; };
  if (name.empty() || name.size() > max_name_size || !std::ranges::all_of(name, is_plain)) return "(hidden)";
  return without_token(name);
}

// Returns the instant without trailing zeros of its fraction; nullopt if the text is not an instant.
std::optional<std::string> canonical_instant(std::string_view text) {
  const auto checked = check_date_time(text);
  if (!checked) return std::nullopt;
  std::string instant = checked->instant;
  if (!instant.contains('.')) return instant;
  instant.erase(instant.find_last_not_of('0') + 1);
  if (instant.ends_with('.')) instant.pop_back();
  return instant;
}

std::optional<double> real_of(std::string_view number) {
  const auto document = parse_json(number);
  return document ? number_of(document->root()) : std::nullopt;
}

// Both are of the same simple kind.
bool is_same_simple(ValueKind kind, Meaning meaning, std::string_view portal, std::string_view upstream) {
  if (meaning == Meaning::kind) return true;
  if (kind == ValueKind::number) {
    return meaning == Meaning::real ? real_of(portal) == real_of(upstream)
                                    : canonical_decimal(portal) == canonical_decimal(upstream);
  }
  if (kind != ValueKind::text) return portal == upstream;
  const std::string ours = raw_string(portal);
  const std::string theirs = raw_string(upstream);
  if (ours == theirs) return true;
  if (meaning == Meaning::uuid) return equals_ignoring_case(ours, theirs);
  if (meaning != Meaning::instant) return false;
  const auto instant = canonical_instant(ours);
  return instant && instant == canonical_instant(theirs);
}

// Returns a text that is equal for equal simple values.
std::string identity_of(std::string_view value) {
  switch (kind_of(value)) {
    case ValueKind::number:
      return canonical_decimal(value);
    case ValueKind::text:
      return '"' + raw_string(value);
    case ValueKind::list: {
      std::string text = "[";
      const auto items = raw_items(value, max_elements + 1);
      if (items.size() > max_elements) return std::string(value);
      for (const std::string_view item : items) text += identity_of(item) + ',';
      return text;
    }
    default:
      return std::string(value);
  }
}

// Returns the identity of an element; elements without a key have the same one, so that they are compared in order.
std::string element_identity(const Shape* shape, std::string_view element) {
  if (!shape) return identity_of(element);
  const auto key = raw_member(element, shape->key);
  if (!key) return {};
  std::string identity = identity_of(*key);
  const bool is_uuid = std::ranges::any_of(shape->members, [shape](const MemberRule& rule) {
    return rule.name == shape->key && rule.meaning == Meaning::uuid;
  });
  return is_uuid ? lower_case(identity) : identity;
}

// The indexes of the elements that both lists have, in the portal's order, and of those that only one has.
struct Pairs {
  struct Pair {
    std::size_t portal;
    std::size_t upstream;
  };
  std::vector<Pair> both;
  std::vector<std::size_t> only_portal;
  std::vector<std::size_t> only_upstream;
};

Pairs pair_elements(const Shape* shape, const std::vector<std::string_view>& portal,
                    const std::vector<std::string_view>& upstream) {
  std::map<std::string, std::vector<std::size_t>> theirs;  // in reverse order
  for (std::size_t i = upstream.size(); i-- > 0;) theirs[element_identity(shape, upstream[i])].push_back(i);
  Pairs pairs;
  for (std::size_t i = 0; i < portal.size(); ++i) {
    const auto found = theirs.find(element_identity(shape, portal[i]));
    if (found == theirs.end() || found->second.empty()) {
      pairs.only_portal.push_back(i);
      continue;
    }
    pairs.both.push_back({i, found->second.back()});
    found->second.pop_back();
  }
  for (const auto& [identity, indexes] : theirs)
    pairs.only_upstream.insert(pairs.only_upstream.end(), indexes.begin(), indexes.end());
  std::ranges::sort(pairs.only_upstream);
  return pairs;
}

struct ValueRule {
  RowName row;
  RowName order_row;
  Meaning meaning;
  const Shape* shape;
};

ValueRule rule_of(const MemberRule& member) { return {member.row, member.row, member.meaning, member.shape}; }

class Comparison {
 public:
  explicit Comparison(bool is_list_of_bundles) : is_list_of_bundles_(is_list_of_bundles) {}

  // Returns nullopt if there are too many differences or elements.
  [[nodiscard]] std::optional<Differences> found() && {
    return is_too_much_ ? std::nullopt : std::optional(std::move(found_));
  }

  void compare(const ValueRule& rule, std::string_view portal, std::string_view upstream) {
    if (is_too_much_) return;
    const ValueKind kind = kind_of(portal);
    if (kind != kind_of(upstream)) return add(rule.row, shown_json(portal), shown_json(upstream));
    if (kind == ValueKind::object && rule.meaning != Meaning::kind) return compare_objects(rule, portal, upstream);
    if (kind == ValueKind::list && rule.meaning != Meaning::kind) return compare_lists(rule, portal, upstream);
    if (!is_same_simple(kind, rule.meaning, portal, upstream)) add(rule.row, shown_json(portal), shown_json(upstream));
  }

 private:
  void add(RowName row, ShownValue portal, ShownValue upstream) {
    size_ += location_.size() + portal.kind.size() + portal.text.size() + upstream.kind.size() + upstream.text.size();
    is_too_much_ = is_too_much_ || found_.size() == max_differences || size_ > max_differences_size;
    if (is_too_much_) return;
    found_.push_back({.row = row,
                      .location = location_.empty() ? "body" : "body " + location_,
                      .portal = std::move(portal),
                      .upstream = std::move(upstream)});
  }

  // Notes whether the elements of a list or the members of an object are too many.
  bool are_too_many(std::size_t portal, std::size_t upstream) {
    is_too_much_ = is_too_much_ || std::max(portal, upstream) > max_elements;
    return is_too_much_;
  }

  // Calls call() with the location of a part of the current value.
  template <class Call>
  void within(std::string_view part, Call call) {
    const std::size_t size = location_.size();
    location_.append("/").append(part);
    call();
    location_.resize(size);
  }

  void compare_member(const ValueRule& rule, std::string_view name, const std::string_view* portal,
                      const std::string_view* upstream) {
    if (is_too_much_) return;
    within(pointer_part(name), [&] {
      if (portal && upstream) return compare(rule, *portal, *upstream);
      add(rule.row, portal ? shown_json(*portal) : shown_absence(), upstream ? shown_json(*upstream) : shown_absence());
    });
  }

  void compare_objects(const ValueRule& rule, std::string_view portal, std::string_view upstream) {
    const auto ours = values_by_name(portal);
    const auto theirs = values_by_name(upstream);
    if (are_too_many(ours.size(), theirs.size())) return;
    std::map<std::string_view, const MemberRule*> names;
    for (const auto& side : {std::cref(ours), std::cref(theirs)}) {
      for (const auto& [name, value] : side.get()) names.emplace(name, nullptr);
    }
    if (rule.shape) {
      for (const MemberRule& member : rule.shape->members) {
        if (const auto named = names.find(member.name); named != names.end()) named->second = &member;
      }
    }
    for (const auto& [name, member] : names) {
      if (!member && rule.shape && rule.shape->is_open) continue;
      const ValueRule other{rule.shape ? rule.shape->row : rule.row, rule.row, Meaning::value, nullptr};
      compare_member(member ? rule_of(*member) : other, name, find(ours, name), find(theirs, name));
    }
  }

  void compare_lists(const ValueRule& rule, std::string_view portal, std::string_view upstream) {
    const auto ours = raw_items(portal, max_elements + 1);
    const auto theirs = raw_items(upstream, max_elements + 1);
    if (are_too_many(ours.size(), theirs.size())) return;
    if (rule.meaning == Meaning::value) return compare_in_order(rule, ours, theirs);
    const Pairs pairs = pair_elements(rule.shape, ours, theirs);
    for (const std::size_t i : pairs.only_portal) add_element(rule, i, ours[i], true);
    for (const std::size_t i : pairs.only_upstream) add_element(rule, i, theirs[i], false);
    if (rule.meaning == Meaning::list && !std::ranges::is_sorted(pairs.both, {}, &Pairs::Pair::upstream)) {
      add(rule.order_row, {.kind = "order", .text = "order"}, {.kind = "another order", .text = "another order"});
    }
    if (!rule.shape) return;
    for (const auto& [i, j] : pairs.both) {
      within(std::to_string(i),
             [&] { compare({rule.row, rule.row, Meaning::object, rule.shape}, ours[i], theirs[j]); });
    }
  }

  void compare_in_order(const ValueRule& rule, const std::vector<std::string_view>& ours,
                        const std::vector<std::string_view>& theirs) {
    for (std::size_t i = 0; i < std::max(ours.size(), theirs.size()); ++i) {
      compare_member(rule, std::to_string(i), i < ours.size() ? &ours[i] : nullptr,
                     i < theirs.size() ? &theirs[i] : nullptr);
    }
  }

  void add_element(const ValueRule& rule, std::size_t index, std::string_view element, bool is_portals) {
    if (is_too_much_) return;
    within(std::to_string(index), [&] {
      add(row_of_element(rule.shape, element, rule.row, is_list_of_bundles_),
          is_portals ? shown_json(element) : shown_absence(), is_portals ? shown_absence() : shown_json(element));
    });
  }

  using ValuesByName = std::map<std::string, std::string_view, std::less<>>;

  static ValuesByName values_by_name(std::string_view object) {
    ValuesByName values;
    for (RawMember& member : raw_members(object, max_elements + 1))
      values.emplace(std::move(member.name), member.value);
    return values;
  }
  static const std::string_view* find(const ValuesByName& values, std::string_view name) {
    const auto found = values.find(name);
    return found == values.end() ? nullptr : &found->second;
  }

  const bool is_list_of_bundles_;
  Differences found_;
  std::size_t size_ = 0;  // of the texts of the differences, in bytes
  bool is_too_much_ = false;
  std::string location_;  // a JSON pointer
};

}  // namespace

void compare_json(const BodyRule& rule, std::string_view portal, std::string_view upstream, Differences& found) {
  portal = trimmed(portal, json_space);
  upstream = trimmed(upstream, json_space);
  Comparison comparison(rule.is_list_of_bundles);
  comparison.compare({rule.row, rule.order_row, rule.meaning, rule.shape}, portal, upstream);
  if (const auto differences = std::move(comparison).found()) {
    found.insert(found.end(), differences->begin(), differences->end());
  } else {
    found.push_back({.row = RowName("Answers: JSON text"),
                     .location = std::string(too_many),
                     .portal = shown_json(portal),
                     .upstream = shown_json(upstream)});
  }
}

}  // namespace portail::shadow
