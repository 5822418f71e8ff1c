// Where the coroutine frames of one request live: blocks are reused by size and given back together with the arena.
// One arena serves one request at a time, from one thread at a time.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <memory>
#include <vector>

namespace portail {

class FrameArena {
 public:
  FrameArena() = default;
  FrameArena(const FrameArena&) = delete;
  FrameArena& operator=(const FrameArena&) = delete;
  ~FrameArena();

  // `size` bytes aligned for any frame, valid until given back or until the arena ends. Out of memory traps.
  void* allocate(std::size_t size);
  // `block` came from allocate(size) of this arena.
  void deallocate(void* block, std::size_t size);

 private:
  static constexpr std::size_t granule = 64;
  static constexpr std::size_t largest_pooled = 4096;
  static constexpr std::size_t first_chunk_size = 4 * 1024;  // enough for a connection that waits
  static constexpr std::size_t chunk_size = 16 * 1024;
  struct FreeBlock {
    FreeBlock* next;
  };

  std::array<FreeBlock*, largest_pooled / granule> free_{};
  std::vector<std::unique_ptr<std::byte[]>> chunks_;
  std::byte* next_ = nullptr;  // in the last chunk
  std::size_t left_ = 0;       // bytes from there
};

// A parameter that can say where frames live; the first such parameter of a coroutine decides.
template <class T>
concept CarriesFrames = requires(T& t) {
  { t.frames } -> std::convertible_to<FrameArena&>;
};

}  // namespace portail
