// Spans by OTLP over HTTP, created by OpenTelemetry's library and sent by collector_client.cpp. Headers, protocol,
// authorities and timeouts are set by the library's variables OTEL_EXPORTER_OTLP_….
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

constexpr std::uint64_t max_queue_size = 2048;  // spans
constexpr std::chrono::seconds batch_interval{1};
// A post cannot be cancelled, so the end of the program waits for it.
constexpr std::chrono::seconds max_post_timeout{2};
constexpr int min_server_error = 500;

std::string_view view_of(PortailOtlpText text) { return {text.data, text.size}; }
std::string string_of(PortailOtlpText text) { return {text.data, text.size}; }
otel::nostd::string_view library_view(std::string_view text) { return {text.data(), text.size()}; }
otel::nostd::string_view library_view(PortailOtlpText text) { return {text.data, text.size}; }

// The reason in a message such as "[OTLP HTTP Client] Export failed, Status:503, Header: …,Body:…".
std::string_view reason_in(std::string_view message) {
  if (const auto end = message.find("] "); message.starts_with('[') && end != std::string_view::npos)
    message.remove_prefix(end + 2);
  return message.substr(0, message.find(", Header:"));
}

// Receives the messages that the library would print. Of a failed post the first message has the reason; the others are
// dropped.
class ErrorHandler final : public internal_log::LogHandler {
 public:
  explicit ErrorHandler(const PortailOtlpOptions& options) : on_error_(options.on_error), context_(options.context) {}

  void Handle(internal_log::LogLevel level, const char* /*file*/, int /*line*/, const char* message,
              const otel::sdk::common::AttributeMap& /*attributes*/) noexcept override {
    if (level != internal_log::LogLevel::Error) return;
    if (exporting_thread_ == std::this_thread::get_id() && has_failed_.exchange(true)) return;
    const std::string_view why = reason_in(message);
    on_error_(context_, {.data = why.data(), .size = why.size()});
  }

  // Whether `post` logs no error; its result is always success (1.19). One thread at a time.
  bool succeeds(const std::function<void()>& post) {
    has_failed_ = false;
    exporting_thread_ = std::this_thread::get_id();
    post();
    exporting_thread_ = std::thread::id();
    return !has_failed_;
  }

 private:
  void (*on_error_)(void*, PortailOtlpText);
  void* context_;
  std::atomic<std::thread::id> exporting_thread_;
  std::atomic<bool> has_failed_ = false;
};

// Counters of spans.
struct SpanCounters {
  std::atomic<std::uint64_t> queued = 0;
  std::atomic<std::uint64_t> sent = 0;
  std::atomic<std::uint64_t> dropped = 0;
};

// The library's exporter, which counts results. After stop_export() it drops spans.
class CountingExporter final : public otel::sdk::trace::SpanExporter {
 public:
  CountingExporter(std::unique_ptr<SpanExporter> exporter, SpanCounters& counters, ErrorHandler& errors)
      : exporter_(std::move(exporter)), counters_(counters), errors_(errors) {}

  std::unique_ptr<Recordable> MakeRecordable() noexcept override { return exporter_->MakeRecordable(); }

  ExportResult Export(const otel::nostd::span<std::unique_ptr<Recordable>>& spans) noexcept override {
    const bool is_sent = !is_stopped_ && errors_.succeeds([&] { exporter_->Export(spans); });
    (is_sent ? counters_.sent : counters_.dropped) += spans.size();
    counters_.queued -= spans.size();
    return is_sent ? ExportResult::kSuccess : ExportResult::kFailure;
  }

  bool ForceFlush(microseconds timeout) noexcept override { return exporter_->ForceFlush(timeout); }
  bool Shutdown(microseconds timeout) noexcept override { return exporter_->Shutdown(timeout); }

  // Any thread.
  void stop_export() { is_stopped_ = true; }

 private:
  std::unique_ptr<SpanExporter> exporter_;
  SpanCounters& counters_;
  ErrorHandler& errors_;
  std::atomic<bool> is_stopped_ = false;
};

otel::sdk::resource::Resource resource_of(const PortailOtlpOptions& options) {
  const otel::sdk::resource::ResourceAttributes own{{semconv::service::kServiceName, string_of(options.service)},
                                                    {semconv::service::kServiceVersion, string_of(options.version)}};
  // OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME precede these.
  return otel::sdk::resource::Resource::Create(own).Merge(otel::sdk::resource::OTELResourceDetector().Detect());
}

// The methods of the semantic conventions; any other is "_OTHER", which bounds the number of values.
std::string_view method_attribute(std::string_view method) {
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
      : errors_(std::make_shared<ErrorHandler>(options)),
        resource_(resource_of(options)),
        scope_(Scope::Create(string_of(options.service), string_of(options.version))) {
    internal_log::GlobalLogHandler::SetLogHandler(std::shared_ptr<internal_log::LogHandler>(errors_));
    otel::exporter::otlp::OtlpHttpExporterOptions http;
    http.url = string_of(options.url);
    if (http.timeout <= http.timeout.zero() || http.timeout > max_post_timeout) http.timeout = max_post_timeout;
    auto exporter = std::make_unique<CountingExporter>(otel::exporter::otlp::OtlpHttpExporterFactory::Create(http),
                                                       counters_, *errors_);
    exporter_ = exporter.get();
    otel::sdk::trace::BatchSpanProcessorOptions batches;
    batches.max_queue_size = max_queue_size;
    batches.schedule_delay_millis = batch_interval;
    processor_ = otel::sdk::trace::BatchSpanProcessorFactory::Create(std::move(exporter), batches);
  }

  void add(const PortailOtlpSpan& span) {
    // Beyond its queue the library would drop spans without counting them.
    if (counters_.queued.fetch_add(1) >= max_queue_size) {
      --counters_.queued;
      ++counters_.dropped;
      return;
    }
    processor_->OnEnd(recordable_of(span));
  }

  [[nodiscard]] PortailOtlpCounts counts() const { return {.sent = counters_.sent, .dropped = counters_.dropped}; }

  void stop(std::chrono::milliseconds timeout) {
    processor_->ForceFlush(timeout);
    exporter_->stop_export();
    processor_->Shutdown();
  }

 private:
  using Scope = otel::sdk::instrumentationscope::InstrumentationScope;

  std::unique_ptr<Recordable> recordable_of(const PortailOtlpSpan& span) {
    const std::string_view method = method_attribute(view_of(span.method));
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
    if (span.status >= min_server_error) {
      recordable->SetAttribute(semconv::error::kErrorType, std::to_string(span.status));
      recordable->SetStatus(otel::trace::StatusCode::kError, "");
    }
    return recordable;
  }

  std::shared_ptr<ErrorHandler> errors_;
  SpanCounters counters_;
  otel::sdk::resource::Resource resource_;
  std::unique_ptr<Scope> scope_;
  CountingExporter* exporter_ = nullptr;  // owned by the processor
  std::unique_ptr<otel::sdk::trace::SpanProcessor> processor_;
};

const PortailOtlpModule portail_otlp_1{
    .open = [](const PortailOtlpOptions* options) { return std::make_unique<PortailOtlp>(*options).release(); },
    .add = [](PortailOtlp* otlp, const PortailOtlpSpan* span) { otlp->add(*span); },
    .counts = [](const PortailOtlp* otlp) { return otlp->counts(); },
    .stop = [](PortailOtlp* otlp, int64_t timeout) { otlp->stop(std::chrono::milliseconds(timeout)); },
    .close = [](PortailOtlp* otlp) { const std::unique_ptr<PortailOtlp> closed(otlp); },
};
