// Serves the portal of a folder, by the package portail.
package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"portail.invalid/portail"
)

const drainTimeout = 10 * time.Second // for pending requests when the server stops

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "address and port; port 0 is any free one")
	cache := flag.String("cache", "", "a folder for the compiled module, whose writers are trusted; none: it is compiled at each start")
	folder := flag.String("store", "", "a folder")
	flag.Parse()
	if err := serve(*listen, *cache, *folder); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(listen, cache, folder string) error {
	portal, err := portail.NewInFolder(folder, portail.Environ(), portail.Options{CacheDir: cache, TrustForwarding: isOnThisMachine})
	if err != nil {
		return err
	}
	defer portal.Close()
	listener, err := net.Listen("tcp4", listen)
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler:        portal,
		ReadTimeout:    30 * time.Second,
		WriteTimeout:   2 * time.Minute,
		MaxHeaderBytes: 32 * 1024,
	}
	signaled, stopNotify := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stopNotify()
	ended := make(chan error, 1)
	go func() { ended <- portail.Serve(server, listener) }()
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

// A peer on this machine is regarded as the operator's proxy.
func isOnThisMachine(request *http.Request) bool {
	host, _, _ := net.SplitHostPort(request.RemoteAddr)
	return net.ParseIP(host).IsLoopback()
}
