#include "native/import/sync_state.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <span>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>

#include "core/base/text.hpp"
#include "core/crypto/hash.hpp"
#include "core/json/reader.hpp"
#include "core/json/writer.hpp"
#include "native/system/atomic_file.hpp"
#include "native/system/log.hpp"
#include "native/system/small_file.hpp"

namespace portail {
namespace {

constexpr std::size_t id_length = 16;

std::optional<SyncState> parse_state(std::string_view text) {
  const auto document = parse_json(text, {.unique_names = true});
  const auto object = document ? object_of(document->root()) : std::nullopt;
  if (!object) return std::nullopt;
  const auto sha256 = string_member(*object, "sha256");
  const auto succeeded = integer_member(*object, "succeeded");
  if (!sha256 || !succeeded) return std::nullopt;
  return SyncState{.sha256 = std::string(*sha256),
                   .version = {.etag = std::string(string_member(*object, "etag").value_or("")),
                               .last_modified = std::string(string_member(*object, "lastModified").value_or("")),
                               .modified = integer_member(*object, "modified")},
                   .succeeded = *succeeded};
}

}  // namespace

std::expected<SyncStateFile, std::string> SyncStateFile::open(const std::string& folder, const std::string& identity) {
  const auto fail = [&folder](int error) {
    return std::unexpected("cannot write to the folder " + folder + ": " + std::strerror(error) +
                           "; give --state a folder that this user may write to");
  };
  const FolderOwner owner(folder);
  if (const auto created = create_private_directories(folder); !created) return fail(created.error());
  const std::string id = lower_hex(sha256(std::as_bytes(std::span(identity)))).substr(0, id_length);
  const std::string path = std::filesystem::path(folder) / ("sync-" + id);
  Descriptor lock(::open((path + ".lock").c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600));
  if (!lock) return fail(errno);
  if (flock(lock.number(), LOCK_EX | LOCK_NB) != 0) {
    return std::unexpected("another import of this source is running: wait until it ends");
  }
  return SyncStateFile(path + ".json", id, std::move(lock));
}

std::expected<std::optional<SyncState>, std::string> SyncStateFile::read() const {
  std::error_code error;
  if (!std::filesystem::exists(path_, error) && !error) return std::nullopt;
  const auto text = read_small_file(path_, "--state");
  if (!text) return std::unexpected(text.error());
  auto state = parse_state(*text);
  if (!state) {
    return std::unexpected(path_ + " is not the state of an import: remove it, and the document is imported");
  }
  return state;
}

std::expected<void, std::string> SyncStateFile::write(const std::string& source, const SyncState& state) const {
  std::string text;
  JsonWriter json(text);
  json.begin_object().name("source").raw(log_string(source)).name("sha256").string(state.sha256);
  if (!state.version.etag.empty()) json.name("etag").raw(log_string(state.version.etag));
  if (!state.version.last_modified.empty()) json.name("lastModified").raw(log_string(state.version.last_modified));
  if (state.version.modified) json.name("modified").integer(*state.version.modified);
  json.name("succeeded").integer(state.succeeded).end_object();
  text += '\n';
  const FolderOwner owner(std::filesystem::path(path_).parent_path());
  const auto written = AtomicFile::replace(path_, text);
  if (!written) return std::unexpected("cannot write " + path_ + ": " + std::strerror(written.error()));
  return {};
}

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
