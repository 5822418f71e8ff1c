// Checks whether a history of tests/histories/recorder.py is linearizable: `checker FILE`. Prints the reason and exits with status 1 if it
// is not. A picture of each refused object is written beside the file.
package main

import (
	"fmt"
	"os"
	"time"
)

const timeout = 5 * time.Minute // for one mail object

func main() {
	path := os.Args[1]
	if err := checkFile(path); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", path, err)
		os.Exit(1)
	}
}

func checkFile(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	objects, err := readHistory(file)
	if err != nil {
		return err
	}
	if len(objects) == 0 {
		return fmt.Errorf("the history is empty")
	}
	for id, object := range objects {
		if err := object.check(timeout, fmt.Sprintf("%s.%d.html", path, id)); err != nil {
			return fmt.Errorf("mail object %d: %w", id, err)
		}
	}
	return nil
}
