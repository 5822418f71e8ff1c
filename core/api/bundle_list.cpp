#include "core/api/bundle_list.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/api/answers.hpp"
#include "core/api/representations.hpp"
#include "core/base/cache_key.hpp"
#include "core/http/media_type.hpp"
#include "core/http/problem.hpp"
#include "core/portal/portal_reader.hpp"
#include "core/portal/records/stored_string.hpp"
#include "core/portal/visible_bundles.hpp"

namespace portail {
namespace {

// The stored data of one list. The session holds the bytes of all views.
struct BundleList {
  std::unique_ptr<Session> session;
  ReadResult read;
  std::vector<VisibleBundle> bundles;
  std::vector<const VisibleBundle*> ordered;  // in the order of the answer
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
std::vector<const VisibleBundle*> sort_bundles(const std::vector<VisibleBundle>& bundles) {
  struct KeyedBundle {
    BundleSortKey key;
    const VisibleBundle* bundle;
  };
  std::vector<KeyedBundle> keyed;
  keyed.reserve(bundles.size());
  for (const VisibleBundle& each : bundles) {
    keyed.push_back({bundle_sort_key(each.bundle.instant, each.bundle.id), &each});
  }
  std::ranges::sort(keyed, precedes, &KeyedBundle::key);
  std::vector<const VisibleBundle*> ordered;
  ordered.reserve(bundles.size());
  for (const KeyedBundle& each : keyed) ordered.push_back(each.bundle);
  return ordered;
}

// Writes the JSON of a short list. Returns false for a long one as soon as a limit is exceeded.
Result<bool> write_buffered(const BundleList& list, std::string& out) {
  if (list.bundles.size() > max_buffered_bundles) return false;
  if (list.bundles.empty()) out = "[";
  BundleWriter writer = list.writer();
  for (std::size_t i = 0; i < list.bundles.size(); ++i) {
    if (const auto appended = list.append(writer, out, i); !appended) return std::unexpected(appended.error());
    if (out.size() > max_buffered_bytes) return false;
  }
  out += ']';
  return true;
}

class BundleListSource final : public ChunkSource {
 public:
  explicit BundleListSource(BundleList list) : list_(std::move(list)), writer_(list_.writer()) {}

  Task<std::optional<std::string_view>> next(Context&) override {
    const std::size_t count = list_.bundles.size();
    if (position_ == count) co_return std::nullopt;
    chunk_.clear();
    while (position_ < count && chunk_.size() < chunk_target) co_await list_.append(writer_, chunk_, position_++);
    if (position_ == count) chunk_ += ']';
    co_return std::string_view(chunk_);
  }

  [[nodiscard]] std::size_t occupied() const override {
    return list_.bundles.size() * (sizeof(VisibleBundle) + sizeof(VisibleBundle*)) + list_.session->copied_bytes() +
           chunk_.capacity() + writer_.occupied();
  }

 private:
  static constexpr std::size_t chunk_target = 64 * 1024;

  const BundleList list_;
  BundleWriter writer_;
  std::string chunk_;
  std::size_t position_ = 0;
};

// Returns a key that changes with every value of the answer.
CacheKey revisions_of(const BundleList& list) {
  CacheKey revisions(CacheKeyKind::bundle_list);
  revisions.add(list.read.catalogue_texts.size());
  for (const std::string_view text : list.read.catalogue_texts) revisions.add(text);
  revisions.add(list.read.configuration_lines).add(list.omit_derogated ? 1U : 0U);
  for (const VisibleBundle* each : list.ordered) {
    const auto& [bundle, third_party] = *each;
    revisions.add(bundle.revision).add(list.deposited_since(bundle) ? 1U : 0U);
    revisions.add(third_party.last_name).add(third_party.first_name);
  }
  return revisions;
}

Response answer_streamed(const Call& call, BundleList list) {
  list.session->release();
  Response response = answer_conditional(call, entity_tag(revisions_of(list)), json_content_type, Caching::never);
  if (!is_not_modified(response)) response.body = std::make_unique<BundleListSource>(std::move(list));
  return response;
}

}  // namespace

Task<Response> list_bundles(Context& context, const Call& call, Relation relation) {
  const Caller& caller = *call.caller;
  BundleList list;
  list.session = co_await call.store.open(context);
  list.read = co_await read(context, *list.session,
                            {.mail_objects = ReadSpec::MailObjects::all,
                             .grants = relation == Relation::manager || call.settings.filter_lists,
                             .index = relation,
                             .consultations = true,
                             .person = caller.subject});
  if (relation == Relation::manager && !holds(caller, Permission::dashboard, list.read.grants)) {
    call.summary.reason = describe_missing(Permission::dashboard);
    co_return problem(403, call.language, Message::permission_missing);
  }
  if (relation == Relation::manager) call.summary.access = "managed bundles";
  list.omit_derogated =
      call.settings.filter_lists && !holds(caller, Permission::see_derogated_pieces, list.read.grants);

  const std::string person = stored_string(caller.subject);
  list.bundles = co_await read_visible_bundles(context, *list.session, list.read.index, relation, person);
  list.ordered = sort_bundles(list.bundles);
  std::string body;
  if (co_await write_buffered(list, body)) co_return answer_json(call, std::move(body), Caching::never);
  body = {};
  co_return answer_streamed(call, std::move(list));
}

}  // namespace portail
