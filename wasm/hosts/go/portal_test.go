package portail

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

var settings = map[string]string{"PORTAIL_ISSUER": "https://identity.example/", "PORTAIL_AUDIENCE": "portail", "PATH": "/bin",
	"PORTAIL_PORT": "tcp://10.0.0.1:8443"} // a link of Kubernetes

func with(name, value string) map[string]string {
	changed := map[string]string{name: value}
	for each, old := range settings {
		changed[each] = old
	}
	return changed
}

func start(t *testing.T, store Store) *Portal {
	t.Helper()
	portal, err := New(store, settings, Options{CacheDir: cache})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(portal.Close)
	return portal
}

var cache string

func TestMain(m *testing.M) {
	// One compilation for all portals.
	cache, _ = os.MkdirTemp("", "portail-go-")
	code := m.Run()
	_ = os.RemoveAll(cache)
	os.Exit(code)
}

func ask(portal http.Handler, target string) (int, string) {
	request := httptest.NewRequest(http.MethodGet, "https://portal.example/", nil)
	request.RequestURI = target
	response := httptest.NewRecorder()
	portal.ServeHTTP(response, request)
	body, _ := io.ReadAll(response.Body)
	return response.Code, string(body)
}

func expect(t *testing.T, found, expected any) {
	t.Helper()
	if found != expected {
		t.Errorf("found %v, expected %v", found, expected)
	}
}

func TestAnswers(t *testing.T) {
	portal := start(t, &MemoryStore{})
	status, body := ask(portal, "/health/live")
	expect(t, status, 200)
	expect(t, body, `{"status":"Healthy","parts":{}}`)
	status, body = ask(portal, "/health/ready")
	expect(t, status, 503)
	expect(t, body, `{"status":"Unhealthy","parts":{"store":"Healthy","keys":"Unhealthy"}}`)
	status, _ = ask(portal, "/api/app/liasse")
	expect(t, status, 401)
	status, _ = ask(portal, "/%zz")
	expect(t, status, 400)
}

func TestMalformedEscapesOfPathsAreReplaced(t *testing.T) {
	for line, expected := range map[string]string{
		"GET /%zz HTTP/1.1\r\n":             "GET /%00zz HTTP/1.1\r\n",
		"GET HTTP://host/%zz HTTP/1.1\r\n":  "GET HTTP://host/%00zz HTTP/1.1\r\n",
		"GET http://host/?%zz HTTP/1.1\r\n": "GET http://host/?%zz HTTP/1.1\r\n",
		"%zz\r\n":                           "%zz\r\n",
	} {
		expect(t, string(repaired([]byte(line))), expected)
	}
}

func TestAClosedPortalTakesNoRequest(t *testing.T) {
	portal, err := New(&MemoryStore{}, settings, Options{CacheDir: cache})
	expect(t, err, nil)
	portal.Close()
	status, _ := ask(portal, "/health/live")
	expect(t, status, 503)
}

type failingStore struct{ MemoryStore }

func (*failingStore) GetMany([]string) ([][]byte, error) { return nil, errors.New("no disk") }

func TestAStoreThatFails(t *testing.T) {
	status, body := ask(start(t, &failingStore{}), "/health/ready")
	expect(t, status, 503)
	expect(t, body, `{"status":"Unhealthy","parts":{"store":"Unhealthy","keys":"Unhealthy"}}`)
}

func TestFaultsOfSettingsAreOneLine(t *testing.T) {
	for _, each := range []struct {
		settings map[string]string
		expected string
	}{
		{nil, "no issuer: set PORTAIL_ISSUER to the iss of the tokens"},
		{with("PORTAIL_TENNANT", "a"), "unknown setting PORTAIL_TENNANT; did you mean PORTAIL_TENANT?"},
		{with("PORTAIL_LEEWAY", "soon"), "PORTAIL_LEEWAY must be 0 to 300 seconds, not soon"},
	} {
		_, err := New(&MemoryStore{}, each.settings, Options{CacheDir: cache})
		if err == nil {
			t.Fatal("no error")
		}
		expect(t, err.Error(), each.expected)
	}
}

