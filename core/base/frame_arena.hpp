// Where the coroutine frames of one request live: blocks are reused by size and given back together with the arena.
// One arena serves one request at a time, from one thread at a time.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>

namespace portail {

class FrameArena {
 public:
  // How much it takes from the heap at first: a request's frames, or those of a connection that waits for one.
  static constexpr std::size_t of_a_request = 16 * 1024;
  static constexpr std::size_t of_a_waiting_connection = 4 * 1024;

  explicit FrameArena(std::size_t first_chunk = of_a_request) : next_chunk_(first_chunk) {}
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
  static constexpr std::size_t further_chunk = 16 * 1024;
  struct FreeBlock {
    FreeBlock* next;
  };
  // What stands before the blocks of a chunk.
  struct alignas(std::max_align_t) Chunk {
    Chunk* before;
  };
  void add_chunk();

  std::array<FreeBlock*, largest_pooled / granule> free_{};
  Chunk* chunks_ = nullptr;    // the last one
  std::byte* next_ = nullptr;  // in it
  std::size_t left_ = 0;       // bytes from there
  std::size_t next_chunk_;     // bytes
};

// A parameter that can say where frames live; the first such parameter of a coroutine decides.
template <class T>
concept CarriesFrames = requires(T& t) {
  { t.frames } -> std::convertible_to<FrameArena&>;
};

}  // namespace portail
