#include "core/base/frame_arena.hpp"

#include <new>
#include <utility>

namespace portail {

FrameArena::~FrameArena() = default;

void* FrameArena::allocate(std::size_t size) {
  if (size > largest_pooled) return ::operator new(size);
  const std::size_t index = (size + granule - 1) / granule - 1;
  if (FreeBlock* block = free_[index]) {
    free_[index] = block->next;
    return block;
  }
  const std::size_t rounded = (index + 1) * granule;
  if (rounded > left_) {
    left_ = chunks_.empty() ? first_chunk_size : chunk_size;
    next_ = chunks_.emplace_back(std::make_unique_for_overwrite<std::byte[]>(left_)).get();
  }
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
