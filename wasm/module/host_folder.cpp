#include "wasm/module/host_folder.hpp"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "core/storage/folder/folder_check.hpp"
#include "core/storage/folder/folder_store.hpp"
#include "core/storage/folder/primitives.hpp"
#include "core/storage/key.hpp"
#include "core/storage/key_value_store.hpp"
#include "wasm/abi/portail.h"
#include "wasm/module/encoding.hpp"
#include "wasm/module/operation.hpp"
#include "wasm/module/system.hpp"

namespace portail::wasm {
namespace {

// The work of an operation: number of its kind, number of milliseconds until its deadline, number of changes. For each
// change, text key and value, which may be absent. For a swap, before its change: the expected value.
enum class WorkKind : std::uint32_t { write, swap };

constexpr ValueCache::Limits cache_limits{.values = 10'000, .bytes = std::size_t{32} * 1024 * 1024};
constexpr std::int64_t max_milliseconds = 30'000;  // for a request without a deadline of its own

std::string work_of(Context& context, WorkKind kind, std::span<const Change> changes) {
  const std::int64_t left = (context.deadline.microseconds - context.clock.now().microseconds) / 1000;
  std::string work;
  append_number(work, static_cast<std::uint32_t>(kind));
  append_number(work, static_cast<std::uint32_t>(std::clamp<std::int64_t>(left, 0, max_milliseconds)));
  append_number(work, static_cast<std::uint32_t>(changes.size()));
  return work;
}

void append_change(std::string& work, const Change& change) {
  append_text(work, change.key);
  append_value(work, change.value);
}

std::uint32_t status_of(Failure failure) { return failure == Failure::corrupt ? PORTAIL_CORRUPT : PORTAIL_UNAVAILABLE; }

class HostFolder final : public KeyValueStore {
 public:
  explicit HostFolder(std::uint32_t folder)
      : number_(folder), files_(Descriptor(static_cast<int>(folder)), {.cache = cache_limits}) {}

  [[nodiscard]] Traits traits() const override { return files_.traits(); }
  Task<std::unique_ptr<Session>> open(Context& context) override { return files_.open(context); }
  Task<void> scan(Context& context, std::string_view prefix, Visitor& visitor) override {
    return files_.scan(context, prefix, visitor);
  }

  Task<void> write(Context& context, std::span<const Change> changes) override {
    co_await check_limits(changes);
    std::string work = work_of(context, WorkKind::write, changes);
    for (const Change& change : changes) append_change(work, change);
    co_await run(context, std::move(work));
  }

  Task<bool> compare_and_swap(Context& context, std::string_view key, Value expected,
                              std::string_view desired) override {
    const Change change{key, desired};
    co_await check_limits(std::span(&change, 1));
    std::string work = work_of(context, WorkKind::swap, std::span(&change, 1));
    append_value(work, expected);
    append_change(work, change);
    const bool different = co_await run(context, std::move(work));
    co_return !different;
  }

 private:
  // Returns whether the value was different.
  Task<bool> run(Context&, std::string work) {
    Operation operation;
    if (!operation.completed()) portail_write(number_, operation.number(), bytes_of(work), size_of(work));
    const OperationResult result = co_await co_await operation;
    co_return result.different;
  }

  std::uint32_t number_;
  FolderStore files_;
};

// The writer of this instance to the folder. Never destroyed.
FolderStore& writer_of(std::uint32_t folder) {
  static std::vector<std::unique_ptr<FolderStore>> writers;
  const int number = static_cast<int>(folder);
  for (const auto& writer : writers) {
    if (writer->folder() == number) return *writer;
  }
  return *writers.emplace_back(std::make_unique<FolderStore>(Descriptor(number), FolderOptions{}));
}

}  // namespace

std::expected<std::unique_ptr<KeyValueStore>, std::string> open_host_folder(std::uint32_t folder,
                                                                            const std::string& name, bool create) {
  const int number = static_cast<int>(folder);
  const std::string remedy = "`portail import --store dir:" + name + " DOCUMENT` makes one there";
  const auto failed = [&name](const char* what, FileError error) {
    return std::unexpected(name + what + std::strerror(error.code));
  };
  if (create) {
    const auto made = make_folder(number, "");
    if (!made && made.error().is_missing()) {
      return std::unexpected(name + " cannot be created: its parent folder does not exist: create it first");
    }
    if (!made && !made.error().is_occupied()) return failed(" cannot be created: ", made.error());
  }
  const auto found = stat_file(number, "");
  if (!found) return failed(" cannot be read: ", found.error());
  if (!*found) return std::unexpected(name + " does not exist: " + remedy);
  if ((*found)->kind != FileKind::folder) return std::unexpected(name + " is not a folder");
  const auto format = stat_file(number, std::string(format_key));
  if (!format) return failed(" cannot be read: ", format.error());
  if (!*format) {
    if (auto checked = check_is_store(number, name); !checked) return std::unexpected(checked.error());
    if (!create) return std::unexpected(name + " holds no portal: " + remedy);
  }
  return std::make_unique<HostFolder>(folder);
}

std::uint32_t write_in_host_folder(std::uint32_t folder, std::string_view work) {
  Decoder decoder(work);
  const auto kind = static_cast<WorkKind>(decoder.number());
  const std::uint32_t milliseconds = decoder.number();
  const std::uint32_t count = decoder.number();
  const Value expected = kind == WorkKind::swap ? decoder.value() : Value();
  std::vector<Change> changes;
  for (std::uint32_t left = count; left > 0 && !decoder.faulty(); --left) {
    const std::string_view key = decoder.text();
    changes.push_back({key, decoder.value()});
  }
  const bool is_swap = kind == WorkKind::swap;
  const bool is_valid = is_swap ? changes.size() == 1 && changes.front().value : kind == WorkKind::write;
  if (!decoder.complete() || !is_valid) return PORTAIL_UNAVAILABLE;

  HostClock clock;
  HostRandom random;
  HostLog log(folder);
  FrameArena frames;
  Context context{.clock = clock, .random = random, .log = log, .frames = frames};
  context.deadline = {clock.now().microseconds + std::int64_t{milliseconds} * 1000};
  FolderStore& store = writer_of(folder);
  if (is_swap) {
    const Change& change = changes.front();
    const auto swapped = run_ready(store.compare_and_swap(context, change.key, expected, *change.value));
    if (!swapped) return status_of(swapped.error());
    return *swapped ? PORTAIL_DONE : PORTAIL_DIFFERENT;
  }
  const auto written = run_ready(store.write(context, changes));
  return written ? PORTAIL_DONE : status_of(written.error());
}

}  // namespace portail::wasm
