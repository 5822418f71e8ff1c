// The messages for clients, in both languages (docs/reference/contract.md, "Errors"). Any thread.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "core/http/header_fields.hpp"
#include "core/json/reader.hpp"

namespace portail {

// {0} and {1} are placeholders; message_text replaces them by its `values`.
enum class Message : std::uint8_t {
  // Of the whole answer.
  invalid_request,
  unauthorized,
  permission_missing,
  bundle_forbidden,
  insecure_transport,
  no_such_endpoint,
  no_such_entity,    // {0}: ObjetCourrier or Liasse, {1}: its id
  no_template_file,  // {0}: the mail object's id
  method_not_allowed,
  precondition_failed,
  weak_tag,
  malformed_tags,
  tag_excluded,
  content_too_large,
  unsupported_media_type,
  internal_error,
  mail_objects_are_synchronised,
  service_unavailable,
  too_many_requests,
  // Of framing.
  malformed_request,
  malformed_target,
  malformed_headers,
  body_incomplete,
  body_late,
  headers_too_large,
  version_not_supported,
  // Of validation, one for each fault.
  validation_title,
  skip_count_out_of_range,
  max_result_count_out_of_range,
  sorting_unknown,
  field_missing,              // {0}: the field
  field_repeated,             // {0}: the field
  field_not_boolean,          // {0}: the field
  field_not_assignment_type,  // {0}: the field
  body_not_an_object,
  body_not_json,
  body_not_utf8,
  body_with_byte_order_mark,
  body_too_deep,
};

inline constexpr Message last_message = Message::body_too_deep;

// Returns the name in the portal's localization resource. It is ABP's own name where ABP sends the same message, and
// the code of an error that has one.
std::string_view name_of(Message message);

// Returns the message in UTF-8, with its placeholders.
std::string_view message_pattern(Message message, Language language);

// Returns the message in UTF-8, with `values` for {0} and {1}.
std::string message_text(Message message, Language language, std::initializer_list<std::string_view> values = {});

// Returns the message for a body that parse_json rejected.
Message body_message(JsonFault fault);

}  // namespace portail
