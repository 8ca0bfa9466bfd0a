// SPDX-License-Identifier: Apache-2.0

package quadrille_test

import (
	"bufio"
	"context"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"quadrille.example/quadrille"
)

const testTime = time.Minute

// yard is the config of most rooms here.
func yard() *quadrille.RoomConfig {
	return &quadrille.RoomConfig{Bounds: quadrille.Rect(0, 0, 100, 100), TickMode: quadrille.TickModeStep}
}

func testContext(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), testTime)
	t.Cleanup(cancel)
	return ctx
}

// server is a real one.
type server struct {
	process *exec.Cmd
	address string
}

// startServer starts the program of QD_SERVER, which must end with status 0.
func startServer(t *testing.T, options ...string) *server {
	t.Helper()
	program := os.Getenv("QD_SERVER")
	if program == "" {
		t.Fatal("QD_SERVER is empty; must be the path of quadrille-server. Run tests/run --stage go")
	}
	s := &server{process: exec.Command(program,
		append([]string{"--listen", "127.0.0.1:0", "--log-level", "error"}, options...)...)}
	s.process.Stderr = os.Stderr
	out, err := s.process.StdoutPipe()
	if err == nil {
		err = s.process.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	words := strings.Fields(line)
	if len(words) == 0 {
		t.Fatal("the server did not start")
	}
	s.address = words[len(words)-1]
	t.Cleanup(func() {
		s.process.Process.Signal(syscall.SIGTERM)
		if err := s.process.Wait(); err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	return s
}

func connect(t *testing.T, address string, options quadrille.Options) *quadrille.Session {
	t.Helper()
	session, err := quadrille.Connect(testContext(t), address, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

func open(t *testing.T, session *quadrille.Session, name string, config *quadrille.RoomConfig) *quadrille.Room {
	t.Helper()
	room, err := session.Open(testContext(t), name, config)
	if err != nil {
		t.Fatal(err)
	}
	return room
}

func step(t *testing.T, room *quadrille.Room) *quadrille.Tick {
	t.Helper()
	tick, err := room.Step(testContext(t))
	if err != nil {
		t.Fatal(err)
	}
	return tick
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// positions are the x of all entities of a room, by ascending id.
func positions(t *testing.T, room *quadrille.Room) []float32 {
	t.Helper()
	frames, err := room.Snapshot(testContext(t), &quadrille.SnapshotRequest{})
	must(t, err)
	var x []float32
	for _, frame := range frames {
		x = append(x, frame.X...)
	}
	return x
}

// proxy is between a session and its server. It cuts and holds connections.
type proxy struct {
	address string
	server  string

	mu    sync.Mutex
	conns []net.Conn
	left  map[bool]int // bytes until the cut; up: true
	holds bool
	away  bool
}

func startProxy(t *testing.T, server string) *proxy {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	p := &proxy{address: listener.Addr().String(), server: server, left: map[bool]int{}}
	t.Cleanup(func() {
		listener.Close()
		p.sever(true)
	})
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			p.serve(conn)
		}
	}()
	return p
}

func (p *proxy) serve(client net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.away {
		client.Close()
		return
	}
	server, err := net.Dial("tcp", p.server)
	if err != nil {
		client.Close()
		return
	}
	p.conns = append(p.conns, client, server)
	go p.pump(server, client, true)
	go p.pump(client, server, false)
}

func (p *proxy) pump(to, from net.Conn, up bool) {
	defer to.Close()
	defer from.Close()
	buffer := make([]byte, 64<<10)
	for {
		count, err := from.Read(buffer)
		for p.isHeld() {
			time.Sleep(time.Millisecond)
		}
		count, cut := p.cutAt(up, count)
		if _, failed := to.Write(buffer[:count]); failed != nil || cut || err != nil {
			return
		}
	}
}

func (p *proxy) isHeld() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.holds
}

// cutAt is how many bytes may pass, and whether the connection ends behind them.
func (p *proxy) cutAt(up bool, count int) (int, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	left, cuts := p.left[up]
	if !cuts {
		return count, false
	}
	if count < left {
		p.left[up] -= count
		return count, false
	}
	delete(p.left, up)
	return left, true
}

func (p *proxy) cutAfter(up bool, bytes int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left[up] = bytes
}

func (p *proxy) hold(holds bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.holds = holds
}

// sever cuts all connections, and accepts others only if it is not away.
func (p *proxy) sever(away bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.away = away
	for _, conn := range p.conns {
		conn.Close()
	}
	p.conns = nil
}
