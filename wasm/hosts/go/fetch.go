package portail

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net/http"
	"time"
)

// The client of key sets. It follows no redirect.
var keyClient = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// fetchDocument returns the result of the module's operation "fetch": the status and at most `limit` bytes of the body; or 0 and why there
// is no answer.
func fetchDocument(url string, limit int64, timeout time.Duration) []byte {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	status, body, err := get(ctx, url, limit)
	if errors.Is(err, context.DeadlineExceeded) {
		err = errors.New("timed out")
	}
	if err != nil {
		status, body = 0, []byte(err.Error())
	}
	return append(binary.LittleEndian.AppendUint32(nil, uint32(status)), body...)
}

func get(ctx context.Context, url string, limit int64) (status int, body []byte, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Accept", "application/json")
	answer, err := keyClient.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode == http.StatusOK {
		body, err = io.ReadAll(io.LimitReader(answer.Body, limit))
	}
	return answer.StatusCode, body, err
}
