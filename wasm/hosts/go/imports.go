package portail

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/tetratelabs/wazero/api"
)

// The numbers of operations in wasm/abi/portail.h.
const (
	absent = 0xFFFFFFFF

	done        = 0
	different   = 1
	unavailable = 2
	corrupt     = 3
)

var started = time.Now() // which has a monotonic reading

// defineImports defines the module's imports (wasm/abi/portail.h). Stores and folders are synchronous: each of their operations is completed
// before its import returns. An api.Function must not be called within its own call. Imports run within the call of an export, and call only
// allocate, write_in_folder and complete; imports of files call none. completeLater calls complete by a function of its own, because that call
// may make imports.
func (portal *Portal) defineImports(ctx context.Context) error {
	builder := portal.runtime.NewHostModuleBuilder("portail")
	// The stack has the arguments, and receives the result. WithFunc would be simpler, but uses reflection at each call.
	define := func(name string, parameters []api.ValueType, function func(stack []uint64), results ...api.ValueType) {
		called := api.GoFunc(func(_ context.Context, stack []uint64) { function(stack) })
		builder.NewFunctionBuilder().WithGoFunction(called, parameters, results).Export(name)
	}
	numbers := func(count int) []api.ValueType { return slices.Repeat([]api.ValueType{api.ValueTypeI32}, count) }

	define("get_many", numbers(4), func(stack []uint64) {
		operation, list := stack[1], portal.view(stack[2], stack[3])
		values, err := portal.store.GetMany(texts(list[4:], int(binary.LittleEndian.Uint32(list))))
		if err != nil {
			portal.complete(operation, done, err)
			return
		}
		size := 4
		for _, value := range values {
			size += 4 + len(value)
		}
		// Written into the module's memory directly, to avoid a copy of the values, which may be large.
		pointer := portal.call("allocate", uint64(size))
		to := binary.LittleEndian.AppendUint32(portal.view(pointer, uint64(size))[:0], uint32(len(values)))
		for _, value := range values {
			if value == nil {
				to = binary.LittleEndian.AppendUint32(to, absent)
			} else {
				to = appendText(to, value)
			}
		}
		portal.call("complete", operation, done, pointer, uint64(size))
	})
	define("put", numbers(6), func(stack []uint64) {
		err := portal.store.Put(portal.text(stack[2:]), bytes.Clone(portal.view(stack[4], stack[5])))
		portal.complete(stack[1], done, err)
	})
	define("remove", numbers(4), func(stack []uint64) {
		portal.complete(stack[1], done, portal.store.Remove(portal.text(stack[2:])))
	})
	define("compare_and_swap", numbers(8), func(stack []uint64) {
		var before []byte
		if uint32(stack[5]) != absent {
			before = portal.view(stack[4], stack[5])
		}
		swapped, err := portal.store.CompareAndSwap(portal.text(stack[2:]), before, bytes.Clone(portal.view(stack[6], stack[7])))
		status := uint64(done)
		if !swapped {
			status = different
		}
		portal.complete(stack[1], status, err)
	})
	define("fetch", numbers(6), func(stack []uint64) {
		operation, url, limit := stack[1], portal.text(stack[2:]), int64(uint32(stack[4]))
		timeout := time.Duration(uint32(stack[5])) * time.Millisecond
		go func() { portal.completeLater(operation, fetchDocument(url, limit, timeout)) }()
	})
	define("pause", numbers(2), func(stack []uint64) {
		operation := stack[0]
		time.AfterFunc(time.Duration(uint32(stack[1]))*time.Millisecond, func() { portal.completeLater(operation, nil) })
	})
	define("now", numbers(0), func(stack []uint64) { stack[0] = uint64(time.Now().UnixMicro()) }, api.ValueTypeI64)
	define("monotonic", numbers(0), func(stack []uint64) { stack[0] = uint64(time.Since(started).Microseconds()) }, api.ValueTypeI64)
	define("random", numbers(2), func(stack []uint64) { _, _ = rand.Read(portal.view(stack[0], stack[1])) }) // it never fails
	define("log", numbers(5), func(stack []uint64) {
		event, detail := portal.text(stack[1:]), portal.text(stack[3:])
		if event == "access" { // detail is the whole line
			fmt.Fprintln(os.Stderr, detail)
		} else {
			fmt.Fprintf(os.Stderr, "%s: %s\n", event, detail)
		}
	})

	defineFile := func(name string, parameters []api.ValueType, function func(path string, stack []uint64) (int, error)) {
		define(name, parameters, func(stack []uint64) {
			size, err := function(portal.text(stack[1:]), stack)
			stack[0] = api.EncodeI32(resultOf(name, size, err))
		}, api.ValueTypeI32)
	}
	defineFile("file_status", numbers(4), func(path string, stack []uint64) (int, error) {
		return 0, portal.folder.status(path, portal.view(stack[3], fileInfoSize))
	})
	defineFile("file_read", numbers(5), func(path string, stack []uint64) (int, error) {
		return portal.folder.read(path, portal.view(stack[3], stack[4]))
	})
	withLength := append(numbers(5), api.ValueTypeI64, api.ValueTypeI32)
	defineFile("file_create", withLength, func(path string, stack []uint64) (int, error) {
		return 0, portal.folder.create(path, portal.view(stack[3], stack[4]), stack[5], uint32(stack[6]) != 0)
	})
	defineFile("file_make_folder", numbers(3), func(path string, _ []uint64) (int, error) {
		return 0, portal.folder.makeFolder(path)
	})
	defineFile("file_rename", numbers(5), func(path string, stack []uint64) (int, error) {
		return 0, portal.folder.rename(path, portal.text(stack[3:]))
	})
	defineFile("file_remove", numbers(4), func(path string, stack []uint64) (int, error) {
		return 0, portal.folder.remove(path, uint32(stack[3]) != 0)
	})
	defineFile("file_list", numbers(5), func(path string, stack []uint64) (int, error) {
		return portal.folder.list(path, portal.view(stack[3], stack[4]))
	})
	defineFile("file_sync", numbers(3), func(path string, _ []uint64) (int, error) { return 0, portal.folder.sync(path) })
	define("wait", numbers(1), func(stack []uint64) { time.Sleep(time.Duration(uint32(stack[0])) * time.Millisecond) })
	define("write", numbers(4), func(stack []uint64) {
		folder, operation := stack[0], stack[1]
		pointer, size := portal.buffer(bytes.Clone(portal.view(stack[2], stack[3])))
		portal.complete(operation, portal.call("write_in_folder", folder, pointer, size), nil)
	})
	_, err := builder.Instantiate(ctx)
	return err
}

// text returns the text whose pointer and size are the first two arguments.
func (portal *Portal) text(arguments []uint64) string {
	return string(portal.view(arguments[0], arguments[1]))
}

// complete completes an operation without values, before its import returns. An error of the store replaces the status.
func (portal *Portal) complete(operation, status uint64, err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "store:", err)
		if status = unavailable; errors.Is(err, ErrDamaged) {
			status = corrupt
		}
	}
	portal.call("complete", operation, status, 0, 0)
}

// completeLater completes an operation after its import has returned, in any goroutine.
func (portal *Portal) completeLater(operation uint64, result []byte) {
	portal.mutex.Lock()
	defer portal.mutex.Unlock()
	if portal.freed {
		return
	}
	pointer, size := portal.buffer(result)
	// The call may make imports, which call complete: an api.Function must not be called within its own call.
	portal.callFunction(portal.instance.ExportedFunction("complete"), operation, done, pointer, size)
	portal.changed.Broadcast()
}
