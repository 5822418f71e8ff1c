package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// The numbers of wasm/abi/portail.h.
const (
	abiVersion = 1
	absent     = 0xFFFFFFFF

	done        = 0
	different   = 1
	unavailable = 2
	corrupt     = 3

	wantsBody = 2
	answered  = 3
	piece     = 4
	end       = 5

	forwardingTrusted = 2
	draining          = 4
	hasBody           = 8

	closeAfter = 1
)

// Portal is one instance of the module with one portal over a store. Any goroutine may call; one at a time is inside the
// module, for one step of one request.
type Portal struct {
	mutex     sync.Mutex
	underWay  sync.WaitGroup // requests
	flags     uint32         // of every request
	closed    bool
	store     *FolderStore
	runtime   wazero.Runtime
	instance  api.Module
	functions map[string]api.Function
	number    uint64
	streams   []*Request // the one whose client has taken nothing for longest first
}

// Answers of several pieces that are sent at a time. Until its last piece, each holds in the module all values that it is made of.
const (
	maxStreams = 8
	minStall   = 5 * time.Second // for which a client has taken nothing, before another answer may have its room
)

// NewPortal makes the portal. What the module was compiled to is kept in the folder `cache`, if that is not empty, and found
// there the next time. The error is for the operator: a module of another ABI version, settings that make no sense.
func NewPortal(ctx context.Context, module []byte, cache string, store *FolderStore, settings []Header) (*Portal, error) {
	compiled := wazero.NewCompilationCache()
	var err error
	if cache != "" {
		if compiled, err = wazero.NewCompilationCacheWithDir(cache); err != nil {
			return nil, err
		}
	}
	engine := wazero.NewRuntimeConfig().WithCompilationCache(compiled)
	portal := &Portal{store: store, runtime: wazero.NewRuntimeWithConfig(ctx, engine), functions: map[string]api.Function{}}
	if err := portal.defineImports(ctx); err != nil {
		return nil, err
	}
	config := wazero.NewModuleConfig().WithStartFunctions("_initialize")
	if portal.instance, err = portal.runtime.InstantiateWithConfig(ctx, module, config); err != nil {
		return nil, err
	}
	if version := portal.call("abi_version"); version != abiVersion {
		return nil, fmt.Errorf("the module has ABI version %d, and this program knows %d", version, abiVersion)
	}
	pointer, size := portal.buffer(appendHeaders(nil, settings))
	if portal.number = portal.call("create", 1, pointer, size); portal.number == 0 {
		return nil, errors.New(string(portal.view(portal.call("fault"), portal.call("fault_size"))))
	}
	return portal, nil
}

// Drain says that the server stops, which /health/ready then tells.
func (portal *Portal) Drain() {
	portal.mutex.Lock()
	defer portal.mutex.Unlock()
	portal.flags = draining
}

// Close frees the module when the requests under way have ended. None begins any more.
func (portal *Portal) Close() {
	portal.mutex.Lock()
	portal.closed = true
	portal.mutex.Unlock()
	portal.underWay.Wait()
	_ = portal.runtime.Close(context.Background())
}

// Request is one request inside the module, until End. State says what it wants next.
type Request struct {
	portal *Portal
	number uint64
	State  uint64
	Data   []byte

	waitsSince time.Time // for its client
	breakOff   func()    // nil where it is none of portal.streams
}

// Header is a name and its value, as received.
type Header struct{ Name, Value string }

func (portal *Portal) Begin(flags uint32, method, target string, headers []Header) (*Request, error) {
	portal.mutex.Lock()
	defer portal.mutex.Unlock()
	head := binary.LittleEndian.AppendUint32(nil, flags|portal.flags)
	head = appendHeaders(appendText(appendText(head, method), target), headers)
	if portal.closed {
		return nil, errors.New("the portal is closed")
	}
	pointer, size := portal.buffer(head)
	request := &Request{portal: portal, number: portal.call("begin", portal.number, pointer, size)}
	if request.number == 0 {
		return nil, errors.New("the module takes no request")
	}
	portal.underWay.Add(1)
	request.look(portal.call("state", request.number))
	return request, nil
}

