#include "core/api/bundles.hpp"

#include <expected>
#include <string>
#include <string_view>
#include <utility>

#include "core/api/answers.hpp"
#include "core/api/bundle_list.hpp"
#include "core/api/representations.hpp"
#include "core/http/problem.hpp"
#include "core/portal/consultation.hpp"
#include "core/portal/portal_reader.hpp"
#include "core/portal/records/stored_string.hpp"

namespace portail {
namespace {

// Returns the relation in which the caller may read the bundle: user, or manager with the dashboard's permission. The
// error is the reason for the log.
std::expected<Relation, Reason> relation_to_bundle(const Caller& caller, const ReadResult& found) {
  if (caller.subject.empty()) return std::unexpected(Reason::no_subject);
  const std::string person = stored_string(caller.subject);
  const auto has = [&](Relation relation) {
    return found.third_party && has_relation(*found.third_party, relation, person);
  };
  if (has(Relation::user)) return Relation::user;
  if (!has(Relation::manager)) return std::unexpected(Reason::not_related);
  if (!holds(caller, Permission::dashboard, found.grants)) return std::unexpected(Reason::no_dashboard_permission);
  return Relation::manager;
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
  ReadResult found;
  co_await read(context, *session,
                {.mail_objects = ReadSpec::MailObjects::of_bundle,
                 .grants = true,
                 .bundle = call.id,
                 .consultations = true,
                 .person = caller.subject},
                found);
  if (!found.bundle) co_return problem(404, call.language, Message::no_such_entity, {"Liasse", call.id});
  const auto relation = relation_to_bundle(caller, found);
  if (!relation) {
    call.summary.reason = relation.error();
    if (relation.error() == Reason::no_dashboard_permission) {
      co_return permission_problem(call.language, Message::bundle_forbidden, name_of(Permission::dashboard));
    }
    co_return problem(403, call.language, Message::bundle_forbidden);
  }
  if (*relation == Relation::manager) call.summary.access = "managed bundle";

  const Bundle& bundle = *found.bundle;
  const bool deposited_since = bundle.deposits > found.consultations.seen_deposits(bundle.id);
  std::string body;
  BundleWriter writer(found.mail_objects, found.configurations,
                      !holds(caller, Permission::see_derogated_pieces, found.grants));
  co_await writer.append(body, bundle, *found.third_party, deposited_since);
  Response response = answer_json(call, std::move(body), Caching::never);
  if (deposited_since && call.request.method == "GET" && response.status == 200) {
    const auto recorded =
        co_await outcome(record_consultation(context, call.store, caller.subject, bundle.id, bundle.deposits));
    if (!recorded) context.log.warn("consultation not recorded", describe(recorded.error()));
  }
  co_return response;
}

}  // namespace portail
