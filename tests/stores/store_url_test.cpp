#include "native/stores/store_url.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "native/settings/setting_table.hpp"
#include "tests/stores/conformance.hpp"
#include "tests/stores/temporary_folder.hpp"

namespace portail {
namespace {

std::string error(std::string_view text) {
  auto url = parse_store_url(text);
  return url ? "none" : url.error();
}

TEST(StoreUrl, NamesTheStoresOfThisVersion) {
  const auto memory = parse_store_url("memory:");
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->scheme->name, "memory");
  EXPECT_EQ(memory->folder(), "");
  const auto lmdb = parse_store_url("lmdb:/var/lib/portail:1");
  ASSERT_TRUE(lmdb);
  EXPECT_EQ(lmdb->scheme->name, "lmdb");
  EXPECT_EQ(lmdb->folder(), "/var/lib/portail:1");
  const auto dir = parse_store_url("dir:/srv/portail");
  ASSERT_TRUE(dir);
  EXPECT_EQ(dir->scheme->name, "dir");
  EXPECT_EQ(dir->folder(), "/srv/portail");
  const auto redis = parse_store_url("redis://cache:7000/2");
  ASSERT_TRUE(redis);
  EXPECT_EQ(redis->scheme->name, "redis");
  EXPECT_EQ(redis->location, "//cache:7000/2");
  EXPECT_EQ(redis->folder(), "");
  const auto sentinel = parse_store_url("rediss+sentinel://cache,other:7000/portal");
  ASSERT_TRUE(sentinel);
  EXPECT_EQ(sentinel->scheme->name, "rediss+sentinel");
  EXPECT_EQ(sentinel->location, "//cache,other:7000/portal");
  const auto postgres = parse_store_url("postgres://bob@data/portal?pool=8");
  ASSERT_TRUE(postgres);
  EXPECT_EQ(postgres->scheme->name, "postgres");
  EXPECT_EQ(postgres->location, "//bob@data/portal?pool=8");
  const auto alias = parse_store_url("postgresql://bob@data/portal");
  ASSERT_TRUE(alias);
  EXPECT_EQ(alias->scheme->open, postgres->scheme->open);
}

TEST(StoreUrl, RefusesAnythingElseInOneLine) {
  EXPECT_EQ(error("redis:localhost"),
            "the store redis: the host is missing: redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE][?NAME=VALUE&...]");
  EXPECT_EQ(error("rediss://user:secret@"),
            "the store rediss: the host is missing or invalid: "
            "rediss://[USER:PASSWORD@]HOST[:PORT][/DATABASE][?NAME=VALUE&...]");
  EXPECT_EQ(error("lmdb:"), "the store lmdb: needs a folder: lmdb:DIR");
  EXPECT_EQ(error("dir:"), "the store dir: needs a folder: dir:DIR");
  EXPECT_EQ(error("spin-sqlite:"), "the store spin-sqlite: needs a file: spin-sqlite:FILE[?label=LABEL]");
  EXPECT_EQ(error("spin-sqlite:?label=a"), "the store spin-sqlite: needs a file: spin-sqlite:FILE[?label=LABEL]");
  EXPECT_EQ(error("spin-sqlite:a.db?label="), "the store spin-sqlite: needs a label: spin-sqlite:FILE[?label=LABEL]");
  EXPECT_EQ(error("memory:x"), "the store memory: must have nothing after the colon");
  EXPECT_EQ(error("memory"),
            "unknown store memory: this version supports memory:, lmdb:DIR, dir:DIR, redis://HOST, "
            "postgres://HOST/DATABASE and spin-sqlite:FILE");
  EXPECT_EQ(error("lmdbx:/srv"),
            "unknown store lmdbx: this version supports memory:, lmdb:DIR, dir:DIR, redis://HOST, "
            "postgres://HOST/DATABASE and spin-sqlite:FILE");
  for (const std::string secret : {"hunter2", "hunter2:x", "hunter@host", "C2VjcmV0"}) {
    EXPECT_EQ(error(secret),
              "unknown store: this version supports memory:, lmdb:DIR, dir:DIR, redis://HOST, "
              "postgres://HOST/DATABASE and spin-sqlite:FILE");
  }
  EXPECT_EQ(error(""),
            "unknown store : this version supports memory:, lmdb:DIR, dir:DIR, redis://HOST, "
            "postgres://HOST/DATABASE and spin-sqlite:FILE");
  EXPECT_EQ(error("radis://user:secret@host"),
            "unknown store radis: this version supports memory:, lmdb:DIR, dir:DIR, redis://HOST, "
            "postgres://HOST/DATABASE and spin-sqlite:FILE");
}

TEST(StoreUrl, IsDescribedOnThePageOfStores) {
  std::ifstream in(PORTAIL_STORES_PAGE);
  const std::string page(std::istreambuf_iterator<char>(in), {});
  for (const StoreScheme& scheme : store_schemes()) {
    if (scheme.is_variant) continue;
    EXPECT_TRUE(page.contains("\n| `" + std::string(scheme.name) + ":")) << scheme.name << " has no row";
    if (!scheme.served_by.empty()) continue;
    EXPECT_TRUE(page.contains(" | `" + std::string(scheme.name) + ":")) << scheme.name << " has no column";
  }
}

TEST(StoreUrl, IsNamedByTheHelpOfTheSetting) {
  const Setting* setting = find_setting("store");
  ASSERT_NE(setting, nullptr);
  for (const StoreScheme& scheme : store_schemes()) {
    if (scheme.is_variant) continue;
    EXPECT_TRUE(setting->help.contains(scheme.form)) << scheme.form;
  }
}

TEST(StoreUrl, IsShownWithoutItsPassword) {
  EXPECT_EQ(without_password("redis://bob:builder@host:1/2"), "redis://host:1/2");
  EXPECT_EQ(without_password("redis://:p@ss@host"), "redis://host:6379/0");
  EXPECT_EQ(without_password("redis://host/2"), "redis://host:6379/2");
  EXPECT_EQ(without_password("postgres://bob:builder@a:2,b:1/d?pool=8"), "postgres://a:2,b:1/d?pool=8");
  EXPECT_EQ(without_password("postgres://bob:builder@a/d?application_name=a@b"),
            "postgres://a:5432/d?application_name=a@b");
  EXPECT_EQ(without_password("postgresql://a/d"), "postgres://a:5432/d");
  EXPECT_EQ(without_password("rediss://bob:builder@host?sslrootcert=a@b.pem"),
            "rediss://host:6379/0?sslrootcert=a@b.pem");
  EXPECT_EQ(without_password("redis+sentinel://bob:builder@a,b:1/portal?replicas=1"),
            "redis+sentinel://a:26379,b:1/portal/0?replicas=1");
  EXPECT_EQ(without_password("redis://bob:builder@host:port"), "redis://host:port");
  EXPECT_EQ(without_password("lmdb:a//b@c"), "lmdb:a//b@c");
  EXPECT_EQ(without_password("memory:"), "memory:");
}

class StoreUrlOfAFolder : public testing::TestWithParam<std::string> {};

TEST_P(StoreUrlOfAFolder, OpensAndLocksItsPath) {
  TemporaryFolder folder;
  const auto url = *parse_store_url(GetParam() + (folder.path() / "store").string());
  EXPECT_FALSE(open_store(url, StoreAccess::read));
  EXPECT_FALSE(open_store(url, StoreAccess::check));
  EXPECT_FALSE(open_store(url, StoreAccess::serve));
  {
    auto created = open_store(url, StoreAccess::fill);
    ASSERT_TRUE(created) << created.error();
    EXPECT_TRUE(StoreClient(**created).put("k", "v"));
  }
  for (StoreAccess access :
       {StoreAccess::read, StoreAccess::check, StoreAccess::fill, StoreAccess::serve, StoreAccess::create}) {
    auto store = open_store(url, access);
    ASSERT_TRUE(store) << store.error();
    EXPECT_EQ(StoreClient(**store).get("k"), "v");
  }
  auto lock = acquire_import_lock(url);
  ASSERT_TRUE(lock && *lock);
  EXPECT_FALSE(acquire_import_lock(url));
  lock->reset();
  EXPECT_TRUE(acquire_import_lock(url));
  auto store = open_store(url, StoreAccess::read);
  EXPECT_EQ(StoreClient(**store).scan(""), std::vector<std::string>{"k=v"}) << "the lock is no key";
  EXPECT_FALSE(StoreClient(**store).put("k", "new")) << "it was opened to be read";
}

INSTANTIATE_TEST_SUITE_P(Stores, StoreUrlOfAFolder, testing::Values("lmdb:", "dir:", "spin-sqlite:"),
                         [](const auto& scheme) {
                           std::string name = scheme.param.substr(0, scheme.param.size() - 1);
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(StoreUrl, OpensAStoreInMemoryAndLocksNothing) {
  const auto url = *parse_store_url("memory:");
  EXPECT_TRUE(open_store(url, StoreAccess::read));
  const auto lock = acquire_import_lock(url);
  ASSERT_TRUE(lock);
  EXPECT_EQ(*lock, nullptr);
}

}  // namespace
}  // namespace portail
