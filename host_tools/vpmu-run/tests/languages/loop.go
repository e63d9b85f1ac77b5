// SPDX-License-Identifier: GPL-2.0-or-later

// The first argument is how often the loop runs. Reads a line, prints it, and exits with 5.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
)

// loop is in loop_amd64.s, so that its instructions are known.
func loop(turns uint64)

func main() {
	turns, _ := strconv.ParseUint(os.Args[1], 10, 64)
	done := make(chan bool)
	go func() {
		loop(turns)
		done <- true
	}()
	<-done
	line, _ := bufio.NewReader(os.Stdin).ReadString('\n')
	fmt.Print("Go has read ", line)
	os.Exit(5)
}
