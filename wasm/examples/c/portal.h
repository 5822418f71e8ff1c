// portail.wasm, turned into C by wasm2c, over a FolderStore. One thread. The states and flags are those of
// wasm/abi/portail.h. Where the module traps, the process ends with a line on standard error.
#ifndef PORTAL_H
#define PORTAL_H

#include "bytes.h"
#include "folder_store.h"

typedef struct Portal Portal;

// `settings` are encoded: a count, texts. Null where there is a fault, which is then on standard error. One a process.
Portal* portal_create(FolderStore* store, const Bytes* settings);

// Frees the module, after the last request.
void portal_free(Portal* portal);

// A request, whose head is encoded; 0 where the module takes none. Each call below returns its new state.
uint32_t portal_begin(Portal* portal, const Bytes* head);
uint32_t portal_state(Portal* portal, uint32_t request);
uint32_t portal_give_body(Portal* portal, uint32_t request, const void* bytes, size_t size);
uint32_t portal_next(Portal* portal, uint32_t request);
void portal_end(Portal* portal, uint32_t request);

// What the request shows, until the next call.
Text portal_data(Portal* portal, uint32_t request);

#endif
