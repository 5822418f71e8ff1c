#include "core/api/routes.hpp"

#include <array>

#include "core/api/endpoints.hpp"
#include "core/base/text.hpp"
#include "core/portal/mail_object_id.hpp"

namespace portail {
namespace {

template <Endpoint endpoint>
constexpr std::array get{MethodEndpoint{"GET", endpoint}};

constexpr std::array mail_objects{MethodEndpoint{"GET", list_mail_objects},
                                  MethodEndpoint{"POST", reject_mail_object_change, false}};
constexpr std::array mail_object{MethodEndpoint{"GET", get_mail_object}, MethodEndpoint{"PUT", update_mail_object},
                                 MethodEndpoint{"DELETE", reject_mail_object_change, false}};

constexpr std::array page_query{parameters::filter, parameters::sorting, parameters::skip_count,
                                parameters::max_result_count};
constexpr std::array configuration_query{parameters::include_texts};
constexpr std::array localization_query{parameters::only_dynamic_texts, parameters::culture_name};
constexpr std::array definition_query{parameters::include_types};

// Routes with a literal segment precede those with {id} in its position.
constexpr std::array routes{
    Route{RoutePattern("/api/app/objet-courrier"), Access::token, mail_objects, PathId::none, page_query},
    Route{RoutePattern("/api/app/objet-courrier/list-all"), Access::token, get<list_all_mail_objects>},
    Route{RoutePattern("/api/app/objet-courrier/{id}"), Access::token, mail_object, PathId::mail_object},
    Route{RoutePattern("/api/app/objet-courrier/{id}/fichier-modele"), Access::token, get<get_template_file>,
          PathId::mail_object},
    Route{RoutePattern("/api/app/liasse"), Access::token, get<list_own_bundles>},
    Route{RoutePattern("/api/app/liasse/dashboard-list"), Access::token, get<list_managed_bundles>},
    Route{RoutePattern("/api/app/liasse/{id}"), Access::token, get<get_bundle>, PathId::bundle},
    Route{RoutePattern("/api/abp/application-configuration"), Access::open, get<get_application_configuration>,
          PathId::none, configuration_query},
    Route{RoutePattern("/api/abp/application-localization"), Access::open, get<get_application_localization>,
          PathId::none, localization_query},
    Route{RoutePattern("/api/abp/api-definition"), Access::open, get<get_api_definition>, PathId::none,
          definition_query},
    Route{RoutePattern("/health/live"), Access::probe, get<get_liveness>},
    Route{RoutePattern("/health/ready"), Access::probe, get<get_readiness>},
    Route{RoutePattern("/health-status"), Access::probe, get<get_readiness>},
    Route{RoutePattern("/swagger/v1/swagger.json"), Access::open, get<get_open_api_document>},
    Route{RoutePattern("/swagger/index.html"), Access::open, get<get_open_api_page>},
    Route{RoutePattern("/"), Access::open, get<get_open_api_page>},
    Route{RoutePattern("/swagger"), Access::open, get<get_open_api_page>},
};

}  // namespace

std::optional<FoundRoute> find_route(const Target& target) {
  for (const Route& route : routes) {
    const auto id = route.pattern.match(target.segments());
    if (id && (route.id != PathId::mail_object || parse_mail_object_id(*id))) return FoundRoute{&route, *id};
  }
  return std::nullopt;
}

bool needs_token(const Target& target) {
  const auto segments = target.segments();
  return segments.size() >= 2 && equals_ignoring_case(segments[0], "api") && equals_ignoring_case(segments[1], "app");
}

std::span<const Route> all_routes() { return routes; }

}  // namespace portail
