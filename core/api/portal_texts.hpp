// The portal's own localization resource: the names of its permissions, and its messages. Constants; any thread.
#pragma once

#include <string_view>

#include "core/http/header_fields.hpp"
#include "core/json/writer.hpp"

namespace portail {

// The resource's name, which is also the group of the permissions.
inline constexpr std::string_view portal_resource = "PortailClients";

// Writes the resource in the form of ABP's ApplicationLocalizationResourceDto. ABP looks up a text that it lacks in its
// base resource.
void write_portal_texts(JsonWriter& json, Language language);

}  // namespace portail
