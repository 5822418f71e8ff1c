// A bundle of an import document, as an export writes it: a nullable field that SampleBundle lacks is null, so tests
// that use it need no change for a new field.
#pragma once

#include <string>
#include <string_view>

#include "core/portal/records/bundle.hpp"

namespace portail {

// Texts are not escaped.
struct SampleBundle {
  std::string id = "L-1";
  std::string name = "Prêt";
  std::string creation_date = "2024-01-15T10:30:00+01:00";
  std::string third_party = "T1";
  std::string loan = "P-1";
  std::string amount = "1.00";
  std::string put_in_place = "false";
  std::string pieces{};  // JSON objects, separated by commas
};

inline std::string sample_bundle(const SampleBundle& sample) {
  Bundle bundle;
  bundle.id = sample.id;
  bundle.name = sample.name;
  bundle.creation_date = sample.creation_date;
  bundle.third_party = sample.third_party;
  bundle.loan = sample.loan;
  bundle.amount = sample.amount;
  bundle.put_in_place = sample.put_in_place;
  std::string json;
  for (const Field<Bundle>& field : fields_of<Bundle>) {
    const std::string_view value = bundle.*field.stored;
    const bool has_null = is_null(field, value);
    const bool is_quoted = !has_null && (is_string(field.form) || is_quoted_when_sent(field.form));
    const std::string_view quote = is_quoted ? "\"" : "";
    json.append(json.empty() ? "{\"" : ",\"").append(field.name).append("\":");
    json.append(quote).append(has_null ? "null" : value).append(quote);
  }
  return json + ",\"piecesAttendues\":[" + sample.pieces + "]}";
}

}  // namespace portail
