// Package portail is the API of a customer portal, mail objects and document bundles, as an http.Handler: the WebAssembly module portail.wasm
// by wazero.
package portail

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// The numbers of wasm/abi/portail.h.
const (
	abiVersion = 3

	waiting   = 1
	wantsBody = 2
	answered  = 3
	piece     = 4
	end       = 5

	https             = 1
	forwardingTrusted = 2
	draining          = 4
	hasBody           = 8

	closeAfter = 1
)

// Portal is an http.Handler: one instance of the module with one portal. Any goroutine may call it; one at a time runs in the module, for
// one step of one request.
type Portal struct {
	mutex     sync.Mutex
	changed   *sync.Cond     // the state of a waiting request may have changed
	pending   sync.WaitGroup // requests
	flags     uint32         // of all requests
	closed    bool
	freed     bool
	store     Store      // of New
	folder    folderPath // of NewInFolder
	trusts    func(*http.Request) bool
	runtime   wazero.Runtime
	instance  api.Module
	functions map[string]api.Function
	number    uint64
	streams   []*Request // the one with the longest idle client comes first
}

// Limits of answers in several pieces. Until its last piece, each keeps all its values in the module's memory.
const (
	maxStreams = 8
	minStall   = 5 * time.Second // without a read by the client, before another answer may replace this one
)

// Options of New and NewInFolder. The zero value has the defaults.
type Options struct {
	// Module is used instead of the package's own portail.wasm.
	Module []byte
	// CacheDir keeps the compiled module: the next start takes a thirteenth of the time. Only trusted programs may write to it, because the
	// process runs the code there. Default is none.
	CacheDir string
	// TrustForwarding reports whether X-Forwarded-Proto and Forwarded of a request come from your own proxy (PORTAIL_TRANSPORT=forwarded).
	// Default is never.
	TrustForwarding func(*http.Request) bool
	// Create makes the folder if it is missing, and accepts an empty one. Used by NewInFolder only. Default is false.
	Create bool
}

// New creates a portal over the store. Of `settings`, names without the prefix PORTAIL_ are ignored. The error is one line for the
// operator: a module of another ABI version, or an invalid or misspelt setting.
func New(store Store, settings map[string]string, options Options) (*Portal, error) {
	portal, err := instantiate(&Portal{store: store}, options)
	if err != nil {
		return nil, err
	}
	pointer, size := portal.buffer(appendHeaders(nil, withPrefix(settings)))
	return portal.created(portal.call("create", 1, pointer, size))
}

// NewInFolder is New, but over a folder in the layout of the native program's `dir:` store (docs/reference/stores.md), which other programs
// may use concurrently. A folder that holds no portal is a further error.
func NewInFolder(folder string, settings map[string]string, options Options) (*Portal, error) {
	portal, err := instantiate(&Portal{folder: folderPath(folder)}, options)
	if err != nil {
		return nil, err
	}
	var create uint64
	if options.Create {
		create = 1
	}
	name, nameSize := portal.buffer([]byte(folder))
	pointer, size := portal.buffer(appendHeaders(nil, withPrefix(settings)))
	return portal.created(portal.call("create_in_folder", 1, create, name, nameSize, pointer, size))
}

// created returns the portal with the number that the module returned.
func (portal *Portal) created(number uint64) (*Portal, error) {
	if number == 0 {
		return nil, errors.New(string(portal.view(portal.call("fault"), portal.call("fault_size"))))
	}
	portal.number = number
	return portal, nil
}

