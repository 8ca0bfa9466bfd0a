// SPDX-License-Identifier: Apache-2.0
//
// The program's rows and columns, as columns of the protocol.
import { CLIENT, type Column, type Fields } from "./wire.js";

/** Ids: one, or many. An array of uint32 is used as it is. */
export type Ids = number | ArrayLike<number>;
/** A column: one value per entry, or one value for all. */
export type Values<T = number> = T | ArrayLike<T>;

type ColumnConstructor = { new(length: number): any; from(values: ArrayLike<any>, map?: (value: any) => any): any };

function isList(value: unknown): value is ArrayLike<any> {
  return Array.isArray(value) || ArrayBuffer.isView(value);
}

export function idsOf(ids: Ids): Uint32Array {
  if (ids instanceof Uint32Array) return ids;
  return typeof ids === "number" ? Uint32Array.of(ids) : Uint32Array.from(ids);
}

function columnOf(name: string, type: ColumnConstructor, value: Values<any>, count: number, isFree: boolean): Column {
  const is64 = (type as unknown) === BigUint64Array;
  if (!isList(value)) return new type(count).fill(is64 ? BigInt(value) : Number(value));
  if (value.length !== count && !isFree) {
    throw new RangeError(`${name} has ${value.length} values; must be ${count}, one per id, or one number for all`);
  }
  if (value instanceof (type as any)) return value as unknown as Column;
  return is64 ? type.from(value, BigInt) : type.from(value, Number);
}

/** Fields of a request, with columns of the field's type; without a copy if the program's array has it. */
export function columnsOf(kind: string, count: number, values: Fields): Fields {
  const { columns } = CLIENT.get(kind)![1], fields: Fields = {};
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === null) continue;
    const column = columns.get(name);
    const isFree = name.startsWith("relay");
    fields[name] = column ? columnOf(name, column.type as ColumnConstructor, value, count, isFree) : value;
  }
  return fields;
}

/** Rows as columns. A row that lacks a field gets its default; without one, all rows must have the field. */
export function rowsToColumns(rows: readonly Fields[], defaults: Fields): Fields {
  const names = new Set(rows.flatMap((row) => Object.keys(row).filter((name) => row[name] !== undefined)));
  const columns: Fields = { id: [] };
  for (const name of names) {
    columns[name] = rows.map((row, i) => {
      const value = row[name] ?? defaults[name];
      if (value === undefined) throw new TypeError(`entry ${i} has no ${name}; must have it, as other entries do`);
      return value;
    });
  }
  return columns;
}

/** What a method with rows or columns was given, as columns. */
export function given(entries: unknown, defaults: Fields = {}): Fields {
  if (Array.isArray(entries)) return rowsToColumns(entries, defaults);
  const fields = entries as Fields;
  return isList(fields.id) ? { ...fields } : rowsToColumns([fields], defaults);
}
