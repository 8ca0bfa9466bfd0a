// SPDX-License-Identifier: Apache-2.0
//
// A uniform grid in a Node process behind a WebSocket (ws), as a game would write it. The client is
// tests/bench/client/websocket.c. Messages are binary, little-endian, with 32-bit columns:
//
//     in    first: side of the world, half extent of a box (float)
//           then per step: the columns id (uint, from 0 on, each once), x, y (float)
//     out   per step: number of ended pairs, these pairs, the begun pairs (uint; a pair: smaller id, larger id)
//
// Listens on a free port of this machine and prints the port.
import { WebSocketServer } from 'ws';

// All boxes have one size. A counting sort orders them by cell at each step. A map holds the pairs of the last step, with
// the step that last found them.
class Grid {
  constructor(side, half) {
    this.side = side;
    this.half = half;
    this.count = 0;
    this.step = 0;
    this.found = new Map();
  }

  // Cells hold one box on average, and are at least as large as a box, so only boxes of adjacent cells can touch.
  resize(count) {
    this.count = count;
    this.cells = Math.max(1, Math.floor(this.side / Math.max(2.0001 * this.half, this.side / Math.sqrt(count))));
    this.first = new Uint32Array(this.cells * this.cells + 2);
    this.cell = new Uint32Array(count);
    for (const column of ['lowX', 'highX', 'lowY', 'highY']) this[column] = new Float32Array(count);
    this.id = new Uint32Array(count);
  }

  place(at) {
    return Math.min(this.cells - 1, Math.max(0, Math.floor(at * this.cells / this.side)));
  }

  // Sorts the boxes by cell: cell c has those from first[c] to first[c + 1].
  sort(ids, xs, ys) {
    const { cells, cell, first, count, half } = this;
    first.fill(0);
    for (let i = 0; i < count; i++) {
      cell[i] = this.place(ys[i]) * cells + this.place(xs[i]);
      first[cell[i] + 2]++;
    }
    for (let c = 2; c < first.length; c++) first[c] += first[c - 1];
    for (let i = 0; i < count; i++) {
      const to = first[cell[i] + 1]++;
      this.id[to] = ids[i];
      this.lowX[to] = xs[i] - half;
      this.highX[to] = xs[i] + half;
      this.lowY[to] = ys[i] - half;
      this.highY[to] = ys[i] + half;
    }
  }

  // Box i against boxes from `from` to `to`.
  compare(i, from, to, begins) {
    const { lowX, highX, lowY, highY, id, found, step, count } = this;
    const left = lowX[i], right = highX[i], bottom = lowY[i], top = highY[i];
    for (let j = from; j < to; j++) {
      if (left > highX[j] || lowX[j] > right || bottom > highY[j] || lowY[j] > top) continue;
      const a = Math.min(id[i], id[j]), b = Math.max(id[i], id[j]);
      const key = a * count + b;
      if (!found.has(key)) begins.push(a, b);
      found.set(key, step);
    }
  }

  // Returns the message that answers these columns.
  move(columns) {
    const count = columns.byteLength / 12;
    if (count !== this.count) this.resize(count);
    this.step++;
    this.sort(new Uint32Array(columns, 0, count), new Float32Array(columns, 4 * count, count),
      new Float32Array(columns, 8 * count, count));
    const { cells, first, found, step } = this;
    const begins = [], ends = [];
    for (let y = 0; y < cells; y++) {
      for (let x = 0; x < cells; x++) {
        const c = y * cells + x;
        // The rest of this cell and the next one of the row, then three cells of the row above: each pair of cells once.
        const side = first[Math.min(c + 1, y * cells + cells - 1) + 1];
        const above = y + 1 < cells ? c + cells : -1;
        const from = above < 0 ? 0 : first[above - (x > 0 ? 1 : 0)];
        const to = above < 0 ? 0 : first[above + (x + 1 < cells ? 1 : 0) + 1];
        for (let i = first[c]; i < first[c + 1]; i++) {
          this.compare(i, i + 1, side, begins);
          this.compare(i, from, to, begins);
        }
      }
    }
    for (const [key, seen] of found) {
      if (seen === step) continue;
      ends.push(Math.floor(key / count), key % count);
      found.delete(key);
    }
    const message = new Uint32Array(1 + ends.length + begins.length);
    message[0] = ends.length / 2;
    message.set(ends, 1);
    message.set(begins, 1 + ends.length);
    return message;
  }
}

const server = new WebSocketServer({ host: '127.0.0.1', port: 0 }, () => console.log(server.address().port));
server.on('connection', (socket) => {
  let grid;
  socket.binaryType = 'arraybuffer';
  socket.on('message', (data) => {
    if (grid) socket.send(grid.move(data));
    else grid = new Grid(...new Float32Array(data));
  });
});
