#include "native/stores/store_url.hpp"

#include <string>

#include <gtest/gtest.h>

#include "tests/stores/conformance.hpp"
#include "tests/stores/temporary_folder.hpp"

namespace portail {
namespace {

std::string error(std::string_view text) {
  auto url = parse_store_url(text);
  return url ? "none" : url.error();
}

TEST(StoreUrl, NamesTheStoresOfThisVersion) {
  EXPECT_EQ(parse_store_url("memory:")->kind, StoreUrl::Kind::memory);
  const auto lmdb = parse_store_url("lmdb:/var/lib/portail:1");
  ASSERT_TRUE(lmdb);
  EXPECT_EQ(lmdb->kind, StoreUrl::Kind::lmdb);
  EXPECT_EQ(lmdb->folder, "/var/lib/portail:1");
}

TEST(StoreUrl, RefusesAnythingElseInOneLine) {
  EXPECT_EQ(error("dir:/srv"), "the store dir: is not in this version: this version supports memory: and lmdb:DIR");
  EXPECT_EQ(error("redis://localhost"),
            "the store redis: is not in this version: this version supports memory: and lmdb:DIR");
  EXPECT_EQ(error("rediss://user:secret@host"),
            "the store rediss: is not in this version: this version supports memory: and lmdb:DIR");
  EXPECT_EQ(error("lmdb:"), "the store lmdb: needs a folder: lmdb:DIR");
  EXPECT_EQ(error("memory:x"), "the store memory: takes nothing after the colon");
  EXPECT_EQ(error("memory"), "unknown store memory: this version supports memory: and lmdb:DIR");
  EXPECT_EQ(error(""), "unknown store : this version supports memory: and lmdb:DIR");
  EXPECT_EQ(error("radis://user:secret@host"), "unknown store radis: this version supports memory: and lmdb:DIR");
}

TEST(StoreUrl, OpensAndLocksWhatItNames) {
  TemporaryFolder folder;
  const auto url = *parse_store_url("lmdb:" + (folder.path() / "store").string());
  EXPECT_FALSE(open_store(url, StoreAccess::read));
  EXPECT_FALSE(open_store(url, StoreAccess::check));
  {
    auto made = open_store(url, StoreAccess::fill);
    ASSERT_TRUE(made) << made.error();
    EXPECT_TRUE(StoreClient(**made).put("k", "v"));
  }
  for (StoreAccess access : {StoreAccess::read, StoreAccess::check, StoreAccess::fill, StoreAccess::serve}) {
    auto store = open_store(url, access);
    ASSERT_TRUE(store) << store.error();
    EXPECT_EQ(StoreClient(**store).get("k"), "v");
  }
  auto lock = lock_for_import(url);
  ASSERT_TRUE(lock && *lock);
  EXPECT_FALSE(lock_for_import(url));
  lock->reset();
  EXPECT_TRUE(lock_for_import(url));
  EXPECT_TRUE(open_store(StoreUrl{}, StoreAccess::read));
  EXPECT_EQ(lock_for_import(StoreUrl{})->has_value(), false);
}

}  // namespace
}  // namespace portail
