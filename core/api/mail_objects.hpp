// The endpoints of mail objects (docs/reference/contract.md, "Endpoints"). For /api/app/objet-courrier and what is
// below it.
#pragma once

#include "core/api/endpoint.hpp"

namespace portail {

Task<Response> list_mail_objects(Context& context, const Call& call);      // GET …?SkipCount&MaxResultCount
Task<Response> list_all_mail_objects(Context& context, const Call& call);  // GET …/list-all
Task<Response> get_mail_object(Context& context, const Call& call);        // GET …/{id}
Task<Response> get_template_file(Context& context, const Call& call);      // GET …/{id}/fichier-modele
// POST …, DELETE …/{id}: mail objects come from their source only.
Task<Response> refuse_to_change_mail_objects(Context& context, const Call& call);

// Whether a segment is a mail object's id: canonical decimal digits, at most 2^53 - 1. Anything else is a wrong
// endpoint.
bool is_mail_object_id(std::string_view segment);
std::uint64_t mail_object_id(const Call& call);

}  // namespace portail
