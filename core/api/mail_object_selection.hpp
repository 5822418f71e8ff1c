// Filters and sorts mail objects (docs/reference/contract.md, "Requests: sorting", "Requests: filter"). Any thread.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/failure.hpp"
#include "core/portal/records/catalogue.hpp"
#include "core/portal/records/configuration.hpp"

namespace portail {

// The members of ObjetCourrierDto, by which lists are sorted: the mail object's own fields, then the others.
inline constexpr auto sort_fields = field_names<MailObject>(
    std::array<std::string_view, 4>{"id", "utilisablePourLiasse", "typeAffectation", "lienFichier"});

struct SortKey {
  std::size_t field = 0;  // in sort_fields
  bool descending = false;
};

// Parses a sorting like "typeObjet desc, id": the first key is the most significant, repeated fields are ignored.
// Returns an empty list for an empty text, nullopt for an unknown field or direction.
std::optional<std::vector<SortKey>> read_sorting(std::string_view sorting);

// Mail objects by their sort text.
using MailObjectsInOrder = std::multimap<std::string, MailObject>;

// Returns the mail objects of which a text, typeObjet or description, contains `filter`, ignoring the case of ASCII and
// French letters, and Unicode composition. The order is that of `sorting`, then of the catalogue. Texts are compared as
// UTF-8 bytes.
Result<MailObjectsInOrder> select(const Catalogue& catalogue, const Configurations& configurations,
                                  std::string_view filter, const std::vector<SortKey>& sorting);

}  // namespace portail
