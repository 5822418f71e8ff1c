// Filters and sorts mail objects (docs/reference/contract.md, "Requests: sorting", "Requests: filter"). Any thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/failure.hpp"
#include "core/portal/records/catalogue.hpp"
#include "core/portal/records/configuration.hpp"

namespace portail {

// A member of ObjetCourrierDto.
enum class MailObjectField : std::uint8_t { id, type, description, usable_for_bundle, assignment, template_link };

struct SortKey {
  MailObjectField field = MailObjectField::id;
  bool descending = false;
};

// Parses a sorting like "typeObjet desc, id": the first key is the most significant, repeated fields are ignored.
// Returns an empty list for an empty text, nullopt for an unknown field or direction.
std::optional<std::vector<SortKey>> read_sorting(std::string_view sorting);

// Mail objects by their sort text.
using MailObjectsInOrder = std::multimap<std::string, MailObject>;

// Returns the mail objects whose typeObjet or description contains `filter`, ignoring the case of ASCII and French
// letters, and Unicode composition. The order is that of `sorting`, then of the catalogue. Texts are compared as UTF-8
// bytes.
Result<MailObjectsInOrder> select(const Catalogue& catalogue, const Configurations& configurations,
                                  std::string_view filter, const std::vector<SortKey>& sorting);

}  // namespace portail
