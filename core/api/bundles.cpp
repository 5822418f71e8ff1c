#include "core/api/bundles.hpp"

#include <optional>
#include <string>
#include <utility>

#include "core/api/answers.hpp"
#include "core/api/bundle_list.hpp"
#include "core/api/representations.hpp"
#include "core/http/problem.hpp"
#include "core/portal/consultation.hpp"
#include "core/portal/reading.hpp"
#include "core/portal/records/stored_string.hpp"

namespace portail {
namespace {

// As what the caller may read the bundle: of their own, or as a manager of the third party who may use the dashboard.
std::optional<Relation> reads_as(const Caller& caller, const WhatWasRead& found) {
  if (caller.subject.empty() || !found.third_party) return std::nullopt;
  const std::string person = stored_string(caller.subject);
  if (names(*found.third_party, Relation::user, person)) return Relation::user;
  const bool manages = names(*found.third_party, Relation::manager, person);
  if (manages && holds(caller, Permission::dashboard, found.grants)) return Relation::manager;
  return std::nullopt;
}

}  // namespace

Task<Response> list_own_bundles(Context& context, const Call& call) {
  return list_bundles(context, call, Relation::user);
}

Task<Response> list_managed_bundles(Context& context, const Call& call) {
  return list_bundles(context, call, Relation::manager);
}

Task<Response> get_bundle(Context& context, const Call& call) {
  const Caller& caller = *call.caller;
  const auto session = co_await call.store.open(context);
  const WhatWasRead found = co_await read(context, *session,
                                          {.mail_objects = Wanted::MailObjects::of_bundle,
                                           .grants = true,
                                           .bundle = call.id,
                                           .consultations = true,
                                           .person = caller.subject});
  if (!found.bundle) co_return problem(404, call.language, Message::no_such_entity, {"Liasse", call.id});
  const auto relation = reads_as(caller, found);
  if (!relation) co_return problem(403, call.language, Message::not_the_callers_bundle);
  if (*relation == Relation::manager) call.summary.access = "managed bundle";

  const Bundle& bundle = *found.bundle;
  const bool deposited_since = bundle.deposits > found.consultations.seen(bundle.id);
  std::string body;
  BundleWriter writer(found.mail_objects, found.configurations,
                      !holds(caller, Permission::see_derogated_pieces, found.grants));
  co_await writer.append(body, bundle, *found.third_party, deposited_since);
  Response response = answer_json(call, std::move(body), Caching::never);
  if (deposited_since && call.request.method == "GET" && !is_not_modified(response)) {
    const auto recorded =
        co_await outcome(record_consultation(context, call.store, caller.subject, bundle.id, bundle.deposits));
    if (!recorded) context.log.warn("consultation not recorded", describe(recorded.error()));
  }
  co_return response;
}

}  // namespace portail
