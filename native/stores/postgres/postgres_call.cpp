#include "native/stores/postgres/postgres_call.hpp"

#include "native/stores/postgres/postgres_loop.hpp"

namespace portail::postgres {

Lease::~Lease() {
  if (loop_) loop_->release(number_);
}

}  // namespace portail::postgres
