// A host of spin:key-value@3.0.0 whose stores are folders. Composed with a component that imports it. Every call yields
// once before it returns, like a store over a network.
#include "bindings/spin-host/spin_host.h"

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

// The arguments of a pending call. The host stores the pointer for each task.
struct PendingCall {
  Stored* store = nullptr;
  std::string key;
  std::string value;
};

std::string consume(Text* text) {
  std::string copy = to_text(*text);
  spin_host_string_free(text);
  return copy;
}

Code defer(PendingCall call) {
  spin_host_context_set(new PendingCall(std::move(call)));
  return SPIN_HOST_CALLBACK_CODE_YIELD;
}
PendingCall resume_call() {
  const std::unique_ptr<PendingCall> call(static_cast<PendingCall*>(spin_host_context_get()));
  return std::move(*call);
}

exports_key_value_error_t failure() {
  return {.tag = EXPORTS_KEY_VALUE_ERROR_OTHER, .val = {.other = to_list<Text>("the folder cannot be used")}};
}
exports_key_value_result_void_error_t outcome(const portail::Result<void>& done) {
  if (done) return {.is_err = false, .val = {}};
  return {.is_err = true, .val = {.err = failure()}};
}

// Writes a list of keys: first the names, then the outcome.
struct Listing {
  std::vector<Text> names;
  exports_key_value_result_void_error_t result{};
  exports_key_value_stream_string_writer_t stream = 0;
  exports_key_value_future_result_void_error_writer_t future = 0;
  spin_host_waitable_set_t set = spin_host_waitable_set_new();
  std::size_t written = 0;
  bool names_written = false;

  Code write_some() {
    while (!names_written) {
      const std::size_t left = names.size() - written;
      if (left == 0) {
        exports_key_value_stream_string_drop_writable(stream);
        names_written = true;
        const auto status = exports_key_value_future_result_void_error_write(future, &result);
        if (status == SPIN_HOST_WAITABLE_STATUS_BLOCKED) return wait_for(future);
        break;
      }
      const auto status = exports_key_value_stream_string_write(stream, names.data() + written, left);
      if (status == SPIN_HOST_WAITABLE_STATUS_BLOCKED) return wait_for(stream);
      on_written(status);
    }
    exports_key_value_future_result_void_error_drop_writable(future);
    spin_host_waitable_set_drop(set);
    delete this;
    return SPIN_HOST_CALLBACK_CODE_EXIT;
  }
  Code on_event(const spin_host_event_t& event) {
    spin_host_waitable_join(event.waitable, 0);
    if (!names_written) on_written(event.code);
    return write_some();
  }

 private:
  Code wait_for(std::uint32_t waitable) {
    spin_host_waitable_join(waitable, set);
    return SPIN_HOST_CALLBACK_CODE_WAIT(set);
  }
  // If the reader has dropped its end, skips the remaining names.
  void on_written(std::uint32_t status) {
    const bool open = SPIN_HOST_WAITABLE_STATE(status) == SPIN_HOST_WAITABLE_COMPLETED;
    written = open ? written + SPIN_HOST_WAITABLE_COUNT(status) : names.size();
  }
};

}  // namespace

void exports_key_value_store_destructor(Stored* store) { delete store; }

Code exports_key_value_static_store_open(Text* label) {
  return defer({.store = nullptr, .key = consume(label), .value = {}});
}
Code exports_key_value_static_store_open_callback(spin_host_event_t*) {
  auto folder = portail::FolderBucket::open(resume_call().key);
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

// A read of the key "silent" never returns.
Code exports_key_value_method_store_get(Stored* store, Text* key) {
  const Code code = defer({.store = store, .key = consume(key), .value = {}});
  const bool silent = static_cast<PendingCall*>(spin_host_context_get())->key == "silent";
  return silent ? SPIN_HOST_CALLBACK_CODE_WAIT(spin_host_waitable_set_new()) : code;
}
Code exports_key_value_method_store_get_callback(spin_host_event_t* event) {
  const PendingCall call = resume_call();
  if (event->event == SPIN_HOST_EVENT_CANCEL) {
    spin_host_task_cancel();
    return SPIN_HOST_CALLBACK_CODE_EXIT;
  }
  const auto value = call.store->folder->get(call.key);
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
  return defer({.store = store, .key = consume(key), .value = std::move(bytes)});
}
Code exports_key_value_method_store_set_callback(spin_host_event_t*) {
  const PendingCall call = resume_call();
  exports_key_value_method_store_set_return(outcome(call.store->folder->write(call.key, call.value)));
  return SPIN_HOST_CALLBACK_CODE_EXIT;
}

Code exports_key_value_method_store_delete(Stored* store, Text* key) {
  return defer({.store = store, .key = consume(key), .value = {}});
}
Code exports_key_value_method_store_delete_callback(spin_host_event_t*) {
  const PendingCall call = resume_call();
  exports_key_value_method_store_delete_return(outcome(call.store->folder->write(call.key, std::nullopt)));
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
  spin_host_context_set(listing);
  return listing->write_some();
}
Code exports_key_value_method_store_get_keys_callback(spin_host_event_t* event) {
  return static_cast<Listing*>(spin_host_context_get())->on_event(*event);
}
