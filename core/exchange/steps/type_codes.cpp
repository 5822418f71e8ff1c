#include "core/exchange/steps/type_codes.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/exchange/steps/pruning.hpp"
#include "core/json/normal_form.hpp"
#include "core/portal/records/lines.hpp"

namespace portail {
namespace {

std::string compared_form(std::string_view stored) { return composed(unquoted(stored)); }

}  // namespace

void check_type_codes(const CheckedDocument& document, const StoredMailObjects& stored, const ImportOptions& options,
                      Faults& faults) {
  struct CodeOwner {
    std::uint64_t id;
    std::optional<std::uint64_t> index;  // in the document; absent for a stored object
  };
  std::map<std::string, CodeOwner> owners;
  const bool keeps_stored = !prunes(options, document, Section::mail_objects);
  for (const auto& [id, object] : stored.objects) {
    if (keeps_stored && !document.mail_objects.contains(id)) {
      owners.try_emplace(compared_form(object.view().type), id, std::nullopt);
    }
  }

  std::vector<std::pair<std::uint64_t, const DocumentMailObject*>> in_order;  // of the document's section
  for (const auto& [id, object] : document.mail_objects) in_order.emplace_back(id, &object);
  std::ranges::sort(in_order, {}, [](const auto& each) { return each.second->index; });
  for (const auto& [id, object] : in_order) {
    const std::string_view code = object->object.view().type;
    const auto [first, is_unique] = owners.try_emplace(compared_form(code), id, object->index);
    if (is_unique) continue;
    const CodeOwner& other = first->second;
    const std::string other_location =
        other.index ? DocumentLocation{nullptr, name_of(Section::mail_objects), other.index}.text() : "which is stored";
    const DocumentLocation element{nullptr, name_of(Section::mail_objects), object->index};
    faults.add({&element, "typeObjet", {}},
               "mail object " + std::to_string(id) + " has the code " + in_quotes(unquoted(code)) + " of mail object " +
                   std::to_string(other.id) + ", " + other_location + "; a code must be unique");
  }
}

std::vector<SharedTypeCode> shared_type_codes(const StoredMailObjects& stored) {
  std::map<std::string, SharedTypeCode> codes;
  for (const auto& [id, object] : stored.objects) {
    const std::string_view type = object.view().type;
    codes.try_emplace(compared_form(type), std::string(type)).first->second.ids.push_back(id);
  }
  std::vector<SharedTypeCode> shared;
  for (auto& [_, code] : codes) {
    if (code.ids.size() > 1) shared.push_back(std::move(code));
  }
  return shared;
}

}  // namespace portail