// GiveBody hands over the next bytes of the body; none is its end.
func (request *Request) GiveBody(bytes []byte) {
	request.portal.mutex.Lock()
	defer request.portal.mutex.Unlock()
	pointer, size := request.portal.buffer(bytes)
	request.look(request.portal.call("give_body", request.number, pointer, size))
}

func (request *Request) LoseBody() { request.step("lose_body") }

// Next is called when the client has taken what was shown.
func (request *Request) Next() {
	request.portal.mutex.Lock()
	defer request.portal.mutex.Unlock()
	if breakOff := request.breakOff; request.leaveStreams() {
		request.joinStreams(breakOff)
	}
	request.look(request.portal.call("next", request.number))
}

// Stream is for an answer of several pieces, before the first is sent. If as many are under way as may be, the one whose client
// has taken nothing for longest is broken off, by the function that it gave here; if none of them stalls, Stream returns false.
func (request *Request) Stream(breakOff func()) bool {
	portal := request.portal
	portal.mutex.Lock()
	defer portal.mutex.Unlock()
	if len(portal.streams) == maxStreams {
		oldest := portal.streams[0]
		if time.Since(oldest.waitsSince) < minStall {
			return false
		}
		oldest.breakOff()
		oldest.leaveStreams()
		portal.call("end", oldest.number)
	}
	request.joinStreams(breakOff)
	return true
}

func (request *Request) joinStreams(breakOff func()) {
	request.waitsSince, request.breakOff = time.Now(), breakOff
	request.portal.streams = append(request.portal.streams, request)
}

// leaveStreams reports whether it was one of them.
func (request *Request) leaveStreams() bool {
	request.breakOff = nil
	at := slices.Index(request.portal.streams, request)
	if at >= 0 {
		request.portal.streams = slices.Delete(request.portal.streams, at, at+1)
	}
	return at >= 0
}

// End is for every request, at any time: before its answer it is cancelled.
func (request *Request) End() {
	request.portal.mutex.Lock()
	defer request.portal.mutex.Unlock()
	request.leaveStreams()
	request.portal.call("end", request.number)
	request.portal.underWay.Done()
}

// Head is the answer's, in the state answered.
func (request *Request) Head() (status int, closes bool, headers []Header) {
	number := func(at int) uint32 { return binary.LittleEndian.Uint32(request.Data[at:]) }
	parts := texts(request.Data[12:], 2*int(number(8)))
	for i := 0; i < len(parts); i += 2 {
		headers = append(headers, Header{parts[i], parts[i+1]})
	}
	return int(number(0)), number(4)&closeAfter != 0, headers
}

func (request *Request) step(name string) {
	request.portal.mutex.Lock()
	defer request.portal.mutex.Unlock()
	request.look(request.portal.call(name, request.number))
}

// What the module shows is its own until the next call: the data is copied here, under the same lock.
func (request *Request) look(state uint64) {
	request.State, request.Data = state, nil
	if state == answered || state == piece {
		request.Data = bytes.Clone(request.portal.view(request.portal.call("data", request.number), request.portal.call("data_size", request.number)))
	}
}

// call ends the process where the module traps: the instance is then of no use any more.
func (portal *Portal) call(name string, arguments ...uint64) uint64 {
	function, known := portal.functions[name]
	if !known {
		function = portal.instance.ExportedFunction(name)
		portal.functions[name] = function
	}
	results, err := function.Call(context.Background(), arguments...)
	if err != nil {
		fmt.Fprintln(os.Stderr, "the module ended:", err)
		os.Exit(1)
	}
	if len(results) == 0 {
		return 0
	}
	return results[0]
}

func (portal *Portal) buffer(bytes []byte) (pointer, size uint64) {
	if len(bytes) == 0 {
		return 0, 0
	}
	pointer = portal.call("allocate", uint64(len(bytes)))
	portal.instance.Memory().Write(uint32(pointer), bytes)
	return pointer, uint64(len(bytes))
}

// view is the module's memory itself: what it shows is to be copied before the next call.
func (portal *Portal) view(pointer, size uint64) []byte {
	view, _ := portal.instance.Memory().Read(uint32(pointer), uint32(size))
	return view
}

