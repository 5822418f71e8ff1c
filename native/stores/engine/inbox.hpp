// What other threads hand to the thread of an engine's loop, and the counts that it shows them. Any thread.
#pragma once

#include <cerrno>
#include <mutex>
#include <system_error>
#include <utility>
#include <vector>

#include <sys/eventfd.h>

#include "core/storage/folder/descriptor.hpp"
#include "native/stores/store_scheme.hpp"

namespace portail::engine {

template <class Item>
class Inbox {
 public:
  // Throws std::system_error if the process has no descriptor left.
  Inbox() : wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (!wake_) throw std::system_error(errno, std::generic_category(), "connections cannot be polled");
  }

  void put(Item item) {
    {
      const std::lock_guard lock(mutex_);
      items_.push_back(std::move(item));
    }
    wake();
  }
  // Tells the loop to end.
  void stop() {
    {
      const std::lock_guard lock(mutex_);
      is_stopping_ = true;
    }
    wake();
  }
  // Makes `descriptor` readable until the next take().
  void wake() const { eventfd_write(wake_.number(), 1); }
  [[nodiscard]] int descriptor() const { return wake_.number(); }

  struct Taken {
    std::vector<Item> items;  // in the order of put()
    bool is_stopping;
  };
  [[nodiscard]] Taken take() {
    eventfd_t count = 0;
    eventfd_read(wake_.number(), &count);
    const std::lock_guard lock(mutex_);
    return {.items = std::exchange(items_, {}), .is_stopping = is_stopping_};
  }

  void publish(const PoolCounts& counts) {
    const std::lock_guard lock(mutex_);
    counts_ = counts;
  }
  [[nodiscard]] PoolCounts counts() const {
    const std::lock_guard lock(mutex_);
    return counts_;
  }

 private:
  const Descriptor wake_;
  mutable std::mutex mutex_;  // guards the members below
  std::vector<Item> items_;
  bool is_stopping_ = false;
  PoolCounts counts_;
};

}  // namespace portail::engine
