// The headers of an answer as one list for the host. List is the list type of the adapter's version of wasi:http.
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
