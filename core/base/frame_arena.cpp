#include "core/base/frame_arena.hpp"

#include <new>

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
  if (used_ + rounded > chunk_size) {
    chunks_.push_back(std::make_unique_for_overwrite<std::byte[]>(chunk_size));
    used_ = 0;
  }
  void* block = chunks_.back().get() + used_;
  used_ += rounded;
  return block;
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
