#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/audit/audit_filter.hpp"
#include "core/audit/trail.hpp"
#include "core/exchange/scans.hpp"
#include "core/http/target.hpp"
#include "core/json/reader.hpp"
#include "core/json/utf8.hpp"
#include "core/management/call.hpp"
#include "core/management/endpoints.hpp"
#include "core/portal/mail_object_id.hpp"

namespace portail {
namespace {

constexpr std::size_t chunk_size = std::size_t{64} * 1024;

// Returns the filter of a query, or the message of a fault.
std::expected<AuditFilter, std::string> read_filter(std::string_view query) {
  AuditFilter filter;
  const std::array texts{&filter.since,  &filter.until,  &filter.subject,
                         &filter.client, &filter.action, &filter.correlation_id};
  for (std::size_t i = 0; i < texts.size(); ++i) *texts[i] = query_value(query, audit_parameters[i]).value_or("");
  for (std::size_t i = 0; i < 2; ++i) {
    if (texts[i]->empty()) continue;
    auto time = audit_time(*texts[i]);
    if (!time) {
      return std::unexpected(std::string(audit_parameters[i]) + " must be 2026-01-31 or 2026-01-31T08:00:00%2B01:00");
    }
    *texts[i] = std::move(*time);
  }
  if (!filter.action.empty() && std::ranges::find(audit_actions, filter.action) == audit_actions.end()) {
    std::string message = "action must be ";
    for (const std::string_view action : audit_actions) {
      if (action == audit_actions.back())
        message += " or ";
      else if (action != audit_actions.front())
        message += ", ";
      message += action;
    }
    return std::unexpected(message);
  }
  if (const auto object = query_value(query, "object")) {
    const auto id = parse_mail_object_id(*object);
    if (!id) return std::unexpected("object must be the id of a mail object");
    filter.mail_object = static_cast<std::int64_t>(*id);
  }
  return filter;
}

// The records that the filter selects, pulled: those that read_audit_trail visits. One thread at a time.
class AuditSource final : public ChunkSource {
 public:
  // `store` must outlive this.
  AuditSource(KeyValueStore& store, AuditFilter filter) : store_(store), filter_(std::move(filter)) {}

  Task<std::optional<std::string_view>> next(Context& context) override;
  [[nodiscard]] std::size_t occupied() const override { return chunk_.size() + keys_.occupied(); }

 private:
  KeyValueStore& store_;
  AuditFilter filter_;
  bool is_begun_ = false;
  KeyBatches keys_;
  std::uint64_t hidden_ = 0;
  std::string chunk_;
};

Task<std::optional<std::string_view>> AuditSource::next(Context& context) {
  if (!is_begun_) {
    is_begun_ = true;
    const AuditNames reachable = co_await reachable_audit_records(context, store_);
    for (const AuditName name : reachable.names) keys_.add(audit_key(name));
    hidden_ = reachable.hidden;
  }
  chunk_.clear();
  while (chunk_.size() < chunk_size && !keys_.empty()) {
    const auto session = co_await store_.open(context);
    for (const KeyBatches::Entry& entry : co_await keys_.take(context, *session)) {
      if (!entry.value) continue;
      const auto document = parse_json(*entry.value);
      const auto object = document ? object_of(document->root()) : std::nullopt;
      if (object && matches(filter_, *object)) chunk_.append(*entry.value).append("\n");
    }
  }
  if (keys_.empty() && hidden_ > 0) {
    chunk_.append("{\"hidden\":").append(std::to_string(std::exchange(hidden_, 0))).append("}\n");
  }
  if (chunk_.empty()) co_return std::nullopt;
  co_return chunk_;
}

}  // namespace

Task<Response> get_audit(Context&, const ManagementCall& call) {
  auto filter = read_filter(call.query);
  if (!filter) co_return management_problem(400, filter.error());
  co_return streamed_answer(json_lines_content_type, std::make_unique<AuditSource>(call.store, std::move(*filter)));
}

}  // namespace portail
