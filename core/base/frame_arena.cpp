#include "core/base/frame_arena.hpp"

#include <new>
#include <utility>

namespace portail {

FrameArena::~FrameArena() {
  while (last_chunk_) ::operator delete(std::exchange(last_chunk_, last_chunk_->previous));
}

void FrameArena::add_chunk() {
  void* const memory = ::operator new(sizeof(Chunk) + next_chunk_size_);
  last_chunk_ = ::new (memory) Chunk{last_chunk_};
  next_ = static_cast<std::byte*>(memory) + sizeof(Chunk);
  remaining_ = std::exchange(next_chunk_size_, later_chunk_size);
}

void* FrameArena::allocate(std::size_t size) {
  if (size > max_pooled_size) return ::operator new(size);
  const std::size_t index = (size + granule - 1) / granule - 1;
  if (FreeBlock* block = free_[index]) {
    free_[index] = block->next;
    return block;
  }
  const std::size_t rounded = (index + 1) * granule;
  if (rounded > remaining_) add_chunk();
  remaining_ -= rounded;
  return std::exchange(next_, next_ + rounded);
}

void FrameArena::deallocate(void* block, std::size_t size) {
  if (size > max_pooled_size) {
    ::operator delete(block);
    return;
  }
  const std::size_t index = (size + granule - 1) / granule - 1;
  free_[index] = ::new (block) FreeBlock{free_[index]};
}

}  // namespace portail
