// SPDX-License-Identifier: Apache-2.0
//
// Frames. The protobuf library describes the messages (protocol.ts has the descriptor), and reads and writes their fields.
// Columns go into bytes and come out of them as typed arrays, without an object per entity, which no generated code does.
import { ScalarType, type DescEnum, type DescField, type DescMessage } from "@bufbuild/protobuf";
import { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { FILE, OPAQUE } from "./protocol.js";

/** Any message: the fields that are present, by name. */
export type Fields = Record<string, any>;
export type Column = Uint8Array | Uint32Array | BigUint64Array | Float32Array | Float64Array;

export const FRAME_BYTES_MAX = 2 << 20; // of the server's frames

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
const FIXED_WIRES: Record<string, WireType> = {
  fixed32: WireType.Bit32, fixed64: WireType.Bit64, float: WireType.Bit32, double: WireType.Bit64,
};

type Kind = "double" | "float" | "uint32" | "uint64" | "sint32" | "fixed32" | "fixed64" | "bool" | "string" | "bytes" |
  "enum" | "message";

function kindOf(field: DescField): Kind {
  if (field.message) return "message";
  return field.enum ? "enum" : ScalarType[field.scalar!].toLowerCase() as Kind;
}

/** How one field of a message is written and read. */
export class Field {
  readonly name: string;
  readonly number: number;
  readonly kind: Kind;
  readonly isColumn: boolean;
  readonly repeated: boolean;
  readonly hasPresence: boolean;
  /** Of one value, and of the field: a column has a length. */
  readonly valueWire: WireType;
  readonly wire: WireType;
  readonly type: (typeof COLUMN_TYPES)[keyof typeof COLUMN_TYPES];
  readonly of: DescMessage | undefined;
  readonly enum: DescEnum | undefined;

  constructor(described: DescField) {
    this.name = described.localName;
    this.number = described.number;
    this.kind = kindOf(described);
    this.of = described.message;
    this.enum = described.enum;
    this.repeated = described.fieldKind === "list";
    this.hasPresence = described.oneof !== undefined || described.fieldKind === "message";
    this.type = COLUMN_TYPES[this.kind as keyof typeof COLUMN_TYPES];
    this.isColumn = this.kind === "bytes" ? !OPAQUE.has(described.name) : this.repeated && this.kind in FIXED_WIRES;
    const hasLength = this.kind === "string" || this.kind === "bytes" || this.kind === "message";
    this.valueWire = FIXED_WIRES[this.kind] ?? (hasLength ? WireType.LengthDelimited : WireType.Varint);
    this.wire = this.isColumn ? WireType.LengthDelimited : this.valueWire;
  }
}

/** The fields of a message, in the order of their numbers. */
export class Layout {
  readonly fields: Field[];
  readonly byNumber = new Map<number, Field>();
  readonly columns = new Map<string, Field>();

  constructor(described: DescMessage) {
    this.fields = described.fields.map((field) => new Field(field)).sort((a, b) => a.number - b.number);
    for (const field of this.fields) {
      this.byNumber.set(field.number, field);
      if (field.isColumn) this.columns.set(field.name, field);
    }
  }
}

const layouts = new Map<DescMessage, Layout>();

export function layoutOf(message: DescMessage): Layout {
  let layout = layouts.get(message);
  if (!layout) layouts.set(message, layout = new Layout(message));
  return layout;
}

/** The description of a message, by its name in quadrille.proto. */
export function described(name: string): DescMessage {
  return FILE.messages.find((message) => message.name === name)!;
}

const CLIENT_FRAME = layoutOf(described("ClientFrame")), SERVER_FRAME = layoutOf(described("ServerFrame"));
const SEQ = CLIENT_FRAME.fields.find((field) => field.name === "seq")!;
const CONFIRM = CLIENT_FRAME.fields.find((field) => field.name === "confirm")!;

/** The messages of ClientFrame by their names there, such as "setRoster". */
export const CLIENT = new Map(CLIENT_FRAME.fields.filter((field) => field.of)
  .map((field): [string, [Field, Layout]] => [field.name, [field, layoutOf(field.of!)]]));

// ---- encoding ----

function bytesOf(column: Column): Uint8Array {
  return column instanceof Uint8Array ? column : new Uint8Array(column.buffer, column.byteOffset, column.byteLength);
}

function put(out: BinaryWriter, field: Field, value: any): void {
  out.tag(field.number, field.wire);
  switch (field.kind) {
    case "message": out.bytes(join(partsOf(layoutOf(field.of!), value))); break;
    case "enum": out.int32(value); break;
    default: out[field.kind](value as never);
  }
}

/** The bytes of a message in parts: its columns as they are, and what is between them. */
function partsOf(layout: Layout, fields: Fields): Uint8Array[] {
  const parts: Uint8Array[] = [], out = new BinaryWriter();
  for (const field of layout.fields) {
    const value = fields[field.name];
    if (value === undefined || value === null) continue;
    if (field.isColumn) {
      if (!value.length) continue;
      const bytes = bytesOf(value);
      parts.push(out.tag(field.number, field.wire).uint32(bytes.length).finish(), bytes);
    } else if (field.repeated) {
      for (const each of value) put(out, field, each);
    } else if (field.hasPresence || (value instanceof Uint8Array ? value.length : value)) {
      put(out, field, value);
    }
  }
  parts.push(out.finish());
  return parts;
}

function bytesIn(parts: Uint8Array[]): number {
  return parts.reduce((bytes, part) => bytes + part.length, 0);
}

/** A ClientFrame behind its length. Columns are typed arrays of the field's type. Kind undefined: an empty envelope. */
export function encode(kind: string | undefined, fields: Fields, seq: number | bigint = 0, confirm = false):
  Uint8Array {
  const known = kind === undefined ? undefined : CLIENT.get(kind)!, parts = known ? partsOf(known[1], fields) : [];
  const before = new BinaryWriter(), behind = new BinaryWriter();
  if (seq) put(before, SEQ, seq);
  if (confirm) put(known && known[0].number > CONFIRM.number ? before : behind, CONFIRM, true); // fields go by their numbers
  if (known) before.tag(known[0].number, known[0].wire).uint32(bytesIn(parts));
  const frame = [before.finish(), ...parts, behind.finish()];
  return join([new BinaryWriter().uint32(bytesIn(frame)).finish(), ...frame]);
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

const utf8 = new TextDecoder("utf-8", { fatal: true });

function readerOf(data: Uint8Array): BinaryReader {
  return new BinaryReader(data, (bytes) => utf8.decode(bytes));
}

function columnOf(field: Field, data: Uint8Array): Column {
  const bytes = field.type.BYTES_PER_ELEMENT, start = data.byteOffset, size = data.length;
  if (size % bytes) throw new MalformedError(`${field.name} has ${size} bytes; must be a multiple of ${bytes}`);
  if (start % bytes === 0) return new field.type(data.buffer as ArrayBuffer, start, size / bytes);
  return new field.type(data.buffer.slice(start, start + size) as ArrayBuffer);
}

/** Pieces of a column as one; one piece itself, without a copy. */
export function join<T extends Column>(pieces: readonly T[]): T {
  if (pieces.length === 1) return pieces[0]!;
  const whole = new (pieces[0]!.constructor as any)(pieces.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** Collects the pieces of columns by a key, and joins each column once. */
export class Pieces<Key> {
  private readonly found = new Map<Key, Column[]>();

  add(key: Key, piece: Column): void {
    const pieces = this.found.get(key);
    if (pieces) pieces.push(piece);
    else this.found.set(key, [piece]);
  }

  *joined(): Iterable<[Key, Column]> {
    for (const [key, pieces] of this.found) yield [key, join(pieces)];
  }
}

function valueOf(reader: BinaryReader, field: Field): any {
  switch (field.kind) {
    case "message": return readFields(layoutOf(field.of!), reader.bytes());
    case "enum": return reader.int32();
    case "fixed64": return BigInt(reader.fixed64());
    case "uint64": {
      const value = Number(reader.uint64());
      if (value > Number.MAX_SAFE_INTEGER) throw new MalformedError(`a number is ${value}; must be below 2^53`);
      return value;
    }
    default: return reader[field.kind]();
  }
}

function readPlain(reader: BinaryReader, field: Field, found: Fields): void {
  const value = field.isColumn ? columnOf(field, reader.bytes()) : valueOf(reader, field);
  if (field.repeated) (found[field.name] ??= []).push(value);
  else found[field.name] = value;
}

function readFields(layout: Layout, data: Uint8Array): Fields {
  const reader = readerOf(data), found: Fields = {}, columns = new Pieces<string>();
  while (reader.pos < reader.len) {
    const [number, wire] = reader.tag(), field = layout.byNumber.get(number);
    if (field?.isColumn && field.repeated && wire === field.wire) {
      columns.add(field.name, columnOf(field, reader.bytes()));
    } else if (field?.isColumn && field.repeated && wire === field.valueWire) { // it may come unpacked
      columns.add(field.name, (field.type as any).of(valueOf(reader, field)));
    } else if (field && wire === field.wire) {
      readPlain(reader, field, found);
    } else {
      reader.skip(wire, number);
    }
  }
  for (const [name, column] of columns.joined()) found[name] = column;
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
  try {
    const { seq = 0, ...messages } = readFields(SERVER_FRAME, data), kind = Object.keys(messages).pop();
    return { seq, kind, fields: kind === undefined ? {} : messages[kind] };
  } catch (error) {
    if (error instanceof MalformedError) throw error;
    throw new MalformedError((error as Error).message, { cause: error });
  }
}

function fill(layout: Layout, fields: Fields): Fields {
  for (const field of layout.fields) {
    const value = fields[field.name];
    if (field.of && value !== undefined) {
      for (const each of field.repeated ? value : [value]) fill(layoutOf(field.of), each);
    } else if (value === undefined && !field.hasPresence) {
      fields[field.name] = field.isColumn ? new field.type(0) : field.repeated ? [] : field.kind === "string" ? "" :
        field.kind === "bool" ? false : field.kind === "bytes" ? new Uint8Array(0) : field.kind === "fixed64" ? 0n : 0;
    }
  }
  return fields;
}

/** Adds the fields of a message, by its name, that are absent because they have their defaults. */
export function complete<T>(message: string, fields: Fields): T {
  return fill(layoutOf(described(message)), fields) as T;
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
