#include "wasm/module/operation.hpp"

#include <utility>

#include "wasm/module/instance.hpp"

namespace portail::wasm {

Operation::Operation() : work_(*Instance::current().running), number_(Instance::current().operations.insert(*this)) {
  if (work_.expired() || number_ == 0) result_ = std::unexpected(Failure::cancelled);
  work_.set_operation(this);
}

Operation::~Operation() {
  work_.set_operation(nullptr);
  Instance::current().operations.erase(number_);
}

void Operation::complete(Result<OperationResult> result) {
  Instance::current().operations.erase(number_);
  result_ = std::move(result);
  if (waiting_) std::exchange(waiting_, nullptr).resume();
}

}  // namespace portail::wasm
