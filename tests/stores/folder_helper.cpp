// The other writer of the folder tests, as a process and as a component:
//   folder_helper count FOLDER KEY TIMES    adds TIMES to the number under KEY by compare_and_swap
//   folder_helper put FOLDER KEY VALUE      writes, and then prints "written"
//   folder_helper ledger FOLDER NAME        counts up under NAME by write, adds one by compare_and_swap to
//                                           "total" each time, and prints each number once it is durable, until killed
//   folder_helper hold FOLDER KEY VALUE     acquires the lease, prints "holding", waits for a line of its input,
//                                           and then tries to write; prints "written" or the reason of the failure
// A failure is one line and exit status 1.
#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>

#include "core/storage/folder/folder_store.hpp"
#include "core/storage/folder/folder_writer.hpp"
#include "tests/stores/conformance.hpp"
#include "tests/stores/counting.hpp"

using namespace portail;

namespace {

int failed(std::string_view why) {
  std::cout << why << std::endl;
  return 1;
}

int hold(const std::vector<std::string>& arguments) {
  const Descriptor folder(::open(arguments.at(2).c_str(), O_RDONLY | O_DIRECTORY));
  CountingContext test;
  const Change change{arguments.at(3), std::string_view(arguments.at(4))};
  FolderWriter writer(folder.number());
  if (!writer.stage(std::span(&change, 1))) return failed("not staged");
  if (!writer.acquire_lease(test.context, std::chrono::seconds(5))) return failed("no lease");
  std::cout << "holding" << std::endl;
  std::string line;
  std::getline(std::cin, line);
  const auto applied = writer.apply(0, change);
  std::cout << (applied ? "written" : applied.error().reason) << std::endl;
  return 0;
}

int run(const std::vector<std::string>& arguments) {
  const std::string& command = arguments.at(1);
  if (command == "hold") return hold(arguments);
  // The test kills ledger processes often, so a short lease timeout saves time.
  const bool is_ledger = command == "ledger";
  auto store = FolderStore::open(arguments.at(2), {.lease_timeout = std::chrono::milliseconds(is_ledger ? 500 : 5000)});
  if (!store) return failed(store.error());
  StoreClient client(**store);
  if (command == "put") {
    if (!client.put(arguments.at(3), arguments.at(4))) return failed("failed");
    std::cout << "written" << std::endl;
  } else if (command == "count") {
    if (!count_up(client, arguments.at(3), arguments.at(4))) return failed("failed");
  } else if (is_ledger) {
    for (int n = 1;; ++n) {
      const std::string number = std::to_string(n);
      // On a busy machine a living process may lose its lease: its write fails without a change and is retried.
      while (!client.write({{arguments.at(3), number}, {"large", std::string(20'000, 'v')}})) {
      }
      while (!add_one(client, "total")) {
      }
      std::cout << number << std::endl;
    }
  } else {
    return failed("unknown command");
  }
  return 0;
}

}  // namespace

int main(int count, char** values) { return run({values, values + count}); }