func TestAModuleOfAnotherVersionIsRefused(t *testing.T) {
	// It exports a memory, _initialize, and abi_version, which returns 4.
	module := "\x00asm\x01\x00\x00\x00" + "\x01\x08\x02\x60\x00\x00\x60\x00\x01\x7f" + "\x03\x03\x02\x00\x01" + "\x05\x03\x01\x00\x01" +
		"\x07\x26\x03\x06memory\x02\x00\x0b_initialize\x00\x00\x0babi_version\x00\x01" + "\x0a\x09\x02\x02\x00\x0b\x04\x00\x41\x04\x0b"
	_, err := New(&MemoryStore{}, settings, Options{Module: []byte(module)})
	if err == nil {
		t.Fatal("no error")
	}
	expect(t, err.Error(), "the module has ABI version 4; this package needs 3")
}

func TestMemoryStore(t *testing.T) {
	var store MemoryStore
	for _, each := range []struct {
		expected []byte
		desired  string
		swapped  bool
	}{{[]byte("1"), "2", false}, {nil, "3", true}, {nil, "4", false}, {[]byte("3"), "5", true}} {
		swapped, err := store.CompareAndSwap("a", each.expected, []byte(each.desired))
		expect(t, err, nil)
		expect(t, swapped, each.swapped)
	}
	values, err := store.GetMany([]string{"a", "b"})
	expect(t, err, nil)
	expect(t, string(values[0]), "5")
	expect(t, values[1] == nil, true)
	expect(t, store.Remove("a"), nil)
	values, _ = store.GetMany([]string{"a"})
	expect(t, values[0] == nil, true)
}

func TestFaultsOfFolders(t *testing.T) {
	nothing := func(string) error { return nil }
	missing := "FOLDER does not exist: `portail import --store dir:FOLDER DOCUMENT` makes one there"
	others := "FOLDER holds other files and no store (notes): name an empty or a new folder"
	for _, each := range []struct {
		name            string
		make            func(folder string) error
		opened, created string
	}{
		{"missing", nothing, missing, ""},
		{"empty", func(folder string) error { return makeFolderWith(folder) }, "FOLDER holds no portal: `portail import --store dir:FOLDER DOCUMENT` makes one there", ""},
		{"other", func(folder string) error { return makeFolderWith(folder, "notes", "~backup", "lost+found") }, others, others},
		{"file", nothing, "FOLDER is not a folder", "FOLDER is not a folder"},
		{"missing/below", nothing, missing, "FOLDER cannot be created: its parent folder does not exist: create it first"},
		{"portal", func(folder string) error { return makeFolderWith(folder, "format") }, "", ""},
		{"link", func(folder string) error { return os.Symlink(t.TempDir(), folder) },
			"FOLDER holds no portal: `portail import --store dir:FOLDER DOCUMENT` makes one there", ""},
	} {
		for create, expected := range map[bool]string{false: each.opened, true: each.created} {
			parent := t.TempDir()
			folder := filepath.Join(parent, each.name)
			expect(t, os.WriteFile(filepath.Join(parent, "file"), nil, 0o600), nil)
			expect(t, each.make(folder), nil)
			portal, err := NewInFolder(folder, settings, Options{CacheDir: cache, Create: create})
			if expected != "" {
				expect(t, fmt.Sprint(err), strings.ReplaceAll(expected, "FOLDER", folder))
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			portal.Close()
		}
	}
}

func makeFolderWith(folder string, names ...string) error {
	err := os.Mkdir(folder, 0o700)
	for _, name := range names {
		err = errors.Join(err, os.WriteFile(filepath.Join(folder, name), []byte("1"), 0o600))
	}
	return err
}

func TestAPortalOverAFolder(t *testing.T) {
	development, folder := NewDevelopment(), t.TempDir()
	for key, value := range development.Store.values {
		expect(t, os.WriteFile(filepath.Join(folder, key), value, 0o600), nil)
	}
	provider := httptest.NewServer(http.HandlerFunc(func(response http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(response, development.Settings["PORTAIL_JWKS"])
	}))
	t.Cleanup(provider.Close)
	fetching := maps.Clone(development.Settings)
	fetching["PORTAIL_JWKS"] = provider.URL
	var portals []*Portal
	for _, settings := range []map[string]string{fetching, development.Settings} {
		portal, err := NewInFolder(folder, settings, Options{CacheDir: cache})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(portal.Close)
		portals = append(portals, portal)
	}
	answer := func(portal *Portal, subject, method, target, body, expected string) {
		t.Helper()
		request := httptest.NewRequest(method, "http://localhost"+target, strings.NewReader(body))
		request.RequestURI = target
		request.Header.Set("Authorization", "Bearer "+development.Token(subject))
		request.Header.Set("Content-Type", "application/json")
		response := httptest.NewRecorder()
		portal.ServeHTTP(response, request)
		expect(t, response.Code, 200)
		if !strings.Contains(response.Body.String(), expected) {
			t.Errorf("%s does not contain %s", response.Body, expected)
		}
	}
	bundle, object := "/api/app/liasse/L-2024-0002", "/api/app/objet-courrier/1"
	// The consultation is written within the call that completes the fetch of the keys.
	answer(portals[0], "sub-client-1", "GET", bundle, "", `"deposeeDepuisDerniereConsultation":true`)
	answer(portals[1], "sub-client-1", "GET", bundle, "", `"deposeeDepuisDerniereConsultation":false`)
	for i, kind := range []string{"Rien", "Optionnel", "Obligatoire"} {
		update := fmt.Sprintf(`{"utilisablePourLiasse":true,"typeAffectation":"%s"}`, kind)
		answer(portals[i%2], "sub-administrateur-1", "PUT", object, update, kind)
		answer(portals[(i+1)%2], "sub-client-1", "GET", object, "", kind)
		info, err := os.Stat(filepath.Join(folder, "~revision"))
		expect(t, err, nil)
		expect(t, info.Size(), int64(2*i+2))
	}
	left, err := filepath.Glob(filepath.Join(folder, "~writers", "*", "*"))
	expect(t, err, nil)
	expect(t, len(left), 0)
}

// The cases of files (tests/wasm/folder_conformance.cpp), which the variable names.
func TestFolderConformance(t *testing.T) {
	file := os.Getenv("TEST_FOLDER_CONFORMANCE")
	if file == "" {
		t.Skip("TEST_FOLDER_CONFORMANCE is not set")
	}
	module, err := os.ReadFile(file)
	expect(t, err, nil)
	folder := t.TempDir()
	for _, err := range []error{
		os.Mkdir(filepath.Join(folder, "target"), 0o700), os.WriteFile(filepath.Join(folder, "target/file"), nil, 0o600),
		os.Symlink("target", filepath.Join(folder, "link")), syscall.Mkfifo(filepath.Join(folder, "fifo"), 0o600),
	} {
		expect(t, err, nil)
	}
	_, err = NewInFolder(folder, nil, Options{Module: module})
	expect(t, fmt.Sprint(err), "19 cases passed")
}

func TestTheReasonOfAFailureIsLoggedWithoutThePath(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "log"))
	expect(t, err, nil)
	stderr := os.Stderr
	os.Stderr = file
	_, err = folderPath(t.TempDir()).read(strings.Repeat("a", 256), nil)
	result := resultOf("file_read", 0, err)
	os.Stderr = stderr
	expect(t, result, int32(fileFailed))
	logged, err := os.ReadFile(file.Name())
	expect(t, err, nil)
	expect(t, string(logged), "store: file_read: file name too long\n")
}

