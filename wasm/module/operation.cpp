#include "wasm/module/operation.hpp"

#include <utility>

#include "wasm/module/instance.hpp"
#include "wasm/module/running_request.hpp"

namespace portail::wasm {

Operation::Operation() : request_(*Instance::current().running), number_(Instance::current().operations.insert(*this)) {
  if (request_.expired() || number_ == 0) result_ = std::unexpected(Failure::cancelled);
  request_.set_operation(this);
}

Operation::~Operation() {
  request_.set_operation(nullptr);
  Instance::current().operations.erase(number_);
}

void Operation::complete(Result<OperationResult> result) {
  Instance::current().operations.erase(number_);
  result_ = std::move(result);
  if (waiting_) std::exchange(waiting_, nullptr).resume();
}

}  // namespace portail::wasm
