// A host of spin:key-value@3.0.0: its stores are folders. Composed with a component that imports it. Every call lets
// its caller wait once before it answers, as a store behind a network does.
#include "tests/edge/bindings/spin-host/spin_host.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/edge/hosts/folder_buckets.hpp"

struct exports_key_value_store_t {
  std::unique_ptr<portail::FolderBucket> folder;
};

namespace {

using portail::to_list;
using portail::to_text;
using List = spin_host_list_u8_t;
using Text = spin_host_string_t;
using Code = spin_host_callback_code_t;
using Stored = exports_key_value_store_t;

// The arguments of a call, while its caller waits; the host keeps the pointer for each task.
struct Asked {
  Stored* store = nullptr;
  std::string key;
  std::string value;
};

std::string take(Text* text) {
  std::string copy = to_text(*text);
  spin_host_string_free(text);
  return copy;
}

Code later(Asked asked) {
  spin_host_context_set_0(new Asked(std::move(asked)));
  return SPIN_HOST_CALLBACK_CODE_YIELD;
}
Asked now() {
  const std::unique_ptr<Asked> asked(static_cast<Asked*>(spin_host_context_get_0()));
  return std::move(*asked);
}

exports_key_value_error_t failure() {
  return {.tag = EXPORTS_KEY_VALUE_ERROR_OTHER, .val = {.other = to_list<Text>("the folder cannot be used")}};
}
exports_key_value_result_void_error_t outcome(const portail::Result<void>& done) {
  if (done) return {.is_err = false, .val = {}};
  return {.is_err = true, .val = {.err = failure()}};
}

// The writing of a list of keys: first the names, then that they were all.
struct Listing {
  std::vector<Text> names;
  exports_key_value_result_void_error_t result{};
  exports_key_value_stream_string_writer_t stream = 0;
  exports_key_value_future_result_void_error_writer_t future = 0;
  spin_host_waitable_set_t set = spin_host_waitable_set_new();
  std::size_t written = 0;
  bool at_end = false;

  Code go_on() {
    while (!at_end) {
      const std::size_t left = names.size() - written;
      if (left == 0) {
        exports_key_value_stream_string_drop_writable(stream);
        at_end = true;
        const auto status = exports_key_value_future_result_void_error_write(future, &result);
        if (status == SPIN_HOST_WAITABLE_STATUS_BLOCKED) return wait_for(future);
        break;
      }
      const auto status = exports_key_value_stream_string_write(stream, names.data() + written, left);
      if (status == SPIN_HOST_WAITABLE_STATUS_BLOCKED) return wait_for(stream);
      taken(status);
    }
    exports_key_value_future_result_void_error_drop_writable(future);
    spin_host_waitable_set_drop(set);
    delete this;
    return SPIN_HOST_CALLBACK_CODE_EXIT;
  }
  Code happened(const spin_host_event_t& event) {
    spin_host_waitable_join(event.waitable, 0);
    if (!at_end) taken(event.code);
    return go_on();
  }

 private:
  Code wait_for(std::uint32_t waitable) {
    spin_host_waitable_join(waitable, set);
    return SPIN_HOST_CALLBACK_CODE_WAIT(set);
  }
  // A reader that has lost interest is told the end.
  void taken(std::uint32_t status) {
    const bool open = SPIN_HOST_WAITABLE_STATE(status) == SPIN_HOST_WAITABLE_COMPLETED;
    written = open ? written + SPIN_HOST_WAITABLE_COUNT(status) : names.size();
  }
};

}  // namespace

void exports_key_value_store_destructor(Stored* store) { delete store; }

Code exports_key_value_static_store_open(Text* label) {
  return later({.store = nullptr, .key = take(label), .value = {}});
}
Code exports_key_value_static_store_open_callback(spin_host_event_t*) {
  auto folder = portail::FolderBucket::open(now().key);
  exports_key_value_result_own_store_error_t result{};
  result.is_err = !folder;
  if (folder) {
    result.val.ok = exports_key_value_store_new(new Stored{std::move(folder)});
  } else {
    result.val.err = {.tag = EXPORTS_KEY_VALUE_ERROR_NO_SUCH_STORE, .val = {}};
  }
  exports_key_value_static_store_open_return(result);
  return SPIN_HOST_CALLBACK_CODE_EXIT;
}

// The key "silent" is one that is never answered.
Code exports_key_value_method_store_get(Stored* store, Text* key) {
  const Code code = later({.store = store, .key = take(key), .value = {}});
  const bool silent = static_cast<Asked*>(spin_host_context_get_0())->key == "silent";
  return silent ? SPIN_HOST_CALLBACK_CODE_WAIT(spin_host_waitable_set_new()) : code;
}
Code exports_key_value_method_store_get_callback(spin_host_event_t* event) {
  const Asked asked = now();
  if (event->event == SPIN_HOST_EVENT_CANCEL) {
    spin_host_task_cancel();
    return SPIN_HOST_CALLBACK_CODE_EXIT;
  }
  const auto value = asked.store->folder->get(asked.key);
  exports_key_value_result_option_list_u8_error_t result{};
  result.is_err = !value;
  if (value) {
    result.val.ok = {.is_some = value->has_value(), .val = to_list<List>(value->value_or(""))};
  } else {
    result.val.err = failure();
  }
  exports_key_value_method_store_get_return(result);
  return SPIN_HOST_CALLBACK_CODE_EXIT;
}

Code exports_key_value_method_store_set(Stored* store, Text* key, List* value) {
  std::string bytes = to_text(*value);
  spin_host_list_u8_free(value);
  return later({.store = store, .key = take(key), .value = std::move(bytes)});
}
Code exports_key_value_method_store_set_callback(spin_host_event_t*) {
  const Asked asked = now();
  exports_key_value_method_store_set_return(outcome(asked.store->folder->write(asked.key, asked.value)));
  return SPIN_HOST_CALLBACK_CODE_EXIT;
}

Code exports_key_value_method_store_delete(Stored* store, Text* key) {
  return later({.store = store, .key = take(key), .value = {}});
}
Code exports_key_value_method_store_delete_callback(spin_host_event_t*) {
  const Asked asked = now();
  exports_key_value_method_store_delete_return(outcome(asked.store->folder->write(asked.key, std::nullopt)));
  return SPIN_HOST_CALLBACK_CODE_EXIT;
}

Code exports_key_value_method_store_get_keys(Stored* store) {
  auto* listing = new Listing;
  const auto names = store->folder->keys();
  if (!names) listing->result = {.is_err = true, .val = {.err = failure()}};
  if (names) {
    for (const std::string& name : *names) listing->names.push_back(to_list<Text>(name));
  }
  exports_key_value_tuple2_stream_string_future_result_void_error_t ends{};
  ends.f0 = exports_key_value_stream_string_new(&listing->stream);
  ends.f1 = exports_key_value_future_result_void_error_new(&listing->future);
  exports_key_value_method_store_get_keys_return(ends);
  spin_host_context_set_0(listing);
  return listing->go_on();
}
Code exports_key_value_method_store_get_keys_callback(spin_host_event_t* event) {
  return static_cast<Listing*>(spin_host_context_get_0())->happened(*event);
}