func TestDevelopment(t *testing.T) {
	development := NewDevelopment()
	portal, err := New(development.Store, development.Settings, Options{CacheDir: cache})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(portal.Close)
	for _, each := range []struct {
		token, target string
		status        int
		begin         string
	}{
		{development.Token("sub-client-1"), "/api/app/liasse/L-2024-0002", 200, `{"id":"L-2024-0002",`},
		{development.Token("sub-gestionnaire-1"), "/api/app/liasse/dashboard-list", 403, `{"error":`},
		{development.Token("sub-gestionnaire-1", "gestionnaire"), "/api/app/liasse/dashboard-list", 200, `[{"id":`},
		{NewDevelopment().Token("sub-client-1"), "/api/app/liasse", 401, `{"error":`},
	} {
		request := httptest.NewRequest(http.MethodGet, "http://localhost"+each.target, nil)
		request.RequestURI = each.target
		request.Header.Set("Authorization", "Bearer "+each.token)
		response := httptest.NewRecorder()
		portal.ServeHTTP(response, request)
		expect(t, response.Code, each.status)
		expect(t, strings.HasPrefix(response.Body.String(), each.begin), true)
	}
}

func TestEnviron(t *testing.T) {
	t.Setenv("PORTAIL_ISSUER", "a=b")
	expect(t, Environ()["PORTAIL_ISSUER"], "a=b")
	expect(t, withPrefix(map[string]string{"PATH": "a", "portail_x": "b"})[0], Header{"portail_x", "b"})
}
