// The texts of this folder, as the build embedded them: constants, UTF-8. For the endpoints of core/api; any thread.
#pragma once

#include <string_view>

#include "core/api/documents/document.hpp"

namespace portail {

// open_api.json: OpenAPI 3.1.
extern const Document open_api_document;
// open_api.html with its style and script in it, and the Content-Security-Policy that lets just these two work.
extern const Document open_api_page;
extern const std::string_view open_api_page_policy;
// abp_modules.json and abp_types.json: the two members of ABP's ApplicationApiDescriptionModel.
extern const Document abp_modules;
extern const Document abp_types;

}  // namespace portail
