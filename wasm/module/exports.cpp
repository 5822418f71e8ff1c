// The exports of wasm/abi/portail.h, which says what each does.
#include <functional>
#include <memory>
#include <utility>

#include "wasm/abi/portail.h"
#include "wasm/module/encoding.hpp"
#include "wasm/module/heap.hpp"
#include "wasm/module/hosted_portal.hpp"
#include "wasm/module/instance.hpp"
#include "wasm/module/running_request.hpp"

namespace portail::wasm {
namespace {

Instance& instance() { return Instance::current(); }

void end(RunningRequest& request) {
  instance().requests.erase(request.number);
  delete &request;
}

// `go_on` of the request of that number, and the state that it has then.
template <class GoOn>
std::uint32_t take_on(std::uint32_t number, const GoOn& go_on) {
  RunningRequest* const request = instance().requests.find(number);
  if (!request) return PORTAIL_UNKNOWN;
  std::invoke(go_on, *request);
  return request->state();
}

Result<Completed> result_of(std::uint32_t status, Buffer values) {
  switch (status) {
    case PORTAIL_DONE:
      return Completed{.values = std::move(values)};
    case PORTAIL_DIFFERENT:
      return Completed{.different = true, .values = {}};
    case PORTAIL_UNAVAILABLE:
      return std::unexpected(Failure::unavailable);
    default:
      return std::unexpected(Failure::corrupt);
  }
}

}  // namespace
}  // namespace portail::wasm

using namespace portail::wasm;  // NOLINT(google-build-using-namespace): the exports have no namespace

std::uint32_t portail_abi_version() { return PORTAIL_ABI_VERSION; }

std::uint8_t* portail_allocate(std::uint32_t size) { return allocate_buffer(size); }
void portail_release(std::uint8_t* buffer) { release_buffer(buffer); }

std::uint32_t portail_create(std::uint32_t store, std::uint8_t* settings, std::uint32_t settings_size) {
  const Buffer bytes(settings, settings_size);
  auto made = HostedPortal::make(store, bytes.view());
  instance().fault = made ? std::string() : std::move(made.error());
  if (!made) return 0;
  HostedPortal& portal = **made;
  portal.number = instance().portals.insert(portal);
  if (portal.number == 0) {
    instance().fault = "there are too many portals";
    return 0;
  }
  return made->release()->number;
}

const std::uint8_t* portail_fault() { return bytes_of(instance().fault); }
std::uint32_t portail_fault_size() { return size_of(instance().fault); }

void portail_dispose(std::uint32_t portal) {
  HostedPortal* const found = instance().portals.find(portal);
  if (!found) return;
  instance().requests.for_each([&](RunningRequest& request) {
    if (&request.portal() == found) end(request);
  });
  instance().portals.erase(portal);
  delete found;
}

std::uint32_t portail_begin(std::uint32_t portal, std::uint8_t* head, std::uint32_t head_size) {
  auto parsed = RequestHead::parse(Buffer(head, head_size));
  HostedPortal* const found = instance().portals.find(portal);
  if (!parsed || !found || heap_in_use() > full_for_requests) return 0;
  auto request = std::make_unique<RunningRequest>(*found, std::move(*parsed));
  request->number = instance().requests.insert(*request);
  if (request->number == 0) return 0;
  request->start();
  return request.release()->number;
}

std::uint32_t portail_state(std::uint32_t request) {
  return take_on(request, [](RunningRequest&) {});
}

const std::uint8_t* portail_data(std::uint32_t request) {
  const RunningRequest* const found = instance().requests.find(request);
  return found ? bytes_of(found->data()) : nullptr;
}

std::uint32_t portail_data_size(std::uint32_t request) {
  const RunningRequest* const found = instance().requests.find(request);
  return found ? size_of(found->data()) : 0;
}

std::uint32_t portail_give_body(std::uint32_t request, std::uint8_t* bytes, std::uint32_t size) {
  Buffer piece(bytes, size);
  return take_on(request, [&](RunningRequest& found) { found.give_body(std::move(piece)); });
}

std::uint32_t portail_lose_body(std::uint32_t request) { return take_on(request, &RunningRequest::lose_body); }
std::uint32_t portail_next(std::uint32_t request) { return take_on(request, &RunningRequest::next); }
std::uint32_t portail_expire(std::uint32_t request) { return take_on(request, &RunningRequest::expire); }

void portail_end(std::uint32_t request) {
  RunningRequest* const found = instance().requests.find(request);
  if (found) end(*found);
}

std::uint32_t portail_complete(std::uint32_t operation, std::uint32_t status, std::uint8_t* result,
                               std::uint32_t result_size) {
  Buffer values(result, result_size);
  Operation* const found = instance().operations.find(operation);
  if (!found) return 0;
  const bool too_much = !values.empty() && heap_in_use() > full_for_values;
  auto outcome = result_of(too_much ? PORTAIL_UNAVAILABLE : status, std::move(values));
  // Within the import: the request goes on by itself, when the import has returned.
  if (!found->waits()) {
    found->complete(std::move(outcome));
    return 0;
  }
  RunningRequest& request = found->request();
  request.complete(*found, std::move(outcome));
  return request.number;
}
