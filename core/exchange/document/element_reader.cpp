#include "core/exchange/document/element_reader.hpp"

#include <algorithm>
#include <utility>

#include "core/json/raw_json.hpp"
#include "core/portal/records/bundle.hpp"
#include "core/portal/values.hpp"

namespace portail {
namespace {

constexpr std::size_t max_section_name_size = 256;

// An amount that no double holds: a fault of its member, not of the element.
struct AmountFault {
  std::string_view name;
  std::string_view message;
};
std::optional<AmountFault> amount_fault(std::string_view bundle) {
  for (const Field<Bundle>& field : fields_of<Bundle>) {
    const auto amount = field.form == Form::amount ? raw_member(bundle, field.name) : std::nullopt;
    if (!amount || parse_json(*amount)) continue;
    if (const auto checked = check_amount(*amount); !checked) return AmountFault{field.name, checked.error()};
  }
  return std::nullopt;
}

constexpr bool is_white_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

}  // namespace

void ElementReader::feed(std::string_view chunk) {
  chunk_ = chunk;
  position_ = 0;
}

std::uint64_t ElementReader::lines_in_chunk() const {
  return static_cast<std::uint64_t>(std::ranges::count(chunk_.substr(0, position_), '\n'));
}

std::string ElementReader::at_line(std::uint64_t lines_before) const {
  return " (line " + std::to_string(1 + lines_before_chunk_ + lines_in_chunk() - lines_before) + ")";
}

ElementReader::Step ElementReader::next() {
  while (state_ != State::failed && position_ < chunk_.size()) {
    const char c = chunk_[position_];
    if (state_ == State::in_name) {
      read_name();
    } else if (state_ == State::in_element) {
      if (read_element() && element_is_complete_ && parse_element()) return Step::element;
    } else if (is_white_space(c)) {
      ++position_;
    } else {
      read_punctuation(c);
    }
  }
  if (finished_ && state_ == State::in_element) {
    fail_element("the document ends within it");
  } else if (finished_ && state_ != State::failed && state_ != State::after_document) {
    fail(state_ == State::before_document ? "the document is empty" : "the document ends too early");
  }
  if (state_ == State::failed) return Step::fault;
  lines_before_chunk_ += lines_in_chunk();
  feed({});  // the chunk's bytes belong to the caller again
  return finished_ ? Step::end : Step::more_bytes;
}

bool ElementReader::read_punctuation(char c) {
  const auto begin_text = [this](State state) {
    text_.clear();
    state_ = state;
    return true;
  };
  const auto accept = [this](State state) {
    ++position_;
    state_ = state;
    return true;
  };
  switch (state_) {
    case State::before_document:
      if (c == '{') return accept(State::first_name);
      if (c == '\xef') return fail("a byte order mark before the JSON value");
      return fail("the document must be a JSON object in UTF-8");
    case State::first_name:
      if (c == '}') return accept(State::after_document);
      [[fallthrough]];
    case State::next_name:
      if (c == '"') return begin_text(State::in_name);
      return fail("expected the name of a section");
    case State::colon:
      if (c == ':') return accept(State::before_array);
      return fail("expected ':' after the name of a section");
    case State::before_array:
      if (c == '[') return accept(State::first_element);
      faults_.add({nullptr, name_of(element_.section), {}}, std::string("must be an array") + at_line());
      state_ = State::failed;
      return false;
    case State::first_element:
      if (c == ']') return accept(State::after_section);
      [[fallthrough]];
    case State::next_element:
      if (c == ',' || c == ']' || c == '}' || c == ':') return fail("expected an element");
      depth_ = 0;
      in_string_ = escaped_ = element_is_complete_ = false;
      return begin_text(State::in_element);
    case State::after_element:
      ++element_.index;
      if (c == ',') return accept(State::next_element);
      if (c == ']') return accept(State::after_section);
      return fail("expected ',' or ']' after an element");
    case State::after_section:
      if (c == ',') return accept(State::next_name);
      if (c == '}') return accept(State::after_document);
      return fail("expected ',' or '}' after a section");
    default:
      return fail("unexpected content after the end of the document");
  }
}

bool ElementReader::read_name() {
  while (position_ < chunk_.size()) {
    const char c = chunk_[position_++];
    const bool ends = c == '"' && !text_.empty() && !escaped_;
    escaped_ = c == '\\' && !escaped_;
    text_ += c;
    if (ends) return open_section();
    if (text_.size() > max_section_name_size) return fail("the name of a section is too long");
  }
  return true;
}

bool ElementReader::open_section() {
  escaped_ = false;
  const auto document = parse_json(text_);
  const auto name = document ? string_of(document->root()) : std::nullopt;
  if (!name) return fail("the name of a section is malformed");
  const auto found = std::ranges::find(section_names, *name);
  if (found == section_names.end()) {
    std::string known;
    for (const Section each : all_sections) {
      if (each != all_sections.front()) known += each == all_sections.back() ? " and " : ", ";
      known += name_of(each);
    }
    return fail("unknown section " + in_quotes(*name) + "; the sections are " + known);
  }
  const auto section = static_cast<std::size_t>(found - section_names.begin());
  if (section_seen_[section]) return fail("duplicate section " + in_quotes(*name));
  section_seen_[section] = true;
  element_ = {static_cast<Section>(section), 0, {}, {}};
  state_ = State::colon;
  return true;
}

bool ElementReader::read_element() {
  const std::size_t end = end_of_value();
  text_ += chunk_.substr(position_, end - position_);
  position_ = end;
  if (text_.size() > max_element_size) {
    return fail_element("larger than 4 MiB");
  }
  if (element_is_complete_) state_ = State::after_element;
  return true;
}

bool ElementReader::parse_element() {
  auto parsed = parse_json(text_, {.unique_names = true, .max_size = max_element_size});
  if (!parsed) {
    // After these faults the end of the element is certain; after others it is not.
    const bool is_delimited = parsed.error() == JsonFault::duplicate_name || parsed.error() == JsonFault::not_utf8 ||
                              parsed.error() == JsonFault::too_deep || parsed.error() == JsonFault::bad_number;
    const bool may_be_amount = parsed.error() == JsonFault::bad_number && element_.section == Section::bundles;
    if (const auto amount = may_be_amount ? amount_fault(text_) : std::nullopt) {
      const DocumentLocation location = element_.location();
      faults_.add({&location, amount->name, {}}, amount->message);
    } else {
      fail_element(description(parsed.error()));
    }
    if (is_delimited) state_ = State::after_element;
    return false;
  }
  parsed_ = std::move(*parsed);
  element_.text = text_;
  element_.root = parsed_->root();
  return true;
}

// Returns the end of the value, or of the chunk; sets element_is_complete_ at the value's end.
std::size_t ElementReader::end_of_value() {
  for (std::size_t i = position_; i < chunk_.size(); ++i) {
    const char c = chunk_[i];
    if (in_string_) {
      if (escaped_) {
        escaped_ = false;
      } else if (c == '\\') {
        escaped_ = true;
      } else if (c == '"') {
        in_string_ = false;
        if (depth_ == 0) {
          element_is_complete_ = true;
          return i + 1;
        }
      }
      continue;
    }
    switch (c) {
      case '"':
        in_string_ = true;
        break;
      case '{':
      case '[':
        ++depth_;
        break;
      case '}':
      case ']':
        if (depth_ == 0) {  // the section's own bracket, after a number or a literal
          element_is_complete_ = true;
          return i;
        }
        if (--depth_ == 0) {
          element_is_complete_ = true;
          return i + 1;
        }
        break;
      default:
        if (depth_ == 0 && (c == ',' || is_white_space(c))) {
          element_is_complete_ = true;
          return i;
        }
    }
  }
  return chunk_.size();
}

bool ElementReader::fail(std::string_view message) {
  faults_.add({nullptr, "document", {}}, std::string(message) + at_line());
  state_ = State::failed;
  return false;
}

// Reports the line where the element begins: an element without a closing quote or bracket may end anywhere.
bool ElementReader::fail_element(std::string_view message) {
  const auto lines = static_cast<std::uint64_t>(std::ranges::count(text_, '\n'));
  faults_.add(element_.location(), std::string(message) + at_line(lines));
  state_ = State::failed;
  return false;
}

}  // namespace portail
