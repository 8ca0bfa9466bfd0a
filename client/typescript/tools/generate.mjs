// SPDX-License-Identifier: Apache-2.0
//
// Writes src/protocol.ts: the messages and enums of quadrille.proto as types, and as tables for the codec.
// usage: node tools/generate.mjs DESCRIPTOR_SET >src/protocol.ts
// tools/generate makes the descriptor set with protoc.
import { readFileSync } from "node:fs";

const SCALARS = { 1: "double", 2: "float", 4: "uint64", 6: "fixed64", 7: "fixed32", 8: "bool", 9: "string", 11: "message",
  12: "bytes", 13: "uint32", 14: "enum", 17: "sint32" };
const COLUMNS = { fixed32: "Uint32Array", fixed64: "BigUint64Array", float: "Float32Array", double: "Float64Array" };
const TYPES = { double: "number", float: "number", uint64: "number", fixed64: "bigint", fixed32: "number", bool: "boolean",
  string: "string", bytes: "Uint8Array", uint32: "number", sint32: "number" };
// All other fields of the type bytes are columns with one byte per entry.
const OPAQUE = new Set(["resume", "resume_key", "relay", "payload", "enter_payload"]);
const COLUMN = 1, REPEATED = 2, PRESENCE = 4;

// ---- the descriptor set, which is a protobuf message itself ----

function fieldsOf(data) {
  const found = {};
  let at = 0;
  const varint = () => {
    for (let value = 0, unit = 1; ; unit *= 128) {
      const byte = data[at++];
      value += (byte & 127) * unit;
      if (byte < 128) return value;
    }
  };
  while (at < data.length) {
    const tag = varint();
    let value = varint();
    if ((tag & 7) === 2) {
      value = data.subarray(at, at += value);
    } else if ((tag & 7) !== 0) {
      throw new Error(`field ${tag >> 3} of the descriptor has wire type ${tag & 7}; must be 0 or 2`);
    }
    (found[tag >> 3] ??= []).push(value);
  }
  return found;
}

const text = (data) => Buffer.from(data).toString();
const camel = (name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
const snake = (name) => name.replace(/(?<!^)[A-Z]/g, (letter) => `_${letter}`).toUpperCase();

const messages = [], enums = [];

function readEnum(data, scope) {
  const fields = fieldsOf(data);
  const values = fields[2].map(fieldsOf).map((value) => [text(value[1][0]), value[2]?.[0] ?? 0]);
  enums.push({ path: `${scope}.${text(fields[1][0])}`, name: text(fields[1][0]), values });
}

function readMessage(data, scope) {
  const fields = fieldsOf(data), path = `${scope}.${text(fields[1][0])}`;
  messages.push({ path, fields: (fields[2] ?? []).map(fieldsOf).map((field) => ({
    name: text(field[1][0]), number: field[3][0], repeated: field[4][0] === 3, kind: SCALARS[field[5][0]],
    type: field[6] && text(field[6][0]), oneof: field[9] !== undefined })) });
  for (const inner of fields[3] ?? []) readMessage(inner, path);
  for (const inner of fields[4] ?? []) readEnum(inner, path);
}

for (const file of fieldsOf(readFileSync(process.argv[2]))[1].map(fieldsOf)) {
  const scope = `.${text(file[2][0])}`;
  for (const message of file[4]) readMessage(message, scope);
  for (const each of file[5] ?? []) readEnum(each, scope);
}

// ---- names ----

const names = {};
const plain = (path) => path.split(".").slice(3).join("");
for (const message of messages) names[message.path] = plain(message.path);
for (const each of enums) {
  const isUnique = enums.filter((other) => other.name === each.name).length === 1;
  names[each.path] = isUnique ? each.name : plain(each.path);
}

function typeOf(field) {
  if (field.kind === "message" || field.kind === "enum") return names[field.type] + (field.repeated ? "[]" : "");
  if (!field.repeated) return TYPES[field.kind];
  return COLUMNS[field.kind] ?? `${TYPES[field.kind]}[]`;
}

// ---- output ----

const out = ["// SPDX-License-Identifier: Apache-2.0", "//",
  "// Made by tools/generate from proto/quadrille.proto, which documents every field. Do not change it by hand.", ""];
for (const each of enums) {
  const name = names[each.path], prefix = `${snake(each.name)}_`;
  out.push(`export const ${name} = {`);
  for (const [key, value] of each.values) out.push(`  ${key.slice(prefix.length)}: ${value},`);
  out.push("} as const;", `export type ${name} = (typeof ${name})[keyof typeof ${name}];`, "");
}
for (const message of messages) {
  out.push(`export interface ${names[message.path]} {`);
  for (const field of message.fields) {
    const isOptional = field.oneof || (field.kind === "message" && !field.repeated);
    out.push(`  ${camel(field.name)}${isOptional ? "?" : ""}: ${typeOf(field)};`);
  }
  out.push("}", "");
}
out.push("/** Enums by name: the prefix of their values on the wire, and the values. */",
  "export const ENUMS: Record<string, [string, Record<string, number>]> = {");
for (const each of enums) out.push(`  ${names[each.path]}: ["${snake(each.name)}_", ${names[each.path]}],`);
out.push("};", "", "/** How a field is encoded. */", "export const enum Trait {", `  COLUMN = ${COLUMN},`,
  `  REPEATED = ${REPEATED},`, `  PRESENCE = ${PRESENCE},`, "}", "",
  "/** The fields of each message: name, number, kind, traits, and the name of a message or an enum. */",
  "export const MESSAGES: Record<string, [string, number, string, number, string?][]> = {");
for (const message of messages) {
  out.push(`  ${names[message.path]}: [`);
  for (const field of [...message.fields].sort((a, b) => a.number - b.number)) {
    const isColumn = (field.kind === "bytes" && !OPAQUE.has(field.name)) || (field.repeated && field.kind in COLUMNS);
    const hasPresence = field.oneof || (field.kind === "message" && !field.repeated);
    const traits = (isColumn ? COLUMN : 0) | (field.repeated ? REPEATED : 0) | (hasPresence ? PRESENCE : 0);
    const type = field.type ? `, "${names[field.type]}"` : "";
    out.push(`    ["${camel(field.name)}", ${field.number}, "${field.kind}", ${traits}${type}],`);
  }
  out.push("  ],");
}
out.push("};");
console.log(out.join("\n"));
