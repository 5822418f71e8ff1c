// A module with the ABI of portail.wasm that tests a host's imports of files (wasm/abi/portail.h): create_in_folder
// runs all cases in the folder, and creates no portal. Its fault is "N cases passed", or the cases that failed. Each
// host runs it as its portal, over a folder that has a folder `target` with a file `file`, a link `link` to it, and a
// FIFO `fifo`.
#include <chrono>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "core/base/context.hpp"
#include "core/storage/folder/file_names.hpp"
#include "core/storage/folder/folder_writer.hpp"
#include "core/storage/folder/primitives.hpp"
#include "core/storage/folder/revision.hpp"
#include "core/storage/folder/value_reader.hpp"
#include "wasm/abi/portail.h"
#include "wasm/module/buffer.hpp"
#include "wasm/module/encoding.hpp"
#include "wasm/module/system.hpp"

namespace portail::wasm {
namespace {

using std::chrono::milliseconds;

constexpr std::uint64_t large = 5'000'000'000;  // bytes, of zeros that need no space

template <class T>
bool is_missing(const std::expected<T, FileError>& result) {
  return !result && result.error().is_missing();
}
template <class T>
bool is_occupied(const std::expected<T, FileError>& result) {
  return !result && result.error().is_occupied();
}
// It failed because of another kind of file.
template <class T>
bool is_other(const std::expected<T, FileError>& result) {
  return !result && result.error().code == ENXIO;
}

class Folder {
 public:
  explicit Folder(std::uint32_t number) : number_(static_cast<int>(number)) {}

  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] bool create(const std::string& path, std::string_view bytes) const {
    return create_file(number_, path, bytes, true).has_value();
  }
  [[nodiscard]] std::string read(std::string_view key) const {
    ValueReader reader;
    const auto value = reader.read(number_, *FileName::of_key(key));
    if (!value) return value.error().failure == Failure::corrupt ? "(corrupt)" : "(unavailable)";
    return std::string(value->value_or("(none)"));
  }
  [[nodiscard]] FileStatus status(const std::string& path) const {
    return stat_file(number_, path).value_or(std::nullopt).value_or(FileStatus{.kind = FileKind::other});
  }
  [[nodiscard]] std::set<std::string> names(const std::string& path) const {
    std::set<std::string> found;
    const auto listed = list_folder(number_, path, [&found](std::string_view name) {
      found.emplace(name);
      return true;
    });
    return listed ? found : std::set<std::string>{"(failed)"};
  }

