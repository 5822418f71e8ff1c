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
#include "core/http/problem.hpp"
#include "core/portal/reading.hpp"
#include "core/portal/records/stored_string.hpp"
#include "core/portal/visible_bundles.hpp"

namespace portail {
namespace {

// What the store gave for one list; the session keeps the bytes that everything here refers to.
struct List {
  std::unique_ptr<Session> session;
  WhatWasRead read;
  std::vector<VisibleBundle> bundles;
  std::vector<const VisibleBundle*> ordered;  // the same, as the answer has them
  bool leave_out_derogated = false;

  [[nodiscard]] bool deposited_since(const Bundle& bundle) const {
    return bundle.deposits > read.consultations.seen(bundle.id);
  }
  [[nodiscard]] BundleWriter writer() const { return {read.mail_objects, read.configurations, leave_out_derogated}; }
  // Appends the bundle at `position`, and what stands before it in the array.
  Result<void> append(BundleWriter& writer, std::string& out, std::size_t position) const {
    out += position == 0 ? '[' : ',';
    const auto& [bundle, third_party] = *ordered[position];
    return writer.append(out, bundle, third_party, deposited_since(bundle));
  }
};

// As the answer has them. Each place is made once: to compare two bundles takes their instants apart.
std::vector<const VisibleBundle*> in_order(const std::vector<VisibleBundle>& bundles) {
  struct Placed {
    PlaceInLists place;
    const VisibleBundle* bundle;
  };
  std::vector<Placed> placed;
  placed.reserve(bundles.size());
  for (const VisibleBundle& each : bundles) {
    placed.push_back({place_in_lists(each.bundle.instant, each.bundle.id), &each});
  }
  std::ranges::sort(placed, precedes, &Placed::place);
  std::vector<const VisibleBundle*> ordered;
  ordered.reserve(bundles.size());
  for (const Placed& each : placed) ordered.push_back(each.bundle);
  return ordered;
}

// Writes the JSON of a short list; false for a long one, of which hardly more was written than a short one has.
Result<bool> write_short(const List& list, std::string& out) {
  if (list.bundles.size() > longest_whole_list) return false;
  if (list.bundles.empty()) out = "[";
  BundleWriter writer = list.writer();
  for (std::size_t i = 0; i < list.bundles.size(); ++i) {
    if (const auto appended = list.append(writer, out, i); !appended) return std::unexpected(appended.error());
    if (out.size() > largest_whole_list) return false;
  }
  out += ']';
  return true;
}

class ListSource final : public ChunkSource {
 public:
  explicit ListSource(List list) : list_(std::move(list)), writer_(list_.writer()) {}

  Task<std::optional<std::string_view>> next(Context&) override {
    const std::size_t count = list_.bundles.size();
    if (position_ == count) co_return std::nullopt;
    chunk_.clear();
    while (position_ < count && chunk_.size() < usual_chunk) co_await list_.append(writer_, chunk_, position_++);
    if (position_ == count) chunk_ += ']';
    co_return std::string_view(chunk_);
  }

  [[nodiscard]] std::size_t occupied() const override {
    return list_.bundles.size() * (sizeof(VisibleBundle) + sizeof(VisibleBundle*)) + list_.session->copied() +
           chunk_.capacity() + writer_.occupied();
  }

 private:
  static constexpr std::size_t usual_chunk = 64 * 1024;

  const List list_;
  BundleWriter writer_;
  std::string chunk_;
  std::size_t position_ = 0;
};

// Changes with whatever the answer is made from.
CacheKey revisions_of(const List& list) {
  CacheKey revisions(KeyKind::bundle_list);
  revisions.add(list.read.catalogue_texts.size());
  for (const std::string_view text : list.read.catalogue_texts) revisions.add(text);
  revisions.add(list.read.configuration_lines).add(list.leave_out_derogated ? 1U : 0U);
  for (const VisibleBundle* each : list.ordered) {
    const auto& [bundle, third_party] = *each;
    revisions.add(bundle.revision).add(list.deposited_since(bundle) ? 1U : 0U);
    revisions.add(third_party.last_name).add(third_party.first_name);
  }
  return revisions;
}

Response answer_streamed(const Call& call, List list) {
  list.session->release();
  Response response = answer_unless_matched(call, entity_tag(revisions_of(list)), json_content_type, Caching::never);
  if (!is_not_modified(response)) response.body = std::make_unique<ListSource>(std::move(list));
  return response;
}

}  // namespace

Task<Response> list_bundles(Context& context, const Call& call, Relation relation) {
  const Caller& caller = *call.caller;
  List list;
  list.session = co_await call.store.open(context);
  list.read = co_await read(context, *list.session,
                            {.mail_objects = Wanted::MailObjects::all,
                             .grants = relation == Relation::manager || call.settings.filter_lists,
                             .index = relation,
                             .consultations = true,
                             .person = caller.subject});
  if (relation == Relation::manager && !holds(caller, Permission::dashboard, list.read.grants)) {
    co_return problem(403, call.language, Message::permission_missing);
  }
  if (relation == Relation::manager) call.summary.access = "managed bundles";
  list.leave_out_derogated =
      call.settings.filter_lists && !holds(caller, Permission::see_derogated_pieces, list.read.grants);

  const std::string person = stored_string(caller.subject);
  list.bundles = co_await read_visible(context, *list.session, list.read.index, relation, person);
  list.ordered = in_order(list.bundles);
  std::string body;
  if (co_await write_short(list, body)) co_return answer_json(call, std::move(body), Caching::never);
  body = {};
  co_return answer_streamed(call, std::move(list));
}

}  // namespace portail