// text is at the pointer that these arguments begin with, of the size that follows.
func (portal *Portal) text(arguments []uint64) string {
	return string(portal.view(arguments[0], arguments[1]))
}

// The imports. The store answers at once, so each completes its operation before it returns.
func (portal *Portal) defineImports(ctx context.Context) error {
	builder := portal.runtime.NewHostModuleBuilder("portail")
	// The stack has the arguments, and takes the result. WithFunc would spare that, and look at the function's type at each call.
	define := func(name string, parameters int, function func(stack []uint64), results ...api.ValueType) {
		called := api.GoFunc(func(_ context.Context, stack []uint64) { function(stack) })
		numbers := slices.Repeat([]api.ValueType{api.ValueTypeI32}, parameters)
		builder.NewFunctionBuilder().WithGoFunction(called, numbers, results).Export(name)
	}

	define("get_many", 4, func(stack []uint64) {
		operation, list := stack[1], portal.view(stack[2], stack[3])
		keys := texts(list[4:], int(binary.LittleEndian.Uint32(list)))
		values, size := make([][]byte, len(keys)), 4
		for i, key := range keys {
			var err error
			if values[i], err = portal.store.Get(key); err != nil {
				portal.complete(operation, done, err, nil)
				return
			}
			size += 4 + len(values[i])
		}
		// Written where the module takes them: a copy of a long list's values is as large as all that its answer holds.
		pointer := portal.call("allocate", uint64(size))
		to := binary.LittleEndian.AppendUint32(portal.view(pointer, uint64(size))[:0], uint32(len(keys)))
		for _, value := range values {
			if value == nil {
				to = binary.LittleEndian.AppendUint32(to, absent)
			} else {
				to = append(binary.LittleEndian.AppendUint32(to, uint32(len(value))), value...)
			}
		}
		portal.call("complete", operation, done, pointer, uint64(size))
	})
	define("put", 6, func(stack []uint64) {
		err := portal.store.Put(portal.text(stack[2:]), portal.view(stack[4], stack[5]))
		portal.complete(stack[1], done, err, nil)
	})
	define("remove", 4, func(stack []uint64) {
		portal.complete(stack[1], done, portal.store.Remove(portal.text(stack[2:])), nil)
	})
	define("compare_and_swap", 8, func(stack []uint64) {
		operation := stack[1]
		var before []byte
		if uint32(stack[5]) != absent {
			before = portal.view(stack[4], stack[5])
		}
		// One goroutine at a time is here, so this program does not write in between.
		swapped, err := portal.store.CompareAndSwap(portal.text(stack[2:]), before, portal.view(stack[6], stack[7]))
		if err == nil && !swapped {
			portal.complete(operation, different, nil, nil)
			return
		}
		portal.complete(operation, done, err, nil)
	})
	define("now", 0, func(stack []uint64) { stack[0] = uint64(time.Now().UnixMicro()) }, api.ValueTypeI64)
	define("random", 2, func(stack []uint64) { _, _ = rand.Read(portal.view(stack[0], stack[1])) }) // it never fails
	define("log", 5, func(stack []uint64) {
		fmt.Fprintf(os.Stderr, "%s: %s\n", portal.text(stack[1:]), portal.text(stack[3:]))
	})
	_, err := builder.Instantiate(ctx)
	return err
}

func (portal *Portal) complete(operation, status uint64, err error, result []byte) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "store:", err)
		if status = unavailable; errors.Is(err, ErrDamaged) {
			status = corrupt
		}
	}
	pointer, size := portal.buffer(result)
	portal.call("complete", operation, status, pointer, size)
}

func appendText(to []byte, text string) []byte {
	return append(binary.LittleEndian.AppendUint32(to, uint32(len(text))), text...)
}

func appendHeaders(to []byte, headers []Header) []byte {
	to = binary.LittleEndian.AppendUint32(to, uint32(len(headers)))
	for _, header := range headers {
		to = appendText(appendText(to, header.Name), header.Value)
	}
	return to
}

// texts decodes `count` of them.
func texts(bytes []byte, count int) []string {
	found := make([]string, count)
	for i := range found {
		size := binary.LittleEndian.Uint32(bytes)
		found[i] = string(bytes[4 : 4+size])
		bytes = bytes[4+size:]
	}
	return found
}
