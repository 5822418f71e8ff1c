// The other process of the PostgreSQL tests:
//   postgres_helper count ADDRESS KEY TIMES   adds TIMES to the number under KEY by compare_and_swap
//   postgres_helper import ADDRESS            acquires the import lock, prints "importing", and waits for the end
//                                             of its input
// A failure is one line and exit status 1.
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "native/stores/postgres/postgres_import_lock.hpp"
#include "native/stores/postgres/postgres_store.hpp"
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
  const auto url = postgres::parse_url(arguments.at(2));
  if (!url) return failed(url.error());
  if (command == "import") {
    const auto lock = postgres::ImportLock::acquire(*url);
    if (!lock) return failed(lock.error());
    std::cout << "importing" << std::endl;
    for (std::string line; std::getline(std::cin, line);) {
    }
    return 0;
  }
  auto store = postgres::Store::open(*url, StoreAccess::create);
  if (!store) return failed(store.error());
  StoreClient client(**store);
  if (command != "count") return failed("unknown command");
  return count_up(client, arguments.at(3), arguments.at(4)) ? 0 : failed("failed");
}

}  // namespace

int main(int count, char** values) { return run({values, values + count}); }
