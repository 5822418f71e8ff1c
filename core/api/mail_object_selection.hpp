// Which mail objects a list answers, and in which order (docs/reference/contract.md, "Requests: sorting", "Requests:
// filter"). Any thread.
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

// What a client asked to sort by, the most important first, each field once: "typeObjet desc, id". Empty where
// `sorting` is; nullopt where it names no field, or no direction.
std::optional<std::vector<SortKey>> read_sorting(std::string_view sorting);

// By what they are ordered by.
using MailObjectsInOrder = std::multimap<std::string, MailObject>;

// The mail objects of the catalogue that have `filter` in their typeObjet or description, without regard to the case of
// ASCII's and French letters, in the order of `sorting` and then of the catalogue. Texts are compared as UTF-8 bytes.
Result<MailObjectsInOrder> select(const Catalogue& catalogue, const Configurations& configurations,
                                  std::string_view filter, const std::vector<SortKey>& sorting);

}  // namespace portail
