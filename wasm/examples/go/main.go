// Serves HTTP with portail.wasm embedded: wazero, net/http, a store in a folder.
package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

const drainTimeout = 10 * time.Second // for pending requests when the server stops

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "address and port; port 0 is any free one")
	module := flag.String("module", "portail.wasm", "the module")
	cache := flag.String("cache", "", "a folder for the compiled module, whose writers are trusted; none: it is compiled at each start")
	folder := flag.String("store", "", "a folder")
	flag.Parse()
	if err := serve(*listen, *module, *cache, *folder); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(listen, module, cache, folder string) error {
	store, err := OpenFolderStore(folder)
	if err != nil {
		return err
	}
	bytes, err := os.ReadFile(module)
	if err != nil {
		return err
	}
	portal, err := NewPortal(context.Background(), bytes, cache, store, settings())
	if err != nil {
		return err
	}
	defer portal.Close()
	listener, err := net.Listen("tcp4", listen)
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler:        Handler{portal},
		ConnState:      watchState,
		ReadTimeout:    30 * time.Second,
		WriteTimeout:   2 * time.Minute,
		MaxHeaderBytes: 32 * 1024,
	}
	signaled, stopNotify := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stopNotify()
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(targetListener{listener}) }()
	fmt.Printf("Serving HTTP on http://%s/\n", listener.Addr())
	select {
	case err := <-ended:
		return err
	case <-signaled.Done():
		stopNotify() // a second signal ends the process immediately
	}
	portal.Drain()
	drainContext, cancel := context.WithTimeout(context.Background(), drainTimeout)
	defer cancel()
	if server.Shutdown(drainContext) != nil {
		_ = server.Close() // closes the remaining connections
	}
	return nil
}

func settings() (settings []Header) {
	for _, variable := range os.Environ() {
		if name, value, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "PORTAIL_") {
			settings = append(settings, Header{name, value})
		}
	}
	return settings
}
