// The headers of an answer in the form in which the host takes all of them by one call. List is that of the adapter's
// version.
#pragma once

#include <type_traits>
#include <vector>

#include "core/http/response.hpp"
#include "edge/host/lists.hpp"

namespace portail::edge {

template <class List>
class HeaderList {
  using Entry = std::remove_pointer_t<decltype(List::ptr)>;

 public:
  // `response` outlives this.
  explicit HeaderList(const Response& response) {
    entries_.reserve(response.headers.size());
    for (const HeaderField& field : response.headers) {
      entries_.push_back(
          {.f0 = list_of<decltype(Entry::f0)>(field.name), .f1 = list_of<decltype(Entry::f1)>(field.value)});
    }
  }

  [[nodiscard]] List list() { return {.ptr = entries_.data(), .len = entries_.size()}; }

 private:
  std::vector<Entry> entries_;
};

}  // namespace portail::edge
