#include "native/import/sync_metrics.hpp"

#include <cstring>
#include <string_view>

#include "core/base/printable.hpp"
#include "native/system/atomic_file.hpp"

namespace portail {
namespace {

// The value of a label in the text format of Prometheus.
std::string label_value(const std::string& text) {
  std::string escaped;
  for (const char c : printable(text)) {
    if (c == '\\' || c == '"') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

void append_gauge(std::string& text, std::string_view name, std::string_view help, const std::string& labels,
                  std::int64_t value) {
  text.append("# HELP ").append(name).append(" ").append(help).append("\n# TYPE ").append(name).append(" gauge\n");
  text.append(name).append(labels).append(" ").append(std::to_string(value)).append("\n");
}

}  // namespace

std::expected<void, std::string> write_sync_metrics(const std::string& file, const SyncResult& result) {
  const std::string labels = "{source=\"" + label_value(result.source) + "\"}";
  std::string text;
  append_gauge(text, "portail_sync_last_run_timestamp_seconds",
               "End of the last synchronisation, in seconds since 1970.", labels, result.finished);
  append_gauge(text, "portail_sync_last_exit_status", "Exit status of the last synchronisation.", labels,
               result.exit_status);
  if (result.succeeded_at) {
    append_gauge(text, "portail_sync_last_success_timestamp_seconds",
                 "When the store last had the version of the source, in seconds since 1970.", labels,
                 *result.succeeded_at);
  }
  const auto written = AtomicFile::replace(file, text, 0644);
  if (!written) return std::unexpected("cannot write " + file + ": " + std::strerror(written.error()));
  return {};
}

}  // namespace portail
