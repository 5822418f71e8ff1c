// Spans by OTLP over HTTP, as OpenTelemetry's library makes them; collector_client.cpp sends them. How (headers,
// protocol, authorities, time) is for the environment to say, by the library's own OTEL_EXPORTER_OTLP_ variables.
#include "native/telemetry/otlp/portail_otlp.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <opentelemetry/common/timestamp.h>
#include <opentelemetry/exporters/otlp/otlp_http_exporter_factory.h>
#include <opentelemetry/exporters/otlp/otlp_http_exporter_options.h>
#include <opentelemetry/nostd/shared_ptr.h>
#include <opentelemetry/nostd/span.h>
#include <opentelemetry/sdk/common/attribute_utils.h>
#include <opentelemetry/sdk/common/exporter_utils.h>
#include <opentelemetry/sdk/common/global_log_handler.h>
#include <opentelemetry/sdk/instrumentationscope/instrumentation_scope.h>
#include <opentelemetry/sdk/resource/resource.h>
#include <opentelemetry/sdk/resource/resource_detector.h>
#include <opentelemetry/sdk/trace/batch_span_processor_factory.h>
#include <opentelemetry/sdk/trace/batch_span_processor_options.h>
#include <opentelemetry/sdk/trace/exporter.h>
#include <opentelemetry/sdk/trace/processor.h>
#include <opentelemetry/sdk/trace/recordable.h>
#include <opentelemetry/semconv/error_attributes.h>
#include <opentelemetry/semconv/http_attributes.h>
#include <opentelemetry/semconv/service_attributes.h>
#include <opentelemetry/trace/propagation/http_trace_context.h>
#include <opentelemetry/trace/span_context.h>
#include <opentelemetry/trace/span_metadata.h>
#include <opentelemetry/trace/trace_flags.h>

namespace {

namespace otel = opentelemetry;
namespace internal_log = otel::sdk::common::internal_log;
namespace semconv = otel::semconv;
using otel::sdk::common::ExportResult;
using otel::sdk::trace::Recordable;
using otel::trace::propagation::HttpTraceContext;
using std::chrono::microseconds;

constexpr std::uint64_t most_waiting = 2048;  // spans, for the collector
constexpr std::chrono::seconds between_batches{1};
// That a post takes: nothing ends one before, so the program's end waits for it.
constexpr std::chrono::seconds longest_post{2};
constexpr int first_server_error = 500;

std::string_view view_of(PortailOtlpText text) { return {text.data, text.size}; }
std::string string_of(PortailOtlpText text) { return {text.data, text.size}; }
otel::nostd::string_view library_view(std::string_view text) { return {text.data(), text.size()}; }
otel::nostd::string_view library_view(PortailOtlpText text) { return {text.data, text.size}; }

// Of "[OTLP HTTP Client] Export failed, Status:503, Header: …,Body:…" what a line for the operator has room for.
std::string_view reason_in(std::string_view message) {
  if (const auto end = message.find("] "); message.starts_with('[') && end != std::string_view::npos)
    message.remove_prefix(end + 2);
  return message.substr(0, message.find(", Header:"));
}

// Is told what the library would print else. Of a post that failed the first message is the reason, and the others say
// that it failed.
class Complaints final : public internal_log::LogHandler {
 public:
  explicit Complaints(const PortailOtlpOptions& options) : remark_(options.remark), context_(options.context) {}

  void Handle(internal_log::LogLevel level, const char* /*file*/, int /*line*/, const char* message,
              const otel::sdk::common::AttributeMap& /*attributes*/) noexcept override {
    if (level != internal_log::LogLevel::Error) return;
    if (posting_ == std::this_thread::get_id() && has_failed_.exchange(true)) return;
    const std::string_view why = reason_in(message);
    remark_(context_, {.data = why.data(), .size = why.size()});
  }

  // Whether `post`, which gives success whatever comes of it (1.19), does what it says. One thread at a time.
  bool has_none(const std::function<void()>& post) {
    has_failed_ = false;
    posting_ = std::this_thread::get_id();
    post();
    posting_ = std::thread::id();
    return !has_failed_;
  }

 private:
  void (*remark_)(void*, PortailOtlpText);
  void* context_;
  std::atomic<std::thread::id> posting_;
  std::atomic<bool> has_failed_ = false;
};

// What became of the spans.
struct Tally {
  std::atomic<std::uint64_t> waiting = 0;
  std::atomic<std::uint64_t> sent = 0;
  std::atomic<std::uint64_t> dropped = 0;
};

// The library's exporter, with its results counted; once it has given up, it drops what it is given.
class CountingExporter final : public otel::sdk::trace::SpanExporter {
 public:
  CountingExporter(std::unique_ptr<SpanExporter> exporter, Tally& tally, Complaints& complaints)
      : exporter_(std::move(exporter)), tally_(tally), complaints_(complaints) {}

  std::unique_ptr<Recordable> MakeRecordable() noexcept override { return exporter_->MakeRecordable(); }

  ExportResult Export(const otel::nostd::span<std::unique_ptr<Recordable>>& spans) noexcept override {
    const bool taken = !has_given_up_ && complaints_.has_none([&] { exporter_->Export(spans); });
    (taken ? tally_.sent : tally_.dropped) += spans.size();
    tally_.waiting -= spans.size();
    return taken ? ExportResult::kSuccess : ExportResult::kFailure;
  }

  bool ForceFlush(microseconds longest) noexcept override { return exporter_->ForceFlush(longest); }
  bool Shutdown(microseconds longest) noexcept override { return exporter_->Shutdown(longest); }

