// As wasm only: another writer replaces a file between the two calls by which open_file() opens it.
#include <cstdio>
#include <string>

#include <gtest/gtest.h>
#include <wasi/api.h>

#include "core/storage/folder/folder_store.hpp"
#include "tests/stores/conformance.hpp"
#include "tests/stores/portable_folder.hpp"

namespace {

// The file that takes the place of another one after the next stat by name.
struct Replacement {
  std::string from;
  std::string to;
} replacement;

}  // namespace

// The linker's --wrap leads calls of the host's function to the one below.
extern "C" {
__wasi_errno_t __real___wasi_path_filestat_get(__wasi_fd_t folder, __wasi_lookupflags_t flags, const char* path,
                                               __wasi_filestat_t* status);

[[gnu::used]] __wasi_errno_t __wrap___wasi_path_filestat_get(__wasi_fd_t folder, __wasi_lookupflags_t flags,
                                                             const char* path, __wasi_filestat_t* status) {
  const __wasi_errno_t result = __real___wasi_path_filestat_get(folder, flags, path, status);
  if (!replacement.from.empty()) {
    EXPECT_EQ(std::rename(replacement.from.c_str(), replacement.to.c_str()), 0);
    replacement = {};
  }
  return result;
}
}

namespace portail {
namespace {

TEST(ReplacedFile, IsReadWhole) {
  for (const std::string& later :
       {std::string("a longer value"), std::string("short"), std::string(), std::string("equal")}) {
    const PortableFolder folder;
    auto store = FolderStore::open(folder.path(), {});
    ASSERT_TRUE(store);
    StoreClient client(**store);
    ASSERT_TRUE(client.write({{"key", "value"}, {"next", later}}));
    replacement = {.from = folder / "next", .to = folder / "key"};
    EXPECT_EQ(client.get("key"), later);
    EXPECT_TRUE(replacement.from.empty()) << "it was replaced";
    EXPECT_EQ(client.get("key"), later);
  }
}

TEST(ReplacedFile, IsReadWholeIfItWasEmpty) {
  const PortableFolder folder;
  auto store = FolderStore::open(folder.path(), {});
  ASSERT_TRUE(store);
  StoreClient client(**store);
  ASSERT_TRUE(client.write({{"key", ""}, {"next", "value"}}));
  replacement = {.from = folder / "next", .to = folder / "key"};
  EXPECT_EQ(client.get("key"), "value");
}

}  // namespace
}  // namespace portail
