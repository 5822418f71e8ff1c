// The other process of the tests of Redis and PostgreSQL:
//   engine_helper count STORE KEY TIMES    adds TIMES to the number under KEY by compare_and_swap
//   engine_helper import STORE [EXPIRY]    acquires the import lock (of Redis without renewal if EXPIRY is given, in
//                                          milliseconds), prints "importing", and waits for the end of its input
// A failure is one line and exit status 1.
#include <chrono>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "native/stores/postgres/postgres_scheme.hpp"
#include "native/stores/postgres/postgres_store.hpp"
#include "native/stores/redis/redis_import_lock.hpp"
#include "native/stores/redis/redis_store.hpp"
#include "tests/stores/conformance.hpp"
#include "tests/stores/counting.hpp"

using namespace portail;

namespace {

int failed(std::string_view why) {
  std::cout << why << std::endl;
  return 1;
}

template <typename Lock>
int hold(const Lock& lock) {
  if (!lock) return failed(lock.error());
  std::cout << "importing" << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
  }
  return 0;
}

template <typename Store>
int count_times(const Store& store, const std::vector<std::string>& arguments) {
  if (!store) return failed(store.error());
  StoreClient client(**store);
  return count_up(client, arguments.at(3), arguments.at(4)) ? 0 : failed("failed");
}

int run(const std::vector<std::string>& arguments) {
  const bool is_import = arguments.at(1) == "import";
  const std::string& store = arguments.at(2);
  const std::string location = store.substr(store.find(':') + 1);
  if (store.starts_with("postgres:")) {
    const auto url = postgres::parse_url(location);
    if (!url) return failed(url.error());
    if (is_import) return hold(postgres::ImportLock::acquire(*url));
    return count_times(postgres::Store::open(*url, StoreAccess::create), arguments);
  }
  const auto url = redis::parse_url(location);
  if (!url) return failed(url.error());
  if (!is_import) return count_times(redis::Store::open(*url), arguments);
  redis::ImportLock::Times times;
  if (arguments.size() > 3) times.expiry = std::chrono::milliseconds(std::stoi(arguments.at(3)));
  return hold(redis::ImportLock::acquire(*url, times));
}

}  // namespace

int main(int count, char** values) { return run({values, values + count}); }
