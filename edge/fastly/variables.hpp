// Settings from the stores of a service: its config store, and for those that may be secret, if it does not have them,
// its secret store of the same name. An item has the name of the variable. A service need not have both stores. Each
// item is one lookup, and the platform allows 32 for a request. One thread.
#pragma once

#include <expected>
#include <string_view>

#include "core/webassembly/settings.hpp"
#include "edge/fastly/abi.hpp"

namespace portail::fastly {

class StoredVariables final : public Variables {
 public:
  // `store` is the name of both.
  explicit StoredVariables(std::string_view store = "portail");
  VariableResult find(const char* name) override;

 private:
  std::expected<Handle, Status> configuration_;
  std::expected<Handle, Status> secrets_;
};

}  // namespace portail::fastly
