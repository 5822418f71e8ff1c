#include "core/api/portal_texts.hpp"

#include <array>
#include <cstdint>
#include <utility>

#include "core/http/messages.hpp"

namespace portail {
namespace {

struct PermissionText {
  std::string_view name;  // as ABP's permission definitions name it: the permission without its group
  std::string_view english;
  std::string_view french;
};

constexpr std::array permission_texts{
    PermissionText{"Permission:PortailClients", "Customer portal", "Portail clients"},
    PermissionText{"Permission:ObjetsCourrier.Update", "Change mail objects", "Modifier les objets courrier"},
    PermissionText{"Permission:Liasses.VoirPieceDerogee", "See derogated pieces", "Voir les pièces dérogées"},
    PermissionText{"Permission:Dashboard.Host", "See the dashboard", "Voir le tableau de bord"},
};

}  // namespace

void write_portal_texts(JsonWriter& json, Language language) {
  json.begin_object().name("texts").begin_object();
  for (const PermissionText& each : permission_texts) {
    json.name(each.name).string(language == Language::french ? each.french : each.english);
  }
  for (std::uint8_t i = 0; i <= std::to_underlying(last_message); ++i) {
    const auto message = static_cast<Message>(i);
    json.name(name_of(message)).string(message_pattern(message, language));
  }
  json.end_object().name("baseResources").begin_array().string("AbpValidation").end_array().end_object();
}

}  // namespace portail
