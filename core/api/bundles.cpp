#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/api/answers.hpp"
#include "core/api/endpoints.hpp"
#include "core/api/representations.hpp"
#include "core/base/cache_key.hpp"
#include "core/http/header_fields.hpp"
#include "core/http/problem.hpp"
#include "core/portal/consultation.hpp"
#include "core/portal/entity_reader.hpp"
#include "core/portal/portal_reader.hpp"
#include "core/portal/records/bundle.hpp"
#include "core/portal/records/lines.hpp"
#include "core/portal/records/third_party.hpp"
#include "core/storage/key.hpp"

namespace portail {
namespace {

constexpr std::size_t max_buffered_bytes = 512 * 1024;  // a longer list is streamed

// The stored data of one list. The session holds the bytes of all views.
struct BundleList {
  std::unique_ptr<Session> session;
  ReadResult read;
  std::vector<Entity<Bundle>> bundles;
  std::vector<const Entity<Bundle>*> ordered;  // in the order of the answer
  bool omit_derogated = false;

  [[nodiscard]] bool deposited_since(const Bundle& bundle) const {
    return bundle.deposits > read.consultations.seen_deposits(bundle.id);
  }
  [[nodiscard]] BundleWriter writer() const { return {read.mail_objects, read.configurations, omit_derogated}; }
  // Appends the bundle at `position`, and the delimiter before it.
  Result<void> append(BundleWriter& writer, std::string& out, std::size_t position) const {
    out += position == 0 ? '[' : ',';
    const auto& [bundle, third_party] = *ordered[position];
    return writer.append(out, bundle, third_party, deposited_since(bundle));
  }
};

// Returns the bundles in the answer's order. Each sort key is computed once, since it parses the instant.
std::vector<const Entity<Bundle>*> sort_bundles(const std::vector<Entity<Bundle>>& bundles) {
  struct KeyedBundle {
    BundleSortKey key;
    const Entity<Bundle>* bundle;
  };
  std::vector<KeyedBundle> keyed;
  keyed.reserve(bundles.size());
  for (const Entity<Bundle>& each : bundles) {
    keyed.push_back({bundle_sort_key(each.record.instant, each.record.id), &each});
  }
  std::ranges::sort(keyed, precedes, &KeyedBundle::key);
  std::vector<const Entity<Bundle>*> ordered;
  ordered.reserve(bundles.size());
  for (const KeyedBundle& each : keyed) ordered.push_back(each.bundle);
  return ordered;
}

// The beginning of a list's JSON.
struct Beginning {
  std::string text;
  std::size_t bundles = 0;  // the number of those in the text
};

// Writes the JSON of the whole list, or of its first bundles until it is over max_buffered_bytes.
Result<Beginning> write_beginning(const BundleList& list) {
  Beginning beginning;
  if (list.bundles.empty()) beginning.text = "[";
  BundleWriter writer = list.writer();
  for (; beginning.bundles < list.bundles.size() && beginning.text.size() <= max_buffered_bytes; ++beginning.bundles) {
    if (const auto appended = list.append(writer, beginning.text, beginning.bundles); !appended)
      return std::unexpected(appended.error());
  }
  if (beginning.bundles == list.bundles.size()) beginning.text += ']';
  return beginning;
}

class BundleListSource final : public ChunkSource {
 public:
  BundleListSource(BundleList list, Beginning beginning)
      : list_(std::move(list)),
        writer_(list_.writer()),
        chunk_(std::move(beginning.text)),
        position_(beginning.bundles) {}

  Task<std::optional<std::string_view>> next(Context&) override {
    if (std::exchange(is_first_, false)) co_return std::string_view(chunk_);
    const std::size_t count = list_.bundles.size();
    if (position_ == count) co_return std::nullopt;
    if (chunk_.capacity() > 2 * chunk_target) std::string().swap(chunk_);  // frees the memory of the beginning
    chunk_.clear();
    while (position_ < count && chunk_.size() < chunk_target) co_await list_.append(writer_, chunk_, position_++);
    if (position_ == count) chunk_ += ']';
    co_return std::string_view(chunk_);
  }

  [[nodiscard]] std::size_t occupied() const override {
    return list_.bundles.size() * (sizeof(Entity<Bundle>) + sizeof(Entity<Bundle>*)) + list_.session->copied_bytes() +
           chunk_.capacity() + writer_.occupied();
  }

