#include <algorithm>
#include <array>
#include <cstdlib>
#include <expected>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <sodium.h>
#include <unistd.h>

#include "core/base/task.hpp"
#include "core/base/text.hpp"
#include "core/base/time.hpp"
#include "core/exchange/contents.hpp"
#include "native/commands/command.hpp"
#include "native/import/document_source.hpp"
#include "native/import/import_run.hpp"
#include "native/import/sync_state.hpp"
#include "native/system/small_file.hpp"
#include "native/system/system.hpp"
#include "native/system/temporary_file.hpp"
#include "native/system/terminal.hpp"

namespace portail {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t digits_of_sha256 = 64;

struct ChecksumLine {
  std::string checksum;
  std::string_view name;  // empty if the line has none
};

std::optional<ChecksumLine> parse_checksum_line(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  const std::string_view digits = line.substr(0, digits_of_sha256);
  const auto is_digit = [](char c) { return hexadecimal_digit(c).has_value(); };
  if (digits.size() != digits_of_sha256 || !std::ranges::all_of(digits, is_digit)) return std::nullopt;
  std::string_view name = line.substr(digits_of_sha256);
  if (!name.empty() && !name.starts_with("  ") && !name.starts_with(" *")) return std::nullopt;
  name.remove_prefix(std::min<std::size_t>(name.size(), 2));
  name.remove_prefix(name.rfind('/') + 1);
  return ChecksumLine{.checksum = lower_case(digits), .name = name};
}

// Returns the SHA-256 checksum, in lower case, of the file `name` in the text of `sha256sum`: "HASH  NAME" or
// "HASH *NAME" on each line. One line is sufficient whatever its name is, also "HASH" alone. Nullopt if the text has
// none.
std::optional<std::string> find_checksum(std::string_view text, std::string_view name) {
  std::optional<ChecksumLine> first;
  bool is_only_line = true;
  while (!text.empty()) {
    const std::string_view line = take_until(text, '\n');
    if (line.empty()) continue;
    auto parsed = parse_checksum_line(line);
    if (parsed && parsed->name == name) return std::move(parsed->checksum);
    if (first || !parsed) is_only_line = false;
    if (!first) first = std::move(parsed);
  }
  if (!first || !is_only_line) return std::nullopt;
  return std::move(first->checksum);
}

// Returns the checksum of the file, in lower case. The error is a message.
std::expected<std::string, std::string> sha256_of(TemporaryFile& file) {
  crypto_hash_sha256_state state;
  crypto_hash_sha256_init(&state);
  if (const auto rewound = file.rewind(); !rewound) return std::unexpected(rewound.error());
  while (true) {
    const auto bytes = file.next();
    if (!bytes) return std::unexpected(bytes.error());
    if (bytes->empty()) break;
    crypto_hash_sha256_update(&state, reinterpret_cast<const unsigned char*>(bytes->data()), bytes->size());
  }
  std::array<unsigned char, crypto_hash_sha256_BYTES> hash{};
  crypto_hash_sha256_final(&state, hash.data());
  return lower_hex(std::as_bytes(std::span(hash)));
}

std::int64_t now_in_seconds() { return SystemClock().now().seconds(); }
std::string text_of(std::int64_t seconds) { return utc_text_to_the_second({seconds * 1'000'000}); }

std::string absolute_path(const fs::path& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  return (error ? path : absolute).lexically_normal();
}

// Names the source and the store uniquely, also from another working directory.
std::string source_identity(const std::string& source, const StoreUrl& store, const std::string& store_text) {
  return (is_url(source) || source == "-" ? source : absolute_path(source)) + '\n' +
         (store.scheme->in_folder ? std::string(store.scheme->name) + ':' + absolute_path(store.folder())
                                  : without_password(store_text));
}

// Returns false if the store has lost or damaged values, or an import was interrupted, or is running.
bool is_whole(KeyValueStore& store) {
  CommandContext command;
  const auto contents = run_ready(count_contents(command.context, store));
  return contents ? contents->is_complete : contents.error() != Failure::corrupt;
}

// One run of `import --if-changed`.
class ConditionalImport {
 public:
  ConditionalImport(const ImportArguments& arguments, const SettingValues& values)
      : arguments_(arguments),
        values_(values),
        name_(without_secrets(arguments.source)),
        limits_(arguments.source_limits()) {}

  std::expected<void, Fault> run();

  // When the last success was, also if it is this one; nullopt if the store has no document.
  [[nodiscard]] std::optional<std::int64_t> succeeded_at() const {
    return state_ ? std::optional(state_->succeeded) : std::nullopt;
  }

 private:
  std::expected<std::optional<SourceVersion>, SyncFault> obtain(const std::optional<SourceVersion>& known,
                                                                TemporaryFile& spool) const;
  [[nodiscard]] std::expected<std::string, SyncFault> checksum_text() const;
  [[nodiscard]] std::expected<void, SyncFault> verify(const std::string& sha256) const;
  [[nodiscard]] std::expected<void, Fault> report(const SyncFault& fault) const;
  std::expected<void, Fault> succeed(const SyncStateFile& file, std::string sha256, SourceVersion version);

