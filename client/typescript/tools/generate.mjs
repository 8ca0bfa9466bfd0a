// SPDX-License-Identifier: Apache-2.0
//
// Writes src/protocol.ts: the messages and enums of quadrille.proto as types, and their descriptor for the protobuf library.
// The library's own generator makes arrays of numbers of columns; these types have typed arrays.
// usage: node tools/generate.mjs DESCRIPTOR_SET >src/protocol.ts
// tools/generate makes the descriptor set with protoc.
import { readFileSync } from "node:fs";
import { clearField, createFileRegistry, fromBinary, ScalarType, toBinary } from "@bufbuild/protobuf";
import { base64Encode } from "@bufbuild/protobuf/wire";
import { FieldDescriptorProtoSchema, FileDescriptorProtoSchema, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";

const TYPES = { DOUBLE: "number", FLOAT: "number", UINT64: "number", FIXED64: "bigint", FIXED32: "number", BOOL: "boolean",
  STRING: "string", BYTES: "Uint8Array", UINT32: "number", SINT32: "number" };
const COLUMNS = { FIXED32: "Uint32Array", FIXED64: "BigUint64Array", FLOAT: "Float32Array", DOUBLE: "Float64Array" };
// All other fields of the type bytes are columns with one byte per entry.
const OPAQUE = ["resume", "resume_key", "relay", "payload", "enter_payload"];

const set = fromBinary(FileDescriptorSetSchema, readFileSync(process.argv[2]));
const file = createFileRegistry(set).getFile("quadrille.proto");
const withInner = (message) => [message, ...message.nestedMessages.flatMap(withInner)];
const messages = file.messages.flatMap(withInner);
const enums = [...messages.flatMap((message) => message.nestedEnums), ...file.enums];

/** A name within the package: of an inner message with the outer one before it, of an enum only where it needs that. */
function nameOf(described) {
  const whole = described.typeName.slice(file.proto.package.length + 1).replaceAll(".", "");
  return described.kind === "enum" && enums.filter((other) => other.name === described.name).length === 1
    ? described.name : whole;
}

function typeOf(field) {
  const isList = field.fieldKind === "list", described = field.message ?? field.enum;
  if (described) return nameOf(described) + (isList ? "[]" : "");
  const scalar = ScalarType[field.scalar];
  return !isList ? TYPES[scalar] : COLUMNS[scalar] ?? `${TYPES[scalar]}[]`;
}

const isOptional = (field) => field.oneof !== undefined || field.fieldKind === "message";

const out = ["// SPDX-License-Identifier: Apache-2.0", "//",
  "// Made by tools/generate from proto/quadrille.proto, which documents every field. Do not change it by hand.",
  'import type { DescFile } from "@bufbuild/protobuf";', 'import { fileDesc } from "@bufbuild/protobuf/codegenv2";', ""];
for (const each of enums) {
  out.push(`export const ${nameOf(each)} = {`);
  for (const value of each.values) out.push(`  ${value.localName}: ${value.number},`);
  out.push("} as const;", `export type ${nameOf(each)} = (typeof ${nameOf(each)})[keyof typeof ${nameOf(each)}];`, "");
}
for (const message of messages) {
  out.push(`export interface ${nameOf(message)} {`);
  for (const field of message.fields) out.push(`  ${field.localName}${isOptional(field) ? "?" : ""}: ${typeOf(field)};`);
  out.push("}", "");
}
out.push("/** Fields of the type bytes that are no columns. */",
  `export const OPAQUE: ReadonlySet<string> = new Set(${JSON.stringify(OPAQUE).replaceAll(",", ", ")});`, "",
  "/** quadrille.proto, as the protobuf library describes it. */", "export const FILE: DescFile = fileDesc(");
// The library makes the JSON names again.
for (const { proto } of messages) {
  for (const field of proto.field) clearField(field, FieldDescriptorProtoSchema.field.jsonName);
}
const encoded = base64Encode(toBinary(FileDescriptorProtoSchema, file.proto));
const lines = encoded.match(/.{1,116}/g).map((line) => `"${line}"`);
out.push(`  ${lines.join(" +\n  ")},`, ");");
console.log(out.join("\n"));