// instantiate adds the instance of the module.
func instantiate(portal *Portal, options Options) (*Portal, error) {
	ctx := context.Background()
	compiled := wazero.NewCompilationCache()
	var err error
	if options.CacheDir != "" {
		if compiled, err = wazero.NewCompilationCacheWithDir(options.CacheDir); err != nil {
			return nil, err
		}
	}
	module := options.Module
	if module == nil {
		module = embedded
	}
	engine := wazero.NewRuntimeConfig().WithCompilationCache(compiled)
	portal.trusts, portal.runtime, portal.functions = options.TrustForwarding, wazero.NewRuntimeWithConfig(ctx, engine), map[string]api.Function{}
	portal.changed = sync.NewCond(&portal.mutex)
	if err := portal.defineImports(ctx); err != nil {
		return nil, err
	}
	config := wazero.NewModuleConfig().WithStartFunctions("_initialize")
	if portal.instance, err = portal.runtime.InstantiateWithConfig(ctx, module, config); err != nil {
		return nil, err
	}
	if version := portal.call("abi_version"); version != abiVersion {
		return nil, fmt.Errorf("the module has ABI version %d; this package needs %d", version, abiVersion)
	}
	return portal, nil
}

// Environ returns the settings of the process's environment.
func Environ() map[string]string {
	settings := map[string]string{}
	for _, variable := range os.Environ() {
		name, value, _ := strings.Cut(variable, "=")
		settings[name] = value
	}
	return settings
}

func withPrefix(settings map[string]string) (pairs []Header) {
	for name, value := range settings {
		if strings.HasPrefix(strings.ToUpper(name), "PORTAIL_") {
			pairs = append(pairs, Header{name, value})
		}
	}
	return pairs
}

// Drain makes /health/ready report that the server is shutting down.
func (portal *Portal) Drain() {
	portal.mutex.Lock()
	defer portal.mutex.Unlock()
	portal.flags = draining
}

// Close frees the module when the pending requests have ended. No further request begins.
func (portal *Portal) Close() {
	portal.mutex.Lock()
	portal.closed = true
	portal.mutex.Unlock()
	portal.pending.Wait()
	portal.mutex.Lock()
	portal.freed = true
	portal.mutex.Unlock()
	_ = portal.runtime.Close(context.Background())
}

// Request is one request in the module, until End. State determines the next call.
type Request struct {
	portal *Portal
	number uint64
	State  uint64
	Data   []byte

	idleSince time.Time // the time of the client's last read
	breakOff  func()    // nil if it is not in portal.streams
}

// Header is a name and its value, as received.
type Header struct{ Name, Value string }

// Begin begins a request of its head, for a server of your own. Portal.ServeHTTP is one.
func (portal *Portal) Begin(flags uint32, method, target string, headers []Header) (*Request, error) {
	portal.mutex.Lock()
	defer portal.mutex.Unlock()
	head := binary.LittleEndian.AppendUint32(nil, flags|portal.flags)
	head = appendHeaders(appendText(appendText(head, method), target), headers)
	if portal.closed {
		fmt.Fprintln(os.Stderr, "request refused: the portal is closed")
		return nil, errors.New("the portal is closed")
	}
	pointer, size := portal.buffer(head)
	request := &Request{portal: portal, number: portal.call("begin", portal.number, pointer, size)}
	if request.number == 0 {
		return nil, errors.New("the module takes no request")
	}
	portal.pending.Add(1)
	request.update(portal.call("state", request.number))
	return request, nil
}

// GiveBody passes the next bytes of the body; an empty slice is its end.
func (request *Request) GiveBody(bytes []byte) {
	request.portal.mutex.Lock()
	defer request.portal.mutex.Unlock()
	pointer, size := request.portal.buffer(bytes)
	request.update(request.portal.call("give_body", request.number, pointer, size))
}

// LoseBody reports that the rest of the body cannot be received.
func (request *Request) LoseBody() { request.step("lose_body") }

// Expire reports that the rest of the body has not arrived in time.
func (request *Request) Expire() { request.step("expire") }

// Next advances the answer, after Data was sent.
func (request *Request) Next() {
	request.portal.mutex.Lock()
	defer request.portal.mutex.Unlock()
	if breakOff := request.breakOff; request.removeStream() {
		request.addStream(breakOff)
	}
	request.update(request.portal.call("next", request.number))
}

