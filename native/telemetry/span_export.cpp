#include "native/telemetry/span_export.hpp"

#include <dlfcn.h>

namespace portail {
namespace {

constexpr const char* module_file = "portail-otlp.so";
constexpr const char* module_name = "portail_otlp_1";
constexpr std::string_view service = "portail";
constexpr std::string_view no_route_name = "-";  // the route of a request that matched none

PortailOtlpText text_of(std::string_view text) { return {.data = text.data(), .size = text.size()}; }

}  // namespace

std::expected<std::unique_ptr<SpanExport>, std::string> SpanExport::open(std::string_view url, std::string_view version,
                                                                         Log& log) {
  // Never closed, because the library has threads and exit handlers.
  void* const loaded = dlopen(module_file, RTLD_NOW | RTLD_LOCAL);
  void* const found = loaded ? dlsym(loaded, module_name) : nullptr;
  if (!found) return std::unexpected(dlerror());
  auto exporter = std::unique_ptr<SpanExport>(new SpanExport(*static_cast<const PortailOtlpModule*>(found), log));
  const PortailOtlpOptions options{.url = text_of(url),
                                   .service = text_of(service),
                                   .version = text_of(version),
                                   .on_error = on_error,
                                   .context = exporter.get()};
  exporter->otlp_ = exporter->module_.open(&options);
  return exporter;
}

SpanExport::~SpanExport() {
  if (!otlp_) return;
  if (!stopped_) stop({});
  module_.close(otlp_);
}

void SpanExport::record(const LoggedRequest& request, Instant start, std::chrono::microseconds duration) {
  if (!request.span || !request.span->sampled) return;
  const std::string_view route = request.summary.route;
  const PortailOtlpSpan span{.trace_id = text_of(request.span->trace_id),
                             .span_id = text_of(request.span->span_id),
                             .parent_id = text_of(request.span->parent_id),
                             .start = start.microseconds * 1000,
                             .nanoseconds = std::chrono::nanoseconds(duration).count(),
                             .method = text_of(request.method),
                             .route = text_of(route == no_route_name ? std::string_view() : route),
                             .status = request.status};
  module_.add(otlp_, &span);
}

SpanCounts SpanExport::counts() const {
  const PortailOtlpCounts counts = module_.counts(otlp_);
  return {.sent = counts.sent, .dropped = counts.dropped};
}

void SpanExport::stop(std::chrono::milliseconds timeout) {
  module_.stop(otlp_, timeout.count());
  stopped_ = true;
}

void SpanExport::on_error(void* context, PortailOtlpText why) {
  auto& spans = *static_cast<SpanExport*>(context);
  const std::scoped_lock lock(spans.mutex_);
  if (spans.error_throttle_.is_due()) spans.log_.warn("spans were not accepted by the collector", {why.data, why.size});
}

}  // namespace portail
