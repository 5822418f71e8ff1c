// The state of the module's instance, for the exports, which are free functions. Never destroyed.
#pragma once

#include <string>

#include "wasm/module/handle_table.hpp"

namespace portail::wasm {

class PortalInstance;
class Operation;
class RunningRequest;
class Work;

struct Instance {
  static Instance& current() {
    static Instance instance;
    return instance;
  }

  HandleTable<PortalInstance> portals;
  HandleTable<RunningRequest> requests;
  HandleTable<Operation> operations;
  // The work whose coroutine runs; null between the host's calls.
  Work* running = nullptr;
  // Why the last create failed.
  std::string fault;
};

}  // namespace portail::wasm
