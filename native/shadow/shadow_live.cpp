#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "core/base/text.hpp"
#include "native/serve/serve.hpp"
#include "native/shadow/live_comparison.hpp"
#include "native/shadow/shadow_options.hpp"

namespace portail {
namespace {

using std::chrono::steady_clock;

constexpr int limited_status = 429;

// Returns the headers that the answer depends on. Without the conditional ones, the upstream sends its body.
ServiceClient::Headers forwarded_headers(const Request& request) {
  constexpr std::array names{std::string_view("Authorization"), std::string_view("Accept"),
                             std::string_view("Accept-Language")};
  ServiceClient::Headers headers;
  for (const HeaderView& header : request.headers) {
    const auto is_header = [&header](std::string_view name) { return equals_ignoring_case(name, header.name); };
    if (std::ranges::any_of(names, is_header)) headers.emplace_back(header.name, header.value);
  }
  return headers;
}

// A streamed body, which is copied for the comparison as it is sent. Submitted at its end.
class ObservedBody final : public ChunkSource {
 public:
  ObservedBody(std::unique_ptr<ChunkSource> source, LiveComparison& comparison, ServedRequest served)
      : source_(std::move(source)), comparison_(comparison), served_(std::move(served)) {}
  ObservedBody(const ObservedBody&) = delete;
  ObservedBody& operator=(const ObservedBody&) = delete;
  ~ObservedBody() override {
    if (served_) give_up();
  }

  Task<std::optional<std::string_view>> next(Context& context) override {
    const auto chunk = co_await source_->next(context);
    if (served_) chunk ? append(*chunk) : comparison_.submit(*std::exchange(served_, std::nullopt));
    co_return chunk;
  }
  [[nodiscard]] std::size_t occupied() const override { return source_->occupied(); }

 private:
  void append(std::string_view chunk) {
    std::string& body = served_->portal.answer.body;
    if (body.size() + chunk.size() > comparison_.max_answer())
      return forget([this] { comparison_.skip(shadow::Skip::too_large); });
    if (!comparison_.keep(body, chunk)) forget([this] { comparison_.drop(); });
  }
  void give_up() {
    forget([this] { comparison_.skip(shadow::Skip::unfinished); });
  }
  template <class Count>
  void forget(Count count) {
    comparison_.release(served_->portal.answer.body.size());
    served_.reset();
    count();
  }

  std::unique_ptr<ChunkSource> source_;
  LiveComparison& comparison_;
  std::optional<ServedRequest> served_;  // absent after its end
};

// Passes requests to the portal, and copies of the answers to the comparison.
class ObservedHandler final : public server::RequestHandler {
 public:
  ObservedHandler(const server::RequestHandler& portal, LiveComparison& comparison)
      : portal_(portal), comparison_(comparison) {
    comparison_.start();
  }
  ObservedHandler(const ObservedHandler&) = delete;
  ObservedHandler& operator=(const ObservedHandler&) = delete;
  ~ObservedHandler() override { comparison_.finish(); }

  Task<Response> handle(Context& context, const Request& request) const override {
    const auto compared = shadow::compared_request(request.method, request.target);
    if (compared) return handle_observed(context, request, *compared);
    comparison_.skip(request.method == "GET" || request.method == "HEAD" ? shadow::Skip::path : shadow::Skip::method);
    return portal_.handle(context, request);
  }
  std::optional<Response> shed(Context& context, const Request& request) const override {
    return portal_.shed(context, request);
  }

 private:
  Task<Response> handle_observed(Context& context, const Request& request, shadow::ComparedRequest compared) const {
    const auto started = steady_clock::now();
    Response response = co_await portal_.handle(context, request);
    const auto time = std::chrono::duration_cast<std::chrono::microseconds>(steady_clock::now() - started);
    observe(request, compared, time, response);
    co_return response;
  }

  void observe(const Request& request, const shadow::ComparedRequest& compared, std::chrono::microseconds time,
               Response& response) const {
    if (response.status == 304) return comparison_.skip(shadow::Skip::not_modified);
    if (response.status == limited_status) return comparison_.skip(shadow::Skip::refused);
    ServedRequest served{
        .compared = compared,
        .recorded = {.method = std::string(request.method),
                     .target = std::string(request.target),
                     .accept_language = std::string(find_header(request, "Accept-Language").value_or("")),
                     .has_token = find_header(request, "Authorization").has_value()},
        .headers = forwarded_headers(request),
        .portal = {.answer = {.status = response.status, .headers = {}, .body = {}}, .time = time}};
    for (const HeaderField& header : response.headers)
      served.portal.answer.headers.emplace_back(header.name, header.value);
    if (compared.method == "HEAD") return comparison_.submit(std::move(served));
    if (auto* source = std::get_if<std::unique_ptr<ChunkSource>>(&response.body)) {
      *source = std::make_unique<ObservedBody>(std::move(*source), comparison_, std::move(served));
      return;
    }
    const std::string& body = std::get<std::string>(response.body);
    if (body.size() > comparison_.max_answer()) return comparison_.skip(shadow::Skip::too_large);
    if (!comparison_.keep(served.portal.answer.body, body)) return comparison_.drop();
    comparison_.submit(std::move(served));
  }

  const server::RequestHandler& portal_;
  LiveComparison& comparison_;
};

}  // namespace

std::expected<void, Fault> serve_and_compare(const SettingValues& values, const ShadowArguments& arguments,
                                             const ShadowPlan& plan) {
  const auto comparison = LiveComparison::create(plan, arguments.record);
  if (!comparison) return std::unexpected(comparison.error());
  const auto served = serve_portal(values, [&comparison](const server::RequestHandler& portal) {
    return std::make_unique<ObservedHandler>(portal, **comparison);
  });
  if (!served) return served;
  const auto printed = print_shadow_report((*comparison)->report(), arguments.json);
  if (const std::string& fault = (*comparison)->record_fault(); !fault.empty()) return failure(fault);
  return printed;
}

}  // namespace portail
