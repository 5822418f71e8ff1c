// What the JSON of each answer means by the contract: the members, how two values are compared, and the row that a
// difference breaks. Constant; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "native/shadow/difference.hpp"

namespace portail::shadow {

enum class Meaning : std::uint8_t {
  value,    // numbers as exact decimals; arrays in order; objects by their members
  real,     // a number, as the nearest double
  instant,  // a point in time, whatever its offset and fraction
  uuid,     // text without regard to ASCII case
  kind,     // null, text, list, ...: the value itself is left open
  object,   // of the rule's shape
  list,     // of such objects in an order, identified by the shape's key
  set,      // the same without an order; without a shape, of simple values
};

struct Shape;

struct MemberRule {
  std::string_view name;
  RowName row;
  Meaning meaning = Meaning::value;
  const Shape* shape = nullptr;
};

// An object.
struct Shape {
  RowName row;  // of members that no rule names
  std::span<const MemberRule> members;
  std::string_view key = {};  // the member that identifies it in a list
  bool is_open = false;       // members that no rule names are not compared
};

// The whole body of an answer.
struct BodyRule {
  RowName row;        // of elements that are missing, and of another kind of value
  RowName order_row;  // of another order
  Meaning meaning = Meaning::kind;
  const Shape* shape = nullptr;
  bool is_list_of_bundles = false;
};

// Returns the rule of a 200 of the route's pattern. `is_sorted` is whether the query has an order.
BodyRule body_rule(std::string_view route, bool is_sorted);
// Returns the row of a 403 of the route.
RowName row_of_refusal(std::string_view route);
// Returns the rule of an error.
BodyRule error_rule(std::string_view route, int status);

// Returns the row of a missing or additional element of a list, whose text is `element`: `list_row`, or that of
// derogated pieces. `is_list_of_bundles` is whether the answer is one.
RowName row_of_element(const Shape* shape, std::string_view element, RowName list_row, bool is_list_of_bundles);

}  // namespace portail::shadow