// Stream reports whether an answer in several pieces may be sent; it is called before the first piece. At the limit, the answer with
// the longest idle client is cut off by its function breakOff; if no client stalls, Stream returns false.
func (request *Request) Stream(breakOff func()) bool {
	portal := request.portal
	portal.mutex.Lock()
	defer portal.mutex.Unlock()
	if len(portal.streams) == maxStreams {
		oldest := portal.streams[0]
		if time.Since(oldest.idleSince) < minStall {
			fmt.Fprintf(os.Stderr, "request refused: %d long answers are being sent\n", maxStreams)
			return false
		}
		oldest.breakOff()
		oldest.removeStream()
		portal.call("end", oldest.number)
	}
	request.addStream(breakOff)
	return true
}

func (request *Request) addStream(breakOff func()) {
	request.idleSince, request.breakOff = time.Now(), breakOff
	request.portal.streams = append(request.portal.streams, request)
}

// removeStream reports whether the request was in portal.streams.
func (request *Request) removeStream() bool {
	request.breakOff = nil
	index := slices.Index(request.portal.streams, request)
	if index >= 0 {
		request.portal.streams = slices.Delete(request.portal.streams, index, index+1)
	}
	return index >= 0
}

// End frees the request, in any state. Before its answer this cancels it. It must be called for every request.
func (request *Request) End() {
	request.portal.mutex.Lock()
	defer request.portal.mutex.Unlock()
	request.removeStream()
	request.portal.call("end", request.number)
	request.portal.pending.Done()
}

// Head decodes the answer's head, in the state answered.
func (request *Request) Head() (status int, closes bool, headers []Header) {
	number := func(index int) uint32 { return binary.LittleEndian.Uint32(request.Data[index:]) }
	parts := texts(request.Data[12:], 2*int(number(8)))
	for i := 0; i < len(parts); i += 2 {
		headers = append(headers, Header{parts[i], parts[i+1]})
	}
	return int(number(0)), number(4)&closeAfter != 0, headers
}

func (request *Request) step(name string) {
	request.portal.mutex.Lock()
	defer request.portal.mutex.Unlock()
	request.update(request.portal.call(name, request.number))
}

// update waits for the request's fetch of keys, if it needs one. It copies the data, which the module keeps only until the next call,
// under the same lock.
func (request *Request) update(state uint64) {
	for state == waiting {
		request.portal.changed.Wait()
		state = request.portal.call("state", request.number)
	}
	request.State, request.Data = state, nil
	if state == answered || state == piece {
		request.Data = bytes.Clone(request.portal.view(request.portal.call("data", request.number), request.portal.call("data_size", request.number)))
	}
}

// call calls an export. It ends the process if the module traps: the instance must not be used afterwards.
func (portal *Portal) call(name string, arguments ...uint64) uint64 {
	function, found := portal.functions[name]
	if !found {
		function = portal.instance.ExportedFunction(name)
		portal.functions[name] = function
	}
	return portal.callFunction(function, arguments...)
}

func (portal *Portal) callFunction(function api.Function, arguments ...uint64) uint64 {
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

// view returns a view of the module's memory, valid until the next call.
func (portal *Portal) view(pointer, size uint64) []byte {
	view, _ := portal.instance.Memory().Read(uint32(pointer), uint32(size))
	return view
}

func appendText[Text string | []byte](to []byte, text Text) []byte {
	return append(binary.LittleEndian.AppendUint32(to, uint32(len(text))), text...)
}

func appendHeaders(to []byte, headers []Header) []byte {
	to = binary.LittleEndian.AppendUint32(to, uint32(len(headers)))
	for _, header := range headers {
		to = appendText(appendText(to, header.Name), header.Value)
	}
	return to
}

// texts decodes `count` texts.
func texts(bytes []byte, count int) []string {
	found := make([]string, count)
	for i := range found {
		size := binary.LittleEndian.Uint32(bytes)
		found[i] = string(bytes[4 : 4+size])
		bytes = bytes[4+size:]
	}
	return found
}
