// The elements of an export document, from stored values (docs/how-to/import.md, "Export"). Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "core/auth/grants.hpp"
#include "core/base/context.hpp"
#include "core/base/failure.hpp"
#include "core/base/task.hpp"
#include "core/exchange/document/element_reader.hpp"
#include "core/exchange/steps/mail_objects.hpp"
#include "core/json/writer.hpp"
#include "core/portal/records/bundle.hpp"
#include "core/portal/records/third_party.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

// Writes the document's text: the sections in the order of the enumeration, one element a line.
class DocumentWriter {
 public:
  void begin(Section section);
  // Adds an element, a JSON value. Control characters for terminals are escaped; an import reads the same text.
  // Failure::corrupt if it is not UTF-8.
  Result<void> add(Result<std::string> element);
  // Ends the section, and with the last one the document.
  void end();

  // Returns the text since the last call.
  [[nodiscard]] std::string take() { return std::exchange(text_, {}); }
  [[nodiscard]] std::size_t size() const { return text_.size(); }

 private:
  std::string text_;
  Section section_{};
  bool is_first_ = true;
};

// Returns the path of a mail object's template file in an export: "modeles/ID-nomFichier".
std::string template_path(std::uint64_t id, const OwnedMailObject::Template& file);

std::string mail_object_element(std::uint64_t id, const OwnedMailObject& object, const Configuration& configuration);
std::string grant_element(Permission permission, GrantKind kind, std::string_view quoted_name);

template <class Record>
void write_fields(JsonWriter& json, const Record& record) {
  for (const Field<Record>& field : fields_of<Record>) {
    const std::string_view stored = record.*field.stored;
    json.name(field.name);
    if (!is_quoted_when_sent(field.form)) {
      json.raw(stored);
    } else if (is_null(field, stored)) {
      json.null();
    } else {
      json.string(stored);
    }
  }
}

// Write the members besides the fields. Fail with Failure::corrupt if a piece is invalid.
template <class Record>
Result<void> write_further(JsonWriter& /*json*/, const Record& /*record*/) {
  return {};
}
Result<void> write_further(JsonWriter& json, const ThirdParty& third_party);
Result<void> write_further(JsonWriter& json, const Bundle& bundle);

template <class Record>
Result<std::string> record_element(const Record& record) {
  std::string element;
  JsonWriter json(element);
  json.begin_object();
  write_fields(json, record);
  return write_further(json, record).transform([&] {
    json.end_object();
    return std::move(element);
  });
}

// Adds the section of the stored grants to the document.
Task<void> append_grants(Context& context, Session& session, DocumentWriter& document);

}  // namespace portail
