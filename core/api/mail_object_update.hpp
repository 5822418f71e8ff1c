// The only change that clients may request (docs/reference/contract.md, "Requests: PUT body"): PUT
// /api/app/objet-courrier/{id}.
#pragma once

#include <string_view>

#include "core/api/endpoint.hpp"

namespace portail {

Task<Response> update_mail_object(Context& context, const Call& call);

}  // namespace portail
