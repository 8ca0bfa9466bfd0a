// SPDX-License-Identifier: Apache-2.0
//
// Messages as the flat text of golden vectors: seq=1, spawn.room=300, spawn.id=1,2. tests/conformance/README.md has it.
import { decode, described, encode, layoutOf, type Field, type Fields, type Layout } from "../src/wire.js";

export const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

// ---- decoding ----

function textOf(field: Field, value: any): string {
  if (field.enum) return field.enum.value[value]!.name;
  if (field.kind === "string") return hex(Buffer.from(value));
  if (field.kind === "bytes") return hex(value);
  return Object.is(value, -0) ? "-0.0" : value === Infinity ? "inf" : value === -Infinity ? "-inf" : String(value).toLowerCase();
}

function* linesOf(layout: Layout, fields: Fields, path: string): Iterable<string> {
  for (const field of layout.fields) {
    const value = fields[field.name], name = `${path}.${snake(field.name)}`;
    if (value === undefined) continue;
    if (field.kind === "message") {
      const many: Fields[] = field.repeated ? value : [value];
      yield `${name}=${many.map(() => "{}").join(",")}`;
      for (const [i, each] of many.entries()) {
        yield* linesOf(layoutOf(field.of!), each, field.repeated ? `${name}[${i}]` : name);
      }
    } else if (field.repeated) {
      yield `${name}=${Array.from(value as ArrayLike<any>, (each) => textOf(field, each)).join(",")}`;
    } else {
      yield `${name}=${textOf(field, value)}`;
    }
  }
}

/** The lines of a ServerFrame. */
export function decodeFlat(data: Uint8Array): string[] {
  const { seq, kind, fields } = decode(data), lines = seq ? [`seq=${seq}`] : [];
  if (kind === undefined) return lines;
  const message = layoutOf(described("ServerFrame")).fields.find((field) => field.name === kind)!.of!;
  return [...lines, `${snake(kind)}={}`, ...linesOf(layoutOf(message), fields, snake(kind))];
}

// ---- encoding ----

function parse(field: Field, text: string): any {
  if (field.enum) return field.enum.values.find((value) => value.name === text)!.number;
  if (field.kind === "bytes") return Uint8Array.from(Buffer.from(text, "hex"));
  if (field.kind === "string") return Buffer.from(text, "hex").toString();
  if (field.kind === "bool") return text === "true";
  if (field.kind === "fixed64" || field.kind === "uint64") return BigInt(text);
  return /inf$/.test(text) ? Number(text.replace("inf", "Infinity")) : Number(text);
}

function fill(layout: Layout, words: Record<string, string>, path: string): Fields {
  const fields: Fields = {};
  for (const field of layout.fields) {
    const name = `${path}.${snake(field.name)}`, text = words[name];
    if (text === undefined) continue;
    if (field.kind === "message") fields[field.name] = fill(layoutOf(field.of!), words, name);
    else if (!field.repeated) fields[field.name] = parse(field, text);
    else {
      const values = text.split(",").map((each) => parse(field, each));
      fields[field.name] = field.isColumn ? (field.type as any).from(values) : values;
    }
  }
  return fields;
}

/** The hexadecimal bytes of a ClientFrame, without its length. */
export function encodeFlat(words: Record<string, string>, known: ReadonlyMap<string, [Field, Layout]>): string {
  const kind = [...known.keys()].find((name) => snake(name) in words);
  const fields = kind === undefined ? {} : fill(known.get(kind)![1], words, snake(kind));
  const frame = encode(kind, fields, BigInt(words.seq ?? 0), words.confirm === "true");
  return hex(frame.subarray(frame.findIndex((byte) => byte < 128) + 1));
}
