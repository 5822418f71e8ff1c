#include "native/import/changes_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/text.hpp"
#include "core/exchange/report_json.hpp"
#include "core/json/writer.hpp"
#include "native/system/atomic_file.hpp"
#include "native/system/log.hpp"
#include "native/system/small_file.hpp"
#include "native/system/system.hpp"

namespace portail {
namespace {

std::string changes_fault(const std::string& path, std::string_view reason) {
  return "cannot write the changes to " + path + ": " + std::string(reason);
}

std::string changes_fault(const std::string& path, int error) { return changes_fault(path, std::strerror(error)); }

}  // namespace

std::expected<ChangesFile, std::string> ChangesFile::open(const std::string& folder, const std::string& id) {
  const FolderOwner owner(folder);
  if (const auto created = create_private_directories(folder); !created) {
    return std::unexpected(changes_fault(folder, created.error()));
  }
  const std::string path = std::filesystem::path(folder) / (".sync-" + id + ".pending");
  auto file = open_pending(path);
  if (!file) return std::unexpected(std::move(file.error()));
  ChangesFile changes(folder, path, std::move(*file));
  if (const auto kept = changes.keep_complete_lines(); !kept) {
    return std::unexpected(changes_fault(path, kept.error()));
  }
  return changes;
}

std::expected<Descriptor, std::string> ChangesFile::open_pending(const std::string& path) {
  for (;;) {
    auto file = open_private_file(path, O_RDWR);
    if (!file) return std::unexpected(changes_fault(path, file.error()));
    if (flock(file->number(), LOCK_EX | LOCK_NB) != 0) {
      if (errno == EWOULDBLOCK) return std::unexpected("another import writes to " + path + ": wait until it ends");
      return std::unexpected(changes_fault(path, errno));
    }
    // Its last owner may have renamed or removed it before this process locked it.
    struct stat opened{};
    struct stat named{};
    if (fstat(file->number(), &opened) != 0) return std::unexpected(changes_fault(path, errno));
    if (::stat(path.c_str(), &named) == 0 && named.st_ino == opened.st_ino && named.st_dev == opened.st_dev)
      return std::move(*file);
  }
}

// A run that was killed while it wrote may leave a part of a line, whose change is not in the store.
std::expected<void, int> ChangesFile::keep_complete_lines() {
  std::array<char, std::size_t{64} * 1024> chunk{};
  off_t size = 0;
  off_t end_of_lines = 0;
  while (true) {
    const ssize_t count = ::read(file_.number(), chunk.data(), chunk.size());
    if (count < 0) return std::unexpected(errno);
    if (count == 0) break;
    for (ssize_t i = 0; i < count; ++i) {
      if (chunk.at(static_cast<std::size_t>(i)) != '\n') continue;
      ++count_;
      end_of_lines = size + i + 1;
    }
    size += count;
  }
  if (size != end_of_lines && ftruncate(file_.number(), end_of_lines) != 0) return std::unexpected(errno);
  return {};
}

ChangesFile::~ChangesFile() {
  if (file_ && count_ == 0) unlink(path_.c_str());
}

void ChangesFile::on_change(const EntityChange& change) {
  lines_ += printable_json(change_json(change, SystemClock().now()));
  lines_ += '\n';
  ++count_;
}

std::expected<void, std::string> ChangesFile::flush() {
  if (lines_.empty()) return {};
  if (const auto written = write_all(file_.number(), lines_); !written) {
    return std::unexpected(changes_fault(path_, written.error()));
  }
  lines_.clear();
  if (fdatasync(file_.number()) != 0) return std::unexpected(changes_fault(path_, errno));
  return {};
}

std::expected<std::optional<std::string>, std::string> ChangesFile::publish(const std::string& name,
                                                                            const ChangesSummary& summary) {
  if (count_ == 0) return std::nullopt;
  JsonWriter json(lines_);
  json.begin_object().name("run").string(summary.run).name("finished").string(summary.finished);
  json.name("source").raw(log_string(summary.source)).name("sha256");
  summary.sha256.empty() ? json.null() : json.string(summary.sha256);
  json.name("changes").integer(static_cast<std::int64_t>(count_)).end_object();
  lines_ += '\n';
  if (auto flushed = flush(); !flushed) return std::unexpected(std::move(flushed.error()));
  std::string published = std::filesystem::path(folder_) / name;
  if (std::rename(path_.c_str(), published.c_str()) != 0) return std::unexpected(changes_fault(published, errno));
  return published;
}

Task<void> ReportedStore::before_change(Context& context) {
  const auto flushed = changes_.flush();
  if (flushed) co_return;
  context.log.warn(flushed.error(), "");
  co_await std::unexpected(Failure::unavailable);
}

}  // namespace portail
