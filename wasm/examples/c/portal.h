// portail.wasm, translated to C by wasm2c, over a FolderStore. One thread. The states and flags are those of
// wasm/abi/portail.h. If the module traps, the process ends with a line on standard error.
#ifndef PORTAL_H
#define PORTAL_H

#include "bytes.h"
#include "folder_store.h"

typedef struct Portal Portal;

// Creates the portal; once for each process. `settings` are encoded: a count, texts. On failure returns null, and
// prints the reason on standard error.
Portal* portal_create(FolderStore* store, const Bytes* settings);

// Frees the module. Must be called after the last request.
void portal_free(Portal* portal);

// Continues the fetches of keys and the requests that wait for them, whose states may change. Must be called often
// while it returns true: there are such fetches.
int portal_run(Portal* portal);

// Creates a request from its encoded head; returns 0 if the module refuses it. The calls below return its new state.
uint32_t portal_begin(Portal* portal, const Bytes* head);
uint32_t portal_state(Portal* portal, uint32_t request);
uint32_t portal_give_body(Portal* portal, uint32_t request, const void* bytes, size_t size);
uint32_t portal_next(Portal* portal, uint32_t request);
void portal_end(Portal* portal, uint32_t request);

// Returns the request's data, valid until the next call.
Text portal_data(Portal* portal, uint32_t request);

#endif
