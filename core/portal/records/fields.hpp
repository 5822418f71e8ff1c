// The fields of an entity, described once, in a table beside its record: their names in documents, answers and reports,
// and what they contain. Strings, numbers and booleans are stored as the JSON that is sent, dates and UUIDs without
// their quotes, so loops over a table need no types. Constants; any thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/base/failure.hpp"
#include "core/portal/records/lines.hpp"

namespace portail {

// What a field contains, and what an import accepts.
enum class Form : std::uint8_t {
  text,         // for display
  code,         // the same, not empty
  identifier,   // of a person, a third party, ...
  bundle_id,    // an identifier that is a segment of a path
  reference,    // the number of a third party
  date_time,    // RFC 3339 with an offset
  amount,       // a decimal
  boolean,      // true or false
  uuid,         // in lower case
  mail_object,  // the id of a mail object
};

// Whether a value can be missing.
enum class Presence : std::uint8_t {
  required,
  nullable,  // null if a document lacks it
  added,     // nullable, and null in a line of an earlier version, which ends before it
};
constexpr bool is_nullable(Presence presence) { return presence != Presence::required; }

// Whether values are JSON strings, stored with their quotes.
constexpr bool is_string(Form form) {
  return form == Form::text || form == Form::code || form == Form::identifier || form == Form::bundle_id ||
         form == Form::reference;
}
// Whether values are sent as JSON strings, but stored without quotes.
constexpr bool is_quoted_when_sent(Form form) { return form == Form::date_time || form == Form::uuid; }
// How null is stored.
constexpr std::string_view stored_null(Form form) { return is_quoted_when_sent(form) ? "-" : "null"; }

template <class Record>
struct Field {
  std::string_view name;
  std::string_view Record::* stored;
  Form form;
  Presence presence = Presence::required;
};

template <class Record>
constexpr bool is_null(const Field<Record>& field, std::string_view stored) {
  return is_nullable(field.presence) && stored == stored_null(field.form);
}

// The fields of a record, in the order in which a stored line and an export have them, which is permanent
// (docs/reference/storage-layout.md). Specialized beside each record.
template <class Record>
inline constexpr std::array<Field<Record>, 0> fields_of{};

// Returns the field that refers to a third party.
template <class Record>
constexpr std::optional<Field<Record>> reference_of() {
  const auto found = std::ranges::find(fields_of<Record>, Form::reference, &Field<Record>::form);
  return found == fields_of<Record>.end() ? std::nullopt : std::optional(*found);
}

// The record that `read`, such as read_bundle, returns.
template <auto read>
using RecordOf = std::remove_cvref_t<decltype(*read(std::string_view()))>;

// Returns the names of a record's fields, followed by `further` ones.
template <class Record, std::size_t n>
consteval auto field_names(const std::array<std::string_view, n>& further) {
  std::array<std::string_view, fields_of<Record>.size() + n> names{};
  auto name = names.begin();
  for (const Field<Record>& field : fields_of<Record>) *name++ = field.name;
  for (const std::string_view each : further) *name++ = each;
  return names;
}

// Reads the next fields of a line. Returns false if the line is damaged; one that was cut before an added field is read
// as one of an earlier version.
template <class Record>
bool read_fields(Fields& line, Record& record) {
  for (const Field<Record>& field : fields_of<Record>) {
    const auto next = line.next();
    const bool is_earlier = !next && field.presence == Presence::added;
    const std::string_view stored = is_earlier ? stored_null(field.form) : next.value_or("");
    if (stored.empty()) return false;
    if (field.form == Form::boolean && stored != "true" && stored != "false" && !is_null(field, stored)) return false;
    record.*field.stored = stored;
  }
  return true;
}

// Appends the fields, with a tab between two. Added fields at the end that are null are left out, so that the line of
// an earlier version stays the same.
template <class Record>
void append_fields(std::string& line, const Record& record) {
  std::size_t count = fields_of<Record>.size();
  const auto is_omitted = [&record](const Field<Record>& field) {
    return field.presence == Presence::added && is_null(field, record.*field.stored);
  };
  while (is_omitted(fields_of<Record>[count - 1])) --count;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) line += '\t';
    line += record.*fields_of<Record>[i].stored;
  }
}

// Reads the fields of a value that begins with a line of them. Lines after it are ignored.
template <class Record>
Result<Record> read_record(std::string_view value) {
  const std::size_t end = value.find('\n');
  Fields line(value.substr(0, end));
  Record record;
  if (end == std::string_view::npos || !read_fields(line, record)) return std::unexpected(Failure::corrupt);
  return record;
}
// Returns the value to store.
template <class Record>
std::string encode_record(const Record& record, std::string_view further_lines) {
  std::string value;
  append_fields(value, record);
  value += '\n';
  return value.append(further_lines);
}

}  // namespace portail
