// SPDX-License-Identifier: Apache-2.0
//
// Frames: columns go into bytes and come out of them without an object per entity. The tables of protocol.ts drive both
// directions.
import { MESSAGES, Trait } from "./protocol.js";

/** Any message: the fields that are present, by name. */
export type Fields = Record<string, any>;
export type Column = Uint8Array | Uint32Array | BigUint64Array | Float32Array | Float64Array;

export const FRAME_BYTES_MAX = 2 << 20; // of the server's frames
const U32 = 2 ** 32;

/** The bytes are not a frame of this protocol. */
export class MalformedError extends Error {
  override name = "MalformedError";
}

if (new Uint8Array(new Uint32Array([1]).buffer)[0] !== 1) {
  throw new Error("this processor is big-endian; must be little-endian, as columns are on the wire");
}

const COLUMN_TYPES = {
  fixed32: Uint32Array, fixed64: BigUint64Array, float: Float32Array, double: Float64Array, bytes: Uint8Array,
};
type ColumnType = (typeof COLUMN_TYPES)[keyof typeof COLUMN_TYPES];
const FIXED_BYTES: Record<string, number> = { fixed32: 4, fixed64: 8, float: 4, double: 8 };

/** How one field of a message is written and read. */
export class Field {
  readonly isColumn: boolean;
  readonly repeated: boolean;
  readonly hasPresence: boolean;
  readonly tag: number;
  readonly type: ColumnType;
  readonly fixedBytes: number;

  constructor(readonly name: string, readonly number: number, readonly kind: string, traits: number,
    readonly of?: string) {
    this.isColumn = (traits & Trait.COLUMN) !== 0;
    this.repeated = (traits & Trait.REPEATED) !== 0;
    this.hasPresence = (traits & Trait.PRESENCE) !== 0;
    this.fixedBytes = FIXED_BYTES[kind] ?? 0;
    this.type = COLUMN_TYPES[kind as keyof typeof COLUMN_TYPES];
    const hasLength = this.repeated || kind === "string" || kind === "bytes" || kind === "message";
    this.tag = number << 3 | (hasLength ? 2 : this.fixedWire);
  }

  /** The wire type of one value without a length. */
  get fixedWire(): number {
    return this.fixedBytes === 4 ? 5 : this.fixedBytes === 8 ? 1 : 0;
  }
}

/** The fields of a message, in the order of their numbers. */
export class Layout {
  readonly fields: Field[];
  readonly byTag = new Map<number, Field>();
  readonly columns = new Map<string, Field>();

  constructor(readonly name: string) {
    this.fields = MESSAGES[name]!.map(([field, ...rest]) => new Field(field, ...rest));
    for (const field of this.fields) {
      this.byTag.set(field.tag, field);
      // A repeated field may come unpacked.
      if (field.repeated && field.fixedBytes) this.byTag.set(field.number << 3 | field.fixedWire, field);
      if (field.isColumn) this.columns.set(field.name, field);
    }
  }
}

const layouts = new Map<string, Layout>();

export function layoutOf(message: string): Layout {
  let layout = layouts.get(message);
  if (!layout) layouts.set(message, layout = new Layout(message));
  return layout;
}

function messagesOf(envelope: string): Map<string, [Field, Layout]> {
  const fields = layoutOf(envelope).fields.filter((field) => field.kind === "message");
  return new Map(fields.map((field) => [field.name, [field, layoutOf(field.of!)]]));
}

/** The messages of ClientFrame by their names there, such as "setRoster". */
export const CLIENT = messagesOf("ClientFrame");
const SERVER_BY_TAG = new Map([...messagesOf("ServerFrame").values()].map((known) => [known[0].tag, known]));
const CONFIRM = layoutOf("ClientFrame").fields.find((field) => field.name === "confirm")!;

// ---- encoding ----

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

function varintBytes(value: number | bigint): number {
  let bytes = 1;
  if (typeof value === "bigint") {
    for (; value >= 128n; value >>= 7n) bytes++;
  } else {
    for (; value >= 128; value = Math.floor(value / 128)) bytes++;
  }
  return bytes;
}

class Writer {
  readonly bytes: Uint8Array;
  at = 0;
  private readonly view: DataView;