 private:
  static constexpr std::size_t chunk_target = 64 * 1024;

  const BundleList list_;
  BundleWriter writer_;
  std::string chunk_;
  std::size_t position_;  // of the next bundle
  bool is_first_ = true;
};

// Returns a key that changes with every value of the answer.
CacheKey revisions_of(const BundleList& list) {
  CacheKey revisions(CacheKeyKind::bundle_list_tag);
  revisions.add(list.read.catalogue_texts.size());
  for (const std::string_view text : list.read.catalogue_texts) revisions.add(text);
  revisions.add(list.read.configuration_lines).add(list.omit_derogated ? 1U : 0U);
  for (const Entity<Bundle>* each : list.ordered) {
    const auto& [bundle, third_party] = *each;
    revisions.add(bundle.revision).add(list.deposited_since(bundle) ? 1U : 0U);
    revisions.add(third_party.last_name).add(third_party.first_name);
  }
  return revisions;
}

Response answer_streamed(const Call& call, BundleList list, Beginning beginning) {
  list.session->release();
  Response response = answer_conditional(call, entity_tag(revisions_of(list)), json_content_type, Caching::never);
  if (needs_body(response)) {
    response.body = std::make_unique<BundleListSource>(std::move(list), std::move(beginning));
  }
  return response;
}

// Lists the caller's own bundles, or those that they manage (docs/reference/contract.md, "Answers: bundle lists"), in
// at most three batches of reads whatever their length, or five if the store has a revision and no answer is cached. A
// short list is buffered, and cached if the store has a revision. A longer list is streamed from the stored values,
// without buffering its JSON.
Task<Response> list_bundles(Context& context, const Call& call, Relation relation) {
  const Caller& caller = *call.caller;
  BundleList list;
  list.session = co_await call.store.open(context);
  const auto revision = context.answer_cache ? list.session->revision() : std::nullopt;

  ReadSpec spec{.grants = relation == Relation::manager || call.settings.filter_lists,
                .consultations = true,
                .person = caller.subject};
  const auto add_entities = [&spec, relation] {
    spec.mail_objects = ReadSpec::MailObjects::all;
    spec.index = bundle_indexes[std::to_underlying(relation)];
  };
  if (!revision) add_entities();
  co_await read(context, *list.session, spec, list.read);
  if (relation == Relation::manager && !holds(caller, Permission::dashboard, list.read.grants)) {
    call.summary.reason = Reason::no_dashboard_permission;
    co_return permission_problem(call.language, Message::permission_missing, name_of(Permission::dashboard));
  }
  if (relation == Relation::manager) call.summary.access = "managed bundles";
  list.omit_derogated =
      call.settings.filter_lists && !holds(caller, Permission::see_derogated_pieces, list.read.grants);

  CacheKey key(CacheKeyKind::bundle_list);
  key.add(static_cast<std::uint64_t>(relation)).add(list.omit_derogated ? 1U : 0U).add(caller.subject);
  if (revision) {
    const auto cached = find_answer(context, key, revision, list.read.consultation_values);
    if (cached) co_return answer_json(call, *cached, Caching::never);
    spec.grants = false;
    spec.consultations = false;
    add_entities();
    co_await read(context, *list.session, spec, list.read);
  }

  list.bundles = co_await read_entities<read_bundle, bundle_key>(context, *list.session, list.read.index);
  keep_visible(list.bundles, relation, stored_string(caller.subject));
  list.ordered = sort_bundles(list.bundles);
  auto beginning = write_beginning(list);
  if (!beginning) co_return std::unexpected(beginning.error());
  if (beginning->text.size() > max_buffered_bytes) {
    co_return answer_streamed(call, std::move(list), std::move(*beginning));
  }
  if (!revision) co_return answer_json(call, std::move(beginning->text), Caching::never);
  co_return answer_json(context, call, std::move(key), revision, list.read.consultation_values,
                        std::move(beginning->text), Caching::never);
}

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
    session->release();
    const auto recorded =
        co_await outcome(record_consultation(context, call.store, caller.subject, bundle.id, bundle.deposits));
    if (!recorded) context.log.warn("consultation not recorded", describe(recorded.error()));
  }
  co_return response;
}

}  // namespace portail
