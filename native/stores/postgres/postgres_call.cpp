#include "native/stores/postgres/postgres_call.hpp"

#include "native/stores/postgres/postgres_loop.hpp"

namespace portail {

PostgresLease::~PostgresLease() {
  if (loop_) loop_->give_back(number_);
}

}  // namespace portail