  constructor(size: number) {
    this.bytes = new Uint8Array(size);
    this.view = new DataView(this.bytes.buffer);
  }

  varint(value: number | bigint): void {
    if (typeof value === "bigint") {
      for (; value >= 128n; value >>= 7n) this.bytes[this.at++] = Number(value & 127n) | 128;
    } else {
      for (; value >= 128; value = Math.floor(value / 128)) this.bytes[this.at++] = value % 128 | 128;
    }
    this.bytes[this.at++] = Number(value);
  }

  put(data: Uint8Array): void {
    this.bytes.set(data, this.at);
    this.at += data.length;
  }

  fixed(kind: string, value: any): void {
    switch (kind) {
      case "fixed32": this.view.setUint32(this.at, value, true); break;
      case "fixed64": this.view.setBigUint64(this.at, BigInt(value), true); break;
      case "float": this.view.setFloat32(this.at, value, true); break;
      default: this.view.setFloat64(this.at, value, true);
    }
    this.at += FIXED_BYTES[kind]!;
  }
}

/** A value without a fixed size, as it is written: a number for a varint, or the bytes behind a length. */
function plain(field: Field, value: any): number | bigint | Uint8Array {
  switch (field.kind) {
    case "string": return encoder.encode(value);
    case "bytes": return value;
    case "message": return encodeMessage(layoutOf(field.of!), value);
    case "sint32": return (value << 1 ^ value >> 31) >>> 0;
    case "bool": return value ? 1 : 0;
    default: return value;
  }
}

function bytesOf(column: Column): Uint8Array {
  return column instanceof Uint8Array ? column : new Uint8Array(column.buffer, column.byteOffset, column.byteLength);
}

interface Part {
  field: Field;
  fixed?: any;
  value?: number | bigint | Uint8Array;
}

/** The parts of a message in the order of the fields' numbers, and their bytes. */
function partsOf(layout: Layout, fields: Fields): [Part[], number] {
  const parts: Part[] = [];
  let size = 0;
  const add = (field: Field, given: any) => {
    size += varintBytes(field.tag);
    if (field.fixedBytes && !field.isColumn) {
      parts.push({ field, fixed: given });
      size += field.fixedBytes;
      return;
    }
    const value = field.isColumn ? bytesOf(given) : plain(field, given);
    parts.push({ field, value });
    size += value instanceof Uint8Array ? varintBytes(value.length) + value.length : varintBytes(value);
  };
  for (const field of layout.fields) {
    const value = fields[field.name];
    if (value === undefined || value === null) continue;
    if (field.isColumn) {
      if (value.length) add(field, value);
    } else if (field.repeated) {
      for (const each of value) add(field, each);
    } else if (field.hasPresence || (value instanceof Uint8Array ? value.length : value && value !== 0n)) {
      add(field, value);
    }
  }
  return [parts, size];
}

function write(out: Writer, parts: Part[]): void {
  for (const { field, fixed, value } of parts) {
    out.varint(field.tag);
    if (value === undefined) {
      out.fixed(field.kind, fixed);
    } else if (value instanceof Uint8Array) {
      out.varint(value.length);
      out.put(value);
    } else {
      out.varint(value);
    }
  }
}

function encodeMessage(layout: Layout, fields: Fields): Uint8Array {
  const [parts, size] = partsOf(layout, fields);
  const out = new Writer(size);
  write(out, parts);
  return out.bytes;
}

/** A ClientFrame behind its length. Columns are typed arrays of the field's type. Kind undefined: an empty envelope. */
export function encode(kind: string | undefined, fields: Fields, seq: number | bigint = 0, confirm = false):
  Uint8Array {
  const known = kind === undefined ? undefined : CLIENT.get(kind)!;
  const [parts, size] = known ? partsOf(known[1], fields) : [[], 0];
  const confirmBytes = confirm ? varintBytes(CONFIRM.tag) + 1 : 0;
  const total = (seq ? 1 + varintBytes(seq) : 0) + confirmBytes +
    (known ? varintBytes(known[0].tag) + varintBytes(size) + size : 0);
  const out = new Writer(varintBytes(total) + total);
  const putConfirm = () => {
    out.varint(CONFIRM.tag);
    out.varint(1);
  };
  out.varint(total);
  if (seq) {
    out.varint(8);
    out.varint(seq);
  }
  const isBehind = known !== undefined && known[0].number > CONFIRM.number; // fields go by their numbers
  if (confirm && isBehind) putConfirm();
  if (known) {
    out.varint(known[0].tag);
    out.varint(size);
    write(out, parts);
  }
  if (confirm && !isBehind) putConfirm();
  return out.bytes;
}

