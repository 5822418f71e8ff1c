// The module's operations fetch and pause, by libcurl, without blocking. One thread.
#ifndef KEY_FETCH_H
#define KEY_FETCH_H

#include "bytes.h"

// Receives the result of an operation.
typedef void CompleteOperation(void* context, uint32_t operation, const Bytes* result);

// Starts a GET that follows no redirect. Its result is the status and at most `limit` bytes of the body; or 0 and why
// there is no answer.
void key_fetch_start(uint32_t operation, Text url, size_t limit, uint32_t milliseconds);

// Starts a pause. Its result is empty.
void key_fetch_pause(uint32_t operation, uint32_t milliseconds);

// Continues all, and completes those that have ended.
void key_fetch_run(CompleteOperation* complete, void* context);

// Returns the number of operations that have not ended.
unsigned key_fetch_pending(void);

#endif
