// The other process of the LMDB tests:
//   lmdb_helper put FOLDER KEY VALUE      writes, and then prints "written"
//   lmdb_helper get FOLDER KEY            prints the value, or "absent"
//   lmdb_helper count FOLDER KEY TIMES    adds TIMES to the number under KEY by compare_and_swap
//   lmdb_helper reopen FOLDER TIMES       opens and closes the store that many times
//   lmdb_helper hold FOLDER SESSIONS      opens so many sessions, prints "holding", and waits for the end of its input
//   lmdb_helper readers FOLDER            prints LMDB's list of readers, a line for each slot: process id, thread,
//                                         transaction; clears no slot
//   lmdb_helper ledger FOLDER             writes k=1, k=2, ... and prints each number once it is durable, until killed
//   lmdb_helper import FOLDER             acquires the import lock, prints "importing", and waits for the end of
//                                         its input
// A failure is one line and exit status 1.
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <lmdb.h>

#include "native/stores/folder_use.hpp"
#include "native/stores/lmdb/lmdb_environment.hpp"
#include "native/stores/lmdb/lmdb_store.hpp"
#include "tests/stores/conformance.hpp"
#include "tests/stores/counting.hpp"

using namespace portail;

namespace {

int failed(std::string_view why) {
  std::cout << why << std::endl;
  return 1;
}

void wait_for_end_of_input() {
  for (std::string line; std::getline(std::cin, line);) {
  }
}

// By LMDB alone: opening a store as the program does would clear slots.
int print_readers(const std::string& folder) {
  MDB_env* created = nullptr;
  int code = mdb_env_create(&created);
  const lmdb::EnvironmentHandle environment(created);
  if (code == 0) code = mdb_env_open(created, folder.c_str(), MDB_RDONLY | MDB_NOTLS, 0600);
  if (code != 0) return failed(mdb_strerror(code));
  const auto print = [](const char* line, void*) { return std::fputs(line, stdout); };
  return mdb_reader_list(created, print, nullptr) < 0 ? 1 : 0;
}

int run(const std::vector<std::string>& arguments) {
  const std::string& command = arguments.at(1);
  const std::string& folder = arguments.at(2);
  if (command == "import") {
    auto lock = acquire_folder_import_lock(folder);
    if (!lock) return failed(lock.error());
    std::cout << "importing" << std::endl;
    wait_for_end_of_input();
    return 0;
  }
  if (command == "reopen") {
    for (int i = std::stoi(arguments.at(3)); i > 0; --i) {
      if (const auto store = lmdb::Store::open(folder, {.create = true}); !store) return failed(store.error());
    }
    return 0;
  }
  if (command == "readers") return print_readers(folder);
  auto store = lmdb::Store::open(folder, {.create = true});
  if (!store) return failed(store.error());
  StoreClient client(**store);
  if (command == "put") {
    if (!client.put(arguments.at(3), arguments.at(4))) return failed("failed");
    std::cout << "written" << std::endl;
  } else if (command == "get") {
    std::cout << client.get(arguments.at(3)).value_or("absent") << std::endl;
  } else if (command == "count") {
    if (!count_up(client, arguments.at(3), arguments.at(4))) return failed("failed");
  } else if (command == "hold") {
    std::vector<std::unique_ptr<Session>> sessions;
    for (int i = std::stoi(arguments.at(3)); i > 0; --i) {
      sessions.push_back(client.open());
      if (!sessions.back()) return failed("no session");
    }
    std::cout << "holding" << std::endl;
    wait_for_end_of_input();
  } else if (command == "ledger") {
    for (int n = 1;; ++n) {
      const std::string number = std::to_string(n);
      // Two keys of one batch, one of them large, to detect an incomplete batch.
      const std::string large(20'000, static_cast<char>('a' + n % 26));
      if (!client.write({{"k", number}, {"large", large + number}})) return failed("failed");
      std::cout << number << std::endl;
    }
  } else {
    return failed("unknown command");
  }
  return 0;
}

}  // namespace

int main(int count, char** values) { return run({values, values + count}); }
