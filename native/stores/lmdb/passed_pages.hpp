// The pages of a mapped file that a pass over the whole of it has read: given back to the kernel every so often, so
// that they do not add up in the resident memory of the process. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <string_view>

namespace portail {

class PassedPages {
 public:
  // `value` lies in a read-only shared map, the same at every call. Its bytes may be read afterwards as before.
  void add(std::string_view value);

 private:
  std::mutex mutex_;
  std::uintptr_t begin_ = std::numeric_limits<std::uintptr_t>::max();
  std::uintptr_t end_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace portail
