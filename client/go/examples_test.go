// SPDX-License-Identifier: Apache-2.0

package quadrille_test

import (
	"bufio"
	"net"
	"os/exec"
	"path/filepath"
	"reflect"
	"sort"
	"strings"
	"testing"

	"quadrille.example/quadrille"
)

// build builds an example.
func build(t *testing.T, name string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), name)
	if out, err := exec.Command("go", "build", "-o", program, "./examples/"+name).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return program
}

func TestHelloPrintsWhatThePageSays(t *testing.T) {
	out, err := exec.Command(build(t, "hello"), startServer(t).address).CombinedOutput()
	must(t, err)
	wanted := "tick 1: 0 pairs, 7 sees []\ntick 2: 0 pairs, 7 sees [2]\n1 touches 2\ntick 3: 1 pairs, 7 sees [2]\n"
	if string(out) != wanted {
		t.Errorf("it prints %q; must be %q", out, wanted)
	}
}

func TestGatewayReplicatesViewsToPlayers(t *testing.T) {
	address := startServer(t).address
	room := open(t, connect(t, address, quadrille.Options{}), "demo-2",
		&quadrille.RoomConfig{Bounds: quadrille.Rect(0, 0, 100, 100), TickHz: 50})
	must(t, room.Spawn(quadrille.Boxes([]uint32{1, 2}, []float32{7, 60}, []float32{5, 60}, 1)).Wait(testContext(t)))
	gateway := exec.Command(build(t, "gateway"), address, "demo-2", "0")
	out, err := gateway.StdoutPipe()
	must(t, err)
	must(t, gateway.Start())
	defer func() {
		gateway.Process.Kill()
		gateway.Wait()
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	must(t, err)
	words := strings.Fields(line)
	player, err := net.Dial("tcp", words[len(words)-1])
	must(t, err)
	defer player.Close()
	lines := bufio.NewScanner(player)
	expect := func(wanted ...string) {
		t.Helper()
		var found []string
		for range wanted {
			if !lines.Scan() {
				t.Fatalf("the gateway has closed the connection: %v", lines.Err())
			}
			found = append(found, lines.Text())
		}
		sort.Strings(found)
		if !reflect.DeepEqual(found, wanted) {
			t.Errorf("the lines are %q; must be %q", found, wanted)
		}
	}
	expect("spawn 1 7.000 5.000", "you 1000000")
	room.Move([]uint32{1}, []float32{8}, []float32{5.5}, nil)
	expect("move 1 8.000 5.500")
	_, err = player.Write([]byte("61 61\n"))
	must(t, err)
	expect("remove 1", "spawn 2 60.000 60.000")
}
