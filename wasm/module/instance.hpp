// What the exports, which are free functions, find their objects by. One instance of the module has one, for ever.
#pragma once

#include <string>

#include "wasm/module/handle_table.hpp"

namespace portail::wasm {

class HostedPortal;
class Operation;
class RunningRequest;

struct Instance {
  static Instance& current() {
    static Instance instance;
    return instance;
  }

  HandleTable<HostedPortal> portals;
  HandleTable<RunningRequest> requests;
  HandleTable<Operation> operations;
  // The one whose coroutine runs now; null between the host's calls.
  RunningRequest* running = nullptr;
  // Why the last portal was not made.
  std::string fault;
};

}  // namespace portail::wasm
