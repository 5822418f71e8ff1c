#include "core/base/frame_arena.hpp"

#include <new>
#include <utility>

namespace portail {

FrameArena::~FrameArena() {
  while (chunks_) ::operator delete(std::exchange(chunks_, chunks_->before));
}

void FrameArena::add_chunk() {
  void* const memory = ::operator new(sizeof(Chunk) + next_chunk_);
  chunks_ = ::new (memory) Chunk{chunks_};
  next_ = static_cast<std::byte*>(memory) + sizeof(Chunk);
  left_ = std::exchange(next_chunk_, further_chunk);
}

void* FrameArena::allocate(std::size_t size) {
  if (size > largest_pooled) return ::operator new(size);
  const std::size_t index = (size + granule - 1) / granule - 1;
  if (FreeBlock* block = free_[index]) {
    free_[index] = block->next;
    return block;
  }
  const std::size_t rounded = (index + 1) * granule;
  if (rounded > left_) add_chunk();
  left_ -= rounded;
  return std::exchange(next_, next_ + rounded);
}

void FrameArena::deallocate(void* block, std::size_t size) {
  if (size > largest_pooled) {
    ::operator delete(block);
    return;
  }
  const std::size_t index = (size + granule - 1) / granule - 1;
  free_[index] = ::new (block) FreeBlock{free_[index]};
}

}  // namespace portail
