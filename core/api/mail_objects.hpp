// The endpoints of mail objects (docs/reference/contract.md, "Endpoints"), for /api/app/objet-courrier and below.
#pragma once

#include "core/api/endpoint.hpp"

namespace portail {

Task<Response> list_mail_objects(Context& context, const Call& call);      // GET …?SkipCount&MaxResultCount
Task<Response> list_all_mail_objects(Context& context, const Call& call);  // GET …/list-all
Task<Response> get_mail_object(Context& context, const Call& call);        // GET …/{id}
Task<Response> get_template_file(Context& context, const Call& call);      // GET …/{id}/fichier-modele
// Refuses POST … and DELETE …/{id}: mail objects come from their source only.
Task<Response> reject_mail_object_change(Context& context, const Call& call);

// Whether a segment is a mail object's id: canonical decimal digits, at most 2^53 - 1. Other segments do not match the
// route.
bool is_mail_object_id(std::string_view segment);
std::uint64_t mail_object_id(const Call& call);

}  // namespace portail