 private:
  int number_;
};

struct Case {
  const char* name;
  bool (*passes)(const Folder& folder);
};

// The environment of a writer.
struct Environment {
  HostClock clock;
  HostRandom random;
  HostLog log{1};
  FrameArena frames;
  Context context{.clock = clock, .random = random, .log = log, .frames = frames};
};

// In this order, in one folder.
constexpr Case cases[] = {
    {"the folder is there",
     [](const Folder& at) {
       return is_occupied(make_folder(at.number(), "")) && at.status("").kind == FileKind::folder &&
              at.names("") == std::set<std::string>{"fifo", "link", "target"};
     }},
    {"no link is followed, and no FIFO blocks",
     [](const Folder& at) {
       const int folder = at.number();
       for (const char* name : {"link", "fifo"}) {
         const auto found = stat_file(folder, name);
         const auto listed = list_folder(folder, name, [](auto) { return true; });
         if (!found || !*found || (*found)->kind != FileKind::other || at.read(name) != "(corrupt)") return false;
         if (!is_other(listed) || !is_occupied(create_file(folder, name, "", false))) return false;
       }
       return rename_file(folder, "link", "moved") && remove_file(folder, "moved") && remove_file(folder, "fifo") &&
              at.names("target") == std::set<std::string>{"file"};
     }},
    {"the removal of a file removes no folder",
     [](const Folder& at) {
       const int folder = at.number();
       return make_folder(folder, "e") && !remove_file(folder, "e") && at.status("e").kind == FileKind::folder &&
              remove_folder(folder, "e");
     }},
    {"a name that does not exist",
     [](const Folder& at) {
       const auto found = stat_file(at.number(), "none");
       return found && !*found && at.read("none") == "(none)" &&
              is_missing(rename_file(at.number(), "none", "other")) && is_missing(remove_file(at.number(), "none")) &&
              is_missing(list_folder(at.number(), "none", [](auto) { return true; }));
     }},
    {"a file in a folder that does not exist",
     [](const Folder& at) {
       const auto found = stat_file(at.number(), "none/a");
       return found && !*found && is_missing(create_file(at.number(), "none/a", "", false)) &&
              is_missing(make_folder(at.number(), "none/a"));
     }},
    {"a file has the bytes that it was created with",
     [](const Folder& at) {
       std::string bytes;
       for (int i = 0; i < 100'000; ++i) bytes += static_cast<char>(i % 251);
       return at.create("a", bytes) && at.read("a") == bytes && at.create("empty", "") && at.read("empty").empty() &&
              at.status("a").kind == FileKind::regular && at.status("a").size == bytes.size();
     }},
    {"creation is exclusive",
     [](const Folder& at) {
       return is_occupied(create_file(at.number(), "empty", "b", false)) && at.read("empty").empty() &&
              is_occupied(create_empty_file(at.number(), "empty", 7)) && is_occupied(make_folder(at.number(), "empty"));
     }},
    {"a file of zeros has a size of 64 bits",
     [](const Folder& at) {
       return create_empty_file(at.number(), "large", large).has_value() && at.status("large").size == large &&
              at.read("large") == "(corrupt)" && remove_file(at.number(), "large").has_value();
     }},
    {"a rename replaces a file",
     [](const Folder& at) {
       return at.create("from", "new") && rename_file(at.number(), "from", "empty").has_value() &&
              at.read("empty") == "new" && at.read("from") == "(none)";
     }},
    {"a rename replaces an empty folder, and no other",
     [](const Folder& at) {
       const int folder = at.number();
       const bool made = make_folder(folder, "f") && make_folder(folder, "f/in") && make_folder(folder, "g") &&
                         make_folder(folder, "h") && at.create("h/b", "b");
       return made && rename_file(folder, "f", "g") && is_occupied(rename_file(folder, "h", "g")) &&
              at.names("g") == std::set<std::string>{"in"} && at.names("h") == std::set<std::string>{"b"} &&
              is_missing(rename_file(folder, "f", "i"));
     }},
    {"a rename out of a folder that was removed fails",
     [](const Folder& at) {
       const int folder = at.number();
       return make_folder(folder, "gone") && at.create("gone/a", "a") && remove_file(folder, "gone/a") &&
              remove_folder(folder, "gone") && is_missing(rename_file(folder, "gone/a", "a2")) &&
              at.read("a2") == "(none)";
     }},
    {"files and folders are removed by calls of their own",
     [](const Folder& at) {
       const int folder = at.number();
       return !remove_file(folder, "h") && !remove_folder(folder, "a") && is_occupied(remove_folder(folder, "h")) &&
              remove_file(folder, "h/b") && remove_folder(folder, "h") && is_missing(remove_folder(folder, "h"));
     }},
    {"a folder is no value, and a file no folder",
     [](const Folder& at) {
       return at.read("g") == "(corrupt)" && is_other(list_folder(at.number(), "a", [](auto) { return true; })) &&
              !create_file(at.number(), "a/b", "", false);
     }},
    {"a long list is complete",
     [](const Folder& at) {
       const int folder = at.number();
       std::set<std::string> expected;
       bool made = make_folder(folder, "many").has_value();
       for (int i = 0; i < 500; ++i) {
         const std::string name = "a-name-of-thirty-two-letters-" + std::to_string(1000 + i);
         expected.insert(name);
         made = made && create_file(folder, "many/" + name, "", false);
       }
       return made && at.names("many") == expected;
     }},
    {"another file has another time or size",
     [](const Folder& at) {
       const FileStatus before = at.status("empty");
       sleep_for(milliseconds(20));
       if (!at.create("from", "two") || !rename_file(at.number(), "from", "empty")) return false;
       const FileStatus after = at.status("empty");
       return before.size == after.size && before.modified < after.modified &&
              before.modified > 1'600'000'000'000'000'000;
     }},
    {"names are made durable", [](const Folder& at) { return sync_folder(at.number()).has_value(); }},
    {"a wait takes its time",
     [](const Folder&) {
       const auto start = std::chrono::steady_clock::now();
       sleep_for(milliseconds(30));
       return std::chrono::steady_clock::now() - start >= milliseconds(29);
     }},
    {"two writers: one has the lease, and the second waits",
     [](const Folder& at) {
       Environment one;
       Environment two;
       const Change change{"value", "1"};
       const std::span<const Change> changes(&change, 1);
       FolderWriter first(at.number());
       FolderWriter second(at.number());
       if (!first.stage(changes) || !second.stage(changes)) return false;
       if (!first.acquire_lease(one.context, milliseconds(60'000))) return false;
       two.context.deadline = {two.clock.now().microseconds + 50'000};
       const auto refused = second.acquire_lease(two.context, milliseconds(60'000));
       if (refused || refused.error().failure != Failure::cancelled) return false;
       const auto applied = first.apply(0, change);
       first.release_lease();
       two.context.deadline = {two.clock.now().microseconds + 10'000'000};
       return applied && second.acquire_lease(two.context, milliseconds(60'000)) && second.apply(0, change) &&
              at.read("value") == "1";
     }},
    {"a writer that was killed between two steps: its lease is revoked, and its renames fail",
     [](const Folder& at) {
       Environment one;
       Environment two;
       const Change changes[] = {{"value", "2"}, {"other", "2"}};
       FolderWriter killed(at.number());
       if (!killed.stage(changes) || !killed.acquire_lease(one.context, milliseconds(60'000)) ||
           !killed.apply(0, changes[0]))
         return false;
       const auto begun = stat_revision(at.number());
       if (!begun || !*begun || !is_unfinished(**begun)) return false;
       FolderWriter next(at.number());
       const Change change{"other", "3"};
       const std::span<const Change> its(&change, 1);
       if (!next.stage(its) || !next.acquire_lease(two.context, milliseconds(50)) || !next.apply(0, change))
         return false;
       if (killed.apply(1, changes[1])) return false;
       next.release_lease();
       const auto ended = stat_revision(at.number());
       return ended && *ended && !is_unfinished(**ended) && (*ended)->size > (*begun)->size &&
              at.read("value") == "2" && at.read("other") == "3";
     }},
};

std::string& report() {
  static std::string text;
  return text;
}

}  // namespace
}  // namespace portail::wasm

using namespace portail::wasm;  // NOLINT(google-build-using-namespace): the exports have no namespace

std::uint32_t portail_create(std::uint32_t, std::uint8_t*, std::uint32_t) { return 0; }

std::uint32_t portail_create_in_folder(std::uint32_t number, std::uint32_t, std::uint8_t* name, std::uint32_t name_size,
                                       std::uint8_t* settings, std::uint32_t settings_size) {
  const Buffer buffers[] = {{name, name_size}, {settings, settings_size}};
  const Folder folder(number);
  std::string failed;
  for (const Case& each : cases) {
    if (!each.passes(folder)) failed.append(failed.empty() ? "" : "; ").append(each.name);
  }
  report() = failed.empty() ? std::to_string(std::size(cases)) + " cases passed" : "FAILED: " + failed;
  return 0;
}

const std::uint8_t* portail_fault() { return bytes_of(report()); }
std::uint32_t portail_fault_size() { return size_of(report()); }
