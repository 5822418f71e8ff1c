// The exports of portals, which wasm/abi/portail.h specifies.
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "wasm/abi/portail.h"
#include "wasm/module/encoding.hpp"
#include "wasm/module/heap.hpp"
#include "wasm/module/host_folder.hpp"
#include "wasm/module/host_store.hpp"
#include "wasm/module/instance.hpp"
#include "wasm/module/portal_instance.hpp"
#include "wasm/module/running_request.hpp"

namespace portail::wasm {
namespace {

Instance& instance() { return Instance::current(); }

void end(RunningRequest& request) {
  instance().requests.erase(request.handle);
  delete &request;
}

// Calls `action` with the request of `handle`, and returns the request's new state.
template <class Action>
std::uint32_t advance(std::uint32_t handle, const Action& action) {
  RunningRequest* const request = instance().requests.find(handle);
  if (!request) return PORTAIL_UNKNOWN;
  std::invoke(action, *request);
  return request->state();
}

// Returns the handle of a new portal; 0, with a fault, if there is none.
std::uint32_t create_portal(std::uint32_t store, const Buffer& settings, const PortalInstance::OpenStore& open) {
  auto created = PortalInstance::create(store, open, settings.view());
  instance().fault = created ? std::string() : std::move(created.error());
  if (!created) return 0;
  PortalInstance& portal = **created;
  portal.handle = instance().portals.insert(portal);
  if (portal.handle == 0) {
    instance().fault = "there are too many portals";
    return 0;
  }
  return created->release()->handle;
}

Result<OperationResult> result_of(std::uint32_t status, Buffer values) {
  switch (status) {
    case PORTAIL_DONE:
      return OperationResult{.values = std::move(values)};
    case PORTAIL_DIFFERENT:
      return OperationResult{.different = true, .values = {}};
    case PORTAIL_UNAVAILABLE:
      return std::unexpected(Failure::unavailable);
    default:
      return std::unexpected(Failure::corrupt);
  }
}

}  // namespace
}  // namespace portail::wasm

using namespace portail::wasm;  // NOLINT(google-build-using-namespace): the exports have no namespace

std::uint32_t portail_create(std::uint32_t store, std::uint8_t* settings, std::uint32_t settings_size) {
  return create_portal(store, Buffer(settings, settings_size),
                       [store](portail::Log& log) { return std::make_unique<HostStore>(store, log); });
}

std::uint32_t portail_create_in_folder(std::uint32_t folder, std::uint32_t create, std::uint8_t* name,
                                       std::uint32_t name_size, std::uint8_t* settings, std::uint32_t settings_size) {
  const Buffer path(name, name_size);
  return create_portal(folder, Buffer(settings, settings_size),
                       [&](portail::Log&) { return open_host_folder(folder, std::string(path.view()), create != 0); });
}

std::uint32_t portail_write_in_folder(std::uint32_t folder, std::uint8_t* work, std::uint32_t work_size) {
  return write_in_host_folder(folder, Buffer(work, work_size).view());
}
const std::uint8_t* portail_fault() { return bytes_of(instance().fault); }
std::uint32_t portail_fault_size() { return size_of(instance().fault); }

void portail_dispose(std::uint32_t portal) {
  PortalInstance* const found = instance().portals.find(portal);
  if (!found) return;
  instance().requests.for_each([&](RunningRequest& request) {
    if (&request.portal() == found) end(request);
  });
  instance().portals.erase(portal);
  delete found;
}

std::uint32_t portail_begin(std::uint32_t portal, std::uint8_t* head, std::uint32_t head_size) {
  auto parsed = RequestHead::parse(Buffer(head, head_size));
  PortalInstance* const found = instance().portals.find(portal);
  if (!parsed || !found || !found->accepts_request(heap_in_use())) return 0;
  auto request = std::make_unique<RunningRequest>(*found, std::move(*parsed));
  request->handle = instance().requests.insert(*request);
  if (request->handle == 0) return 0;
  request->start();
  return request.release()->handle;
}

std::uint32_t portail_state(std::uint32_t request) {
  return advance(request, [](RunningRequest&) {});
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
  // A document of the management interface may be larger than the memory.
  if (size > 0 && heap_in_use() > max_heap_for_values) {
    return advance(request, [](RunningRequest& found) { found.fail_body(portail::Failure::cancelled); });
  }
  return advance(request, [&](RunningRequest& found) { found.give_body(std::move(piece)); });
}

std::uint32_t portail_lose_body(std::uint32_t request) {
  return advance(request, [](RunningRequest& found) { found.fail_body(portail::Failure::body_incomplete); });
}
std::uint32_t portail_next(std::uint32_t request) { return advance(request, &RunningRequest::next); }
std::uint32_t portail_expire(std::uint32_t request) { return advance(request, &RunningRequest::expire); }

void portail_end(std::uint32_t request) {
  RunningRequest* const found = instance().requests.find(request);
  if (!found) return;
  PortalInstance& portal = found->portal();
  end(*found);
  portal.after_answer();
}

std::uint32_t portail_complete(std::uint32_t operation, std::uint32_t status, std::uint8_t* result,
                               std::uint32_t result_size) {
  Buffer values(result, result_size);
  Operation* const found = instance().operations.find(operation);
  if (!found) return 0;
  const bool memory_is_full = !values.empty() && heap_in_use() > max_heap_for_values;
  auto outcome = result_of(memory_is_full ? PORTAIL_UNAVAILABLE : status, std::move(values));
  // Called within the import: the request continues after the import has returned.
  if (!found->is_awaited()) {
    found->complete(std::move(outcome));
    return 0;
  }
  Work& work = found->work();
  work.complete(*found, std::move(outcome));
  return work.handle;
}