/** The bytes that one entry of a batch takes. */
export function rowBytes(kind: string, fields: Fields): number {
  let bytes = 0;
  for (const [name, field] of CLIENT.get(kind)![1].columns) {
    if (fields[name]) bytes += field.type.BYTES_PER_ELEMENT;
  }
  return bytes;
}

// ---- decoding ----

class Reader {
  private readonly view: DataView;

  constructor(readonly data: Uint8Array, public at: number, readonly end: number) {
    this.view = new DataView(data.buffer, data.byteOffset, data.length);
  }

  varint(): number {
    let value = 0;
    for (let unit = 1, bytes = 1; ; unit *= 128, bytes++) {
      if (this.at >= this.end) throw new MalformedError("a varint ends behind its message");
      const byte = this.data[this.at++]!;
      value += (byte & 127) * unit;
      if (byte < 128) break;
      if (bytes === 10) throw new MalformedError("a varint has more than 10 bytes");
    }
    if (value > Number.MAX_SAFE_INTEGER) throw new MalformedError(`a number is ${value}; must be below 2^53`);
    return value;
  }

  /** Takes so many bytes, and returns where they begin. */
  take(size: number): number {
    const start = this.at;
    if (size > this.end - start) throw new MalformedError("a field ends behind its message");
    this.at += size;
    return start;
  }

  /** The end of a field with a length. */
  length(): number {
    const size = this.varint();
    if (size > this.end - this.at) throw new MalformedError("a field ends behind its message");
    return this.at + size;
  }

  skip(wire: number): void {
    if (wire === 0) {
      for (let bytes = 1; this.data[this.take(1)]! >= 128; bytes++) {
        if (bytes === 10) throw new MalformedError("a varint has more than 10 bytes");
      }
    } else if (wire === 2) {
      this.at = this.length();
    } else if (wire === 1 || wire === 5) {
      this.take(wire === 1 ? 8 : 4);
    } else {
      throw new MalformedError(`a field has the wire type ${wire}; must be 0, 1, 2 or 5`);
    }
  }

  fixed(kind: string): number | bigint {
    const at = this.take(FIXED_BYTES[kind]!);
    switch (kind) {
      case "fixed32": return this.view.getUint32(at, true);
      case "fixed64": return this.view.getBigUint64(at, true);
      case "float": return this.view.getFloat32(at, true);
      default: return this.view.getFloat64(at, true);
    }
  }

  column(field: Field, end: number): Column {
    const bytes = field.type.BYTES_PER_ELEMENT, start = this.data.byteOffset + this.at, size = end - this.at;
    this.at = end;
    if (size % bytes) throw new MalformedError(`${field.name} has ${size} bytes; must be a multiple of ${bytes}`);
    if (start % bytes === 0) return new field.type(this.data.buffer as ArrayBuffer, start, size / bytes);
    return new field.type(this.data.buffer.slice(start, start + size) as ArrayBuffer);
  }
}

