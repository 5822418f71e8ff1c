// The values of a parsed JSON document (core/json/reader.hpp): handles of two words, cheap to copy, valid as long as
// their document. Only core/json depends on the parser. Any thread; a document belongs to one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>

namespace portail {

// The bytes of the parser's handle of a value: its position in the parsed document.
struct JsonHandle {
  const void* document = nullptr;
  std::size_t position = 0;
};

// Any value. A default-constructed one may only be assigned to.
class JsonValue {
 public:
  JsonValue() = default;
  explicit JsonValue(JsonHandle handle) : handle_(handle) {}

  [[nodiscard]] bool is_null() const;
  [[nodiscard]] bool is_number() const;
  [[nodiscard]] JsonHandle handle() const { return handle_; }

 private:
  JsonHandle handle_;
};

struct JsonMember {
  std::string_view name;  // unescaped
  JsonValue value;
};

// Iterates over the values of an array or the members of an object. `Traversal::at` reads the item at a handle,
// `Traversal::next` returns the next handle.
template <class Traversal>
class JsonIterator {
 public:
  using value_type = decltype(Traversal::at(JsonHandle()));
  using difference_type = std::ptrdiff_t;

  JsonIterator() = default;
  explicit JsonIterator(JsonHandle handle) : handle_(handle) {}

  value_type operator*() const { return Traversal::at(handle_); }
  JsonIterator& operator++() {
    handle_ = Traversal::next(handle_);
    return *this;
  }
  JsonIterator operator++(int) {
    const JsonIterator before = *this;
    ++*this;
    return before;
  }
  // Both iterators must be of the same container.
  bool operator==(const JsonIterator& other) const { return handle_.position == other.handle_.position; }

 private:
  JsonHandle handle_;
};

// An array; iterates in the order of the text.
class JsonArray {
 public:
  struct Traversal {
    static JsonValue at(JsonHandle handle);
    static JsonHandle next(JsonHandle handle);
  };

  JsonArray() = default;
  explicit JsonArray(JsonHandle handle) : handle_(handle) {}

  [[nodiscard]] JsonIterator<Traversal> begin() const;
  [[nodiscard]] JsonIterator<Traversal> end() const;

 private:
  JsonHandle handle_;
};

// An object; iterates in the order of the text, with repeated names.
class JsonObject {
 public:
  struct Traversal {
    static JsonMember at(JsonHandle handle);
    static JsonHandle next(JsonHandle handle);
  };

  JsonObject() = default;
  explicit JsonObject(JsonHandle handle) : handle_(handle) {}

  [[nodiscard]] JsonIterator<Traversal> begin() const;
  [[nodiscard]] JsonIterator<Traversal> end() const;
  [[nodiscard]] JsonHandle handle() const { return handle_; }

 private:
  JsonHandle handle_;
};

struct FoundMember {
  std::optional<JsonValue> value;  // of the first such member
  std::size_t count = 0;           // of such members
};
// Finds the members whose name is `name` without regard to ASCII case.
FoundMember find_member_ignoring_case(JsonObject object, std::string_view name);

// Returns the value of the first member of exactly that name, or nullopt.
std::optional<JsonValue> member(JsonObject object, std::string_view name);

// Each returns the value if it has that type, else nullopt. Strings are unescaped, valid UTF-8, and live as long as the
// document.
std::optional<std::string_view> string_of(JsonValue value);
std::optional<bool> boolean_of(JsonValue value);
std::optional<std::int64_t> integer_of(JsonValue value);
// Any number, as the nearest double.
std::optional<double> number_of(JsonValue value);
std::optional<JsonObject> object_of(JsonValue value);
std::optional<JsonArray> array_of(JsonValue value);

// Returns the member of that name if it is a string, else nullopt.
std::optional<std::string_view> string_member(JsonObject object, std::string_view name);
// The same for an integer.
std::optional<std::int64_t> integer_member(JsonObject object, std::string_view name);

}  // namespace portail
