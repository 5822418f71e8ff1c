// A store that is served as long as it has this program's layout: each session reads `format` along with what it reads
// first, so a store that became one of a newer layout meanwhile is refused at once, and nothing of it is taken for what
// it is not. A request that writes reads first. Any thread.
#pragma once

#include <memory>
#include <mutex>

#include "core/storage/format.hpp"
#include "core/storage/forwarding_store.hpp"
#include "native/host/once_a_minute.hpp"

namespace portail {

class CurrentStore final : public ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;

  Task<std::unique_ptr<Session>> open(Context& context) override;

  // For its sessions: a line in the log, one a minute.
  void tell(Context& context, FormatState found);

 private:
  std::mutex logging_;
  OnceAMinute refused_;
};

}  // namespace portail