/** Both columns in one. */
export function join<T extends Column>(first: T | undefined, second: T): T {
  if (!first || !first.length) return second;
  const both = new (second.constructor as any)(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

function text(data: Uint8Array): string {
  try {
    return decoder.decode(data);
  } catch {
    throw new MalformedError("a text is not UTF-8");
  }
}

function readWithLength(reader: Reader, field: Field, found: Fields): void {
  const end = reader.length();
  if (field.isColumn) {
    const column = reader.column(field, end);
    found[field.name] = field.kind === "bytes" ? column : join(found[field.name], column);
    return;
  }
  let value: any;
  if (field.kind === "message") {
    value = readFields(layoutOf(field.of!), new Reader(reader.data, reader.at, end));
  } else {
    value = reader.data.subarray(reader.at, end);
    if (field.kind === "string") value = text(value);
  }
  reader.at = end;
  if (field.repeated) {
    (found[field.name] ??= []).push(value);
  } else {
    found[field.name] = value;
  }
}

function readFields(layout: Layout, reader: Reader): Fields {
  const found: Fields = {};
  while (reader.at < reader.end) {
    const tag = reader.varint(), field = layout.byTag.get(tag), wire = tag & 7;
    if (!field) {
      reader.skip(wire);
    } else if (wire === 2) {
      readWithLength(reader, field, found);
    } else if (wire === 0) {
      const value = reader.varint();
      found[field.name] = field.kind === "bool" ? value !== 0 : field.kind === "uint64" ? value :
        field.kind === "sint32" ? value % U32 >>> 1 ^ -(value & 1) : value % U32;
    } else {
      const value = reader.fixed(field.kind);
      found[field.name] = field.repeated ? join(found[field.name], (field.type as any).of(value)) : value;
    }
  }
  return found;
}

export interface ServerMessage {
  seq: number;
  /** The message's name in ServerFrame. Undefined: an empty envelope, or a message of a later protocol. */
  kind: string | undefined;
  fields: Fields;
}

/** Decodes a ServerFrame without its length. Throws MalformedError. */
export function decode(data: Uint8Array): ServerMessage {
  const reader = new Reader(data, 0, data.length);
  const message: ServerMessage = { seq: 0, kind: undefined, fields: {} };
  while (reader.at < reader.end) {
    const tag = reader.varint(), known = SERVER_BY_TAG.get(tag);
    if (tag === 8) {
      message.seq = reader.varint();
    } else if (known) {
      const end = reader.length();
      message.kind = known[0].name;
      message.fields = readFields(known[1], new Reader(data, reader.at, end));
      reader.at = end;
    } else {
      reader.skip(tag & 7);
    }
  }
  return message;
}

/** Adds the fields that are absent because they have their defaults. */
export function complete<T>(message: string, fields: Fields): T {
  for (const field of layoutOf(message).fields) {
    const value = fields[field.name];
    if (field.kind === "message" && value !== undefined) {
      for (const each of field.repeated ? value : [value]) complete(field.of!, each);
    } else if (value === undefined && !field.hasPresence) {
      fields[field.name] = field.isColumn ? new field.type(0) : field.repeated ? [] : field.kind === "string" ? "" :
        field.kind === "bool" ? false : field.kind === "bytes" ? new Uint8Array(0) : field.kind === "fixed64" ? 0n : 0;
    }
  }
  return fields as T;
}

/** Cuts the bytes of a connection into frames. */
export class Splitter {
  private chunks: Uint8Array[] = [];
  private have = 0;
  private need = 1; // bytes until the next frame may be complete

  /** Calls back with each frame that is complete now, without its length. Throws MalformedError. */
  feed(data: Uint8Array, onFrame: (frame: Uint8Array) => void): void {
    if (this.have) {
      this.chunks.push(data);
      this.have += data.length;
      if (this.have < this.need) return;
      data = new Uint8Array(this.have);
      let end = 0;
      for (const chunk of this.chunks) {
        data.set(chunk, end);
        end += chunk.length;
      }
    }
    let at = 0;
    for (;;) {
      const [size, start] = this.size(data, at);
      this.need = start + size - at;
      if (start + size > data.length) break;
      onFrame(data.subarray(start, start + size));
      at = start + size;
    }
    this.chunks = at < data.length ? [data.subarray(at)] : [];
    this.have = data.length - at;
  }

  /** The size of the frame there, and where it begins: one byte behind the data if that is not known yet. */
  private size(data: Uint8Array, at: number): [number, number] {
    let size = 0;
    for (let unit = 1; unit <= 2 ** 28; unit *= 128) {
      if (at >= data.length) return [0, data.length + 1];
      const byte = data[at++]!;
      size += (byte & 127) * unit;
      if (size > FRAME_BYTES_MAX) {
        throw new MalformedError(`a frame has ${size} bytes or more; must be at most ${FRAME_BYTES_MAX}`);
      }
      if (byte < 128) return [size, at];
    }
    throw new MalformedError("the length of a frame has more than 5 bytes");
  }
}
