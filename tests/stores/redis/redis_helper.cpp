// The other process of the Redis tests:
//   redis_helper count URL KEY TIMES      adds TIMES to the number under KEY by compare_and_swap
//   redis_helper import URL [EXPIRY]      acquires the import lock (without renewal if EXPIRY is given, in
//                                         milliseconds), prints "importing", and waits for the end of its input
// A failure is one line and exit status 1.
#include <chrono>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

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

int run(const std::vector<std::string>& arguments) {
  const std::string& command = arguments.at(1);
  const auto url = redis::parse_url(std::string_view(arguments.at(2)).substr(std::string_view("redis:").size()));
  if (!url) return failed(url.error());
  if (command == "import") {
    redis::ImportLock::Times times;
    if (arguments.size() > 3) times.expiry = std::chrono::milliseconds(std::stoi(arguments.at(3)));
    const auto lock = redis::ImportLock::acquire(*url, times);
    if (!lock) return failed(lock.error());
    std::cout << "importing" << std::endl;
    for (std::string line; std::getline(std::cin, line);) {
    }
    return 0;
  }
  auto store = redis::Store::open(*url);
  if (!store) return failed(store.error());
  StoreClient client(**store);
  if (command != "count") return failed("unknown command");
  return count_up(client, arguments.at(3), arguments.at(4)) ? 0 : failed("failed");
}

}  // namespace

int main(int count, char** values) { return run({values, values + count}); }
