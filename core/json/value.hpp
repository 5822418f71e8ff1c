// The values of a JSON document that was read (core/json/reader.hpp): handles of two words, copied freely, valid as
// long as their document. Only value.cpp knows the parser that made them. Any thread; a document belongs to one at a
// time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>

namespace portail {

// Where a value stands in what the parser made of its document; the parser's own handle, byte by byte.
struct JsonPlace {
  const void* document = nullptr;
  std::size_t position = 0;
};

// Any value. One that was made without a document may only be assigned to.
class JsonValue {
 public:
  JsonValue() = default;
  explicit JsonValue(JsonPlace place) : place_(place) {}

  [[nodiscard]] bool is_null() const;
  [[nodiscard]] bool is_number() const;
  [[nodiscard]] JsonPlace place() const { return place_; }

 private:
  JsonPlace place_;
};

struct JsonMember {
  std::string_view name;  // unescaped
  JsonValue value;
};

// Goes through the values of an array, or the members of an object: reads what stands at a place, and where the next
// is.
template <class Read>
class JsonIterator {
 public:
  using value_type = decltype(Read::at(JsonPlace()));
  using difference_type = std::ptrdiff_t;

  JsonIterator() = default;
  explicit JsonIterator(JsonPlace place) : place_(place) {}

  value_type operator*() const { return Read::at(place_); }
  JsonIterator& operator++() {
    place_ = Read::after(place_);
    return *this;
  }
  JsonIterator operator++(int) {
    const JsonIterator before = *this;
    ++*this;
    return before;
  }
  // Of one container.
  bool operator==(const JsonIterator& other) const { return place_.position == other.place_.position; }

 private:
  JsonPlace place_;
};

// In the order of the text.
class JsonArray {
 public:
  struct Read {
    static JsonValue at(JsonPlace place);
    static JsonPlace after(JsonPlace place);
  };

  JsonArray() = default;
  explicit JsonArray(JsonPlace place) : place_(place) {}

  [[nodiscard]] JsonIterator<Read> begin() const;
  [[nodiscard]] JsonIterator<Read> end() const;

 private:
  JsonPlace place_;
};

// In the order of the text, where a name may stand several times.
class JsonObject {
 public:
  struct Read {
    static JsonMember at(JsonPlace place);
    static JsonPlace after(JsonPlace place);
  };

  JsonObject() = default;
  explicit JsonObject(JsonPlace place) : place_(place) {}

  [[nodiscard]] JsonIterator<Read> begin() const;
  [[nodiscard]] JsonIterator<Read> end() const;
  [[nodiscard]] JsonPlace place() const { return place_; }

 private:
  JsonPlace place_;
};

// The members whose name is `name` without regard to ASCII case: the first one, and how many there are.
struct FoundMember {
  std::optional<JsonValue> value;
  std::size_t count = 0;
};
FoundMember find_member_ignoring_case(JsonObject object, std::string_view name);

// The member of exactly that name, the first if there are several; nullopt if there is none.
std::optional<JsonValue> member(JsonObject object, std::string_view name);

// The value where it has that type, else nullopt. Strings are unescaped, valid UTF-8, and live as long as the document.
std::optional<std::string_view> string_of(JsonValue value);
std::optional<bool> boolean_of(JsonValue value);
std::optional<std::int64_t> integer_of(JsonValue value);
// Any number, as the double next to it.
std::optional<double> number_of(JsonValue value);
std::optional<JsonObject> object_of(JsonValue value);
std::optional<JsonArray> array_of(JsonValue value);

// The member of that name, where it is a string.
std::optional<std::string_view> string_member(JsonObject object, std::string_view name);

}  // namespace portail