  const ImportArguments& arguments_;
  const SettingValues& values_;
  std::string name_;  // of the source, in messages
  SourceLimits limits_;
  std::optional<SyncState> state_ = {};
};

std::expected<void, Fault> ConditionalImport::run() {
  const auto url = parse_store_url(values_.text("store"));
  if (!url) return wrong_usage(values_.where("store") + ": " + url.error());
  const std::string folder =
      arguments_.state.empty() ? user_folder("XDG_STATE_HOME", ".local/state") : arguments_.state;
  const auto file = SyncStateFile::open(folder, source_identity(arguments_.source, *url, values_.text("store")));
  if (!file) return failure(file.error());
  auto state = file->read();
  if (!state) return failure(state.error());
  state_ = std::move(*state);
  auto portal = open_portal(values_, StoreAccess::fill);
  if (!portal) return std::unexpected(portal.error());
  // The store was replaced by an empty one.
  if (portal->empty) state_.reset();

  auto spool = TemporaryFile::create(temporary_folder(folder));
  if (!spool) return failure(spool.error());
  const bool is_imported = state_ && is_whole(*portal->store);
  const auto version = obtain(is_imported ? std::optional(state_->version) : std::nullopt, *spool);
  if (!version) return report(version.error());
  if (!*version) {
    print_row("unchanged", name_);
    return succeed(*file, state_->sha256, state_->version);
  }
  const auto sha256 = sha256_of(*spool);
  if (!sha256) return failure(sha256.error());
  if (const auto verified = verify(*sha256); !verified) return report(verified.error());
  if (is_imported && state_->sha256 == *sha256) {
    print_row("unchanged", name_);
    return succeed(*file, *sha256, **version);
  }
  const auto modified = (*version)->modified;
  const auto newest = state_ ? state_->version.modified : std::nullopt;
  if (modified && newest && *modified < *newest && !arguments_.allow_older) {
    return failure(name_ + " is of " + text_of(*modified) + ", older than the imported version of " + text_of(*newest) +
                   "; if it must be imported, give --allow-older");
  }
  auto input = ImportFiles::open(spool->release(), arguments_.source, arguments_.root);
  if (!input) return std::unexpected(input.error());
  if (auto done = import_and_report(*portal, *input, arguments_, values_, file->id(), *sha256); !done) return done;
  return succeed(*file, *sha256, **version);
}

// Nullopt if the source has the version `known`.
std::expected<std::optional<SourceVersion>, SyncFault> ConditionalImport::obtain(
    const std::optional<SourceVersion>& known, TemporaryFile& spool) const {
  if (is_url(arguments_.source)) return fetch_source(arguments_.source, limits_, known, spool);
  if (arguments_.source == "-") return copy_pipe(STDIN_FILENO, "standard input", limits_.max_size, spool);
  return copy_source(arguments_.source, limits_.max_size, spool);
}

std::expected<std::string, SyncFault> ConditionalImport::checksum_text() const {
  if (is_url(arguments_.checksum)) return fetch_text(arguments_.checksum, limits_);
  auto text = read_small_file(arguments_.checksum, "--checksum");
  if (!text) return source_unavailable(std::move(text.error()));
  return std::move(*text);
}

std::expected<void, SyncFault> ConditionalImport::verify(const std::string& sha256) const {
  if (arguments_.checksum.empty()) return {};
  const auto text = checksum_text();
  if (!text) return std::unexpected(text.error());
  const std::string checksum_name = without_secrets(arguments_.checksum);
  const auto expected = find_checksum(*text, name_.substr(name_.rfind('/') + 1));
  if (!expected) {
    return source_refused(checksum_name + " has no SHA-256 of " + name_ + "; write it with sha256sum");
  }
  if (*expected == sha256) return {};
  return source_refused(name_ + " has the SHA-256 " + sha256 + ", but " + checksum_name + " has " + *expected +
                        "; nothing was imported");
}

// A source that is unavailable is a failure only after --max-age.
std::expected<void, Fault> ConditionalImport::report(const SyncFault& fault) const {
  if (fault.kind == SyncFaultKind::refused) return failure(fault.message);
  if (!state_) return failure(fault.message + "; no run has succeeded yet");
  const std::int64_t age = now_in_seconds() - state_->succeeded;
  std::string message = fault.message + "; the last run succeeded at " + text_of(state_->succeeded);
  if (age >= arguments_.max_age.count()) return failure(std::move(message));
  print_error(message + ", within --max-age");
  return {};
}

std::expected<void, Fault> ConditionalImport::succeed(const SyncStateFile& file, std::string sha256,
                                                      SourceVersion version) {
  // Content may come again with an older date, or none; what is older than the newest date stays refused.
  const bool may_be_older = arguments_.allow_older && version.modified;
  if (state_ && !may_be_older) version.modified = std::max(version.modified, state_->version.modified);
  SyncState state{.sha256 = std::move(sha256), .version = std::move(version), .succeeded = now_in_seconds()};
  const auto written = file.write(name_, state);
  if (!written) return failure(written.error());
  state_ = std::move(state);
  return {};
}

}  // namespace

std::expected<void, Fault> import_if_changed(const ImportArguments& arguments, const SettingValues& values) {
  ConditionalImport import(arguments, values);
  auto done = import.run();
  if (arguments.metrics_file.empty()) return done;
  const ExitStatus status = done ? ExitStatus::success : done.error().status;
  const auto written = write_sync_metrics(arguments.metrics_file, {.source = without_secrets(arguments.source),
                                                                   .finished = now_in_seconds(),
                                                                   .exit_status = static_cast<int>(status),
                                                                   .succeeded_at = import.succeeded_at()});
  if (written) return done;
  if (done) return failure(written.error());
  print_error(written.error());
  return done;
}

}  // namespace portail
