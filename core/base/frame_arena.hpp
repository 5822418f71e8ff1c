// An allocator for the coroutine frames of one request. Blocks are reused by size; the heap memory is freed with the
// arena. An arena serves one request at a time, on one thread at a time.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>

namespace portail {

class FrameArena {
 public:
  // The bytes of the first chunk from the heap: for a request's frames, or for those of an idle connection.
  static constexpr std::size_t request_chunk_size = 16 * 1024;
  static constexpr std::size_t idle_connection_chunk_size = 4 * 1024;

  explicit FrameArena(std::size_t first_chunk = request_chunk_size) : next_chunk_size_(first_chunk) {}
  FrameArena(const FrameArena&) = delete;
  FrameArena& operator=(const FrameArena&) = delete;
  ~FrameArena();

  // Returns `size` bytes aligned for any frame, valid until deallocated or until the arena is destroyed. Out of memory
  // traps.
  void* allocate(std::size_t size);
  // `block` must be from allocate(size) of this arena.
  void deallocate(void* block, std::size_t size);

 private:
  static constexpr std::size_t granule = 64;
  static constexpr std::size_t max_pooled_size = 4096;
  static constexpr std::size_t later_chunk_size = 16 * 1024;
  struct FreeBlock {
    FreeBlock* next;
  };
  // The header of a chunk.
  struct alignas(std::max_align_t) Chunk {
    Chunk* previous;
  };
  void add_chunk();

  std::array<FreeBlock*, max_pooled_size / granule> free_{};
  Chunk* last_chunk_ = nullptr;
  std::byte* next_ = nullptr;    // the first free byte of last_chunk_
  std::size_t remaining_ = 0;    // bytes from next_
  std::size_t next_chunk_size_;  // bytes
};

// A parameter with a frame arena; the first such parameter of a coroutine determines where its frame is allocated.
template <class T>
concept HasFrameArena = requires(T& t) {
  { t.frames } -> std::convertible_to<FrameArena&>;
};

}  // namespace portail