  // Any thread.
  void give_up() { has_given_up_ = true; }

 private:
  std::unique_ptr<SpanExporter> exporter_;
  Tally& tally_;
  Complaints& complaints_;
  std::atomic<bool> has_given_up_ = false;
};

otel::sdk::resource::Resource resource_of(const PortailOtlpOptions& options) {
  const otel::sdk::resource::ResourceAttributes ours{{semconv::service::kServiceName, string_of(options.service)},
                                                     {semconv::service::kServiceVersion, string_of(options.version)}};
  // OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME come before ours.
  return otel::sdk::resource::Resource::Create(ours).Merge(otel::sdk::resource::OTELResourceDetector().Detect());
}

// The names that the conventions know; any other is "_OTHER", however many a client makes up.
std::string_view conventional(std::string_view method) {
  for (const std::string_view known :
       {"GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"}) {
    if (method == known) return known;
  }
  return "_OTHER";
}

std::string span_name(std::string_view method, std::string_view route) {
  std::string name(method == "_OTHER" ? "HTTP" : method);
  if (!route.empty()) name.append(" ").append(route);
  return name;
}

}  // namespace

struct PortailOtlp {
 public:
  explicit PortailOtlp(const PortailOtlpOptions& options)
      : complaints_(std::make_shared<Complaints>(options)),
        resource_(resource_of(options)),
        scope_(Scope::Create(string_of(options.service), string_of(options.version))) {
    internal_log::GlobalLogHandler::SetLogHandler(std::shared_ptr<internal_log::LogHandler>(complaints_));
    otel::exporter::otlp::OtlpHttpExporterOptions http;
    http.url = string_of(options.url);
    if (http.timeout <= http.timeout.zero() || http.timeout > longest_post) http.timeout = longest_post;
    auto exporter = std::make_unique<CountingExporter>(otel::exporter::otlp::OtlpHttpExporterFactory::Create(http),
                                                       tally_, *complaints_);
    exporter_ = exporter.get();
    otel::sdk::trace::BatchSpanProcessorOptions batches;
    batches.max_queue_size = most_waiting;
    batches.schedule_delay_millis = between_batches;
    processor_ = otel::sdk::trace::BatchSpanProcessorFactory::Create(std::move(exporter), batches);
  }

  void add(const PortailOtlpSpan& span) {
    // What the library has no room for it would drop without a word.
    if (tally_.waiting.fetch_add(1) >= most_waiting) {
      --tally_.waiting;
      ++tally_.dropped;
      return;
    }
    processor_->OnEnd(recordable_of(span));
  }

  [[nodiscard]] PortailOtlpCounts counts() const { return {.sent = tally_.sent, .dropped = tally_.dropped}; }

  void stop(std::chrono::milliseconds longest) {
    processor_->ForceFlush(longest);
    exporter_->give_up();
    processor_->Shutdown();
  }

 private:
  using Scope = otel::sdk::instrumentationscope::InstrumentationScope;

  std::unique_ptr<Recordable> recordable_of(const PortailOtlpSpan& span) {
    const std::string_view method = conventional(view_of(span.method));
    const std::string_view route = view_of(span.route);
    auto recordable = processor_->MakeRecordable();
    const otel::trace::TraceFlags sampled(otel::trace::TraceFlags::kIsSampled);
    recordable->SetIdentity({HttpTraceContext::TraceIdFromHex(library_view(span.trace_id)),
                             HttpTraceContext::SpanIdFromHex(library_view(span.span_id)), sampled, false},
                            span.parent_id.size == 0 ? otel::trace::SpanId()
                                                     : HttpTraceContext::SpanIdFromHex(library_view(span.parent_id)));
    recordable->SetTraceFlags(sampled);
    recordable->SetName(span_name(method, route));
    recordable->SetSpanKind(otel::trace::SpanKind::kServer);
    recordable->SetResource(resource_);
    recordable->SetInstrumentationScope(*scope_);
    recordable->SetStartTime(otel::common::SystemTimestamp(std::chrono::nanoseconds(span.start)));
    recordable->SetDuration(std::chrono::nanoseconds(span.nanoseconds));
    recordable->SetAttribute(semconv::http::kHttpRequestMethod, library_view(method));
    if (!route.empty()) recordable->SetAttribute(semconv::http::kHttpRoute, library_view(route));
    recordable->SetAttribute(semconv::http::kHttpResponseStatusCode, span.status);
    if (span.status >= first_server_error) {
      recordable->SetAttribute(semconv::error::kErrorType, std::to_string(span.status));
      recordable->SetStatus(otel::trace::StatusCode::kError, "");
    }
    return recordable;
  }

  std::shared_ptr<Complaints> complaints_;
  Tally tally_;
  otel::sdk::resource::Resource resource_;
  std::unique_ptr<Scope> scope_;
  CountingExporter* exporter_ = nullptr;  // the processor's
  std::unique_ptr<otel::sdk::trace::SpanProcessor> processor_;
};

const PortailOtlpModule portail_otlp_1{
    .open = [](const PortailOtlpOptions* options) { return std::make_unique<PortailOtlp>(*options).release(); },
    .add = [](PortailOtlp* otlp, const PortailOtlpSpan* span) { otlp->add(*span); },
    .counts = [](const PortailOtlp* otlp) { return otlp->counts(); },
    .stop = [](PortailOtlp* otlp, int64_t longest) { otlp->stop(std::chrono::milliseconds(longest)); },
    .close = [](PortailOtlp* otlp) { const std::unique_ptr<PortailOtlp> closed(otlp); },
};
