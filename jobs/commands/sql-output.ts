import type { Json } from '@duckdb/node-api';
import type { SqlResult } from '../../pipeline/effects/read-only-duckdb.ts';
import { renderTable } from '../text-table.ts';
import type { Io } from './io.ts';

/** Writes one result to stdout. */
export type SqlWriter = (result: SqlResult, io: Io) => Promise<void>;

/**
 * An aligned table for a person. The columns can be laid out only when all rows are known, so there is a limit.
 * @param limit rows shown at most
 */
export function tableWriter(limit: number): SqlWriter {
  return async ({ columns, batches }, io) => {
    const rows: string[][] = [];
    let isCut = false;
    for await (const batch of batches) {
      const room = limit - rows.length;
      for (const row of batch.slice(0, room)) rows.push(row.map(toText));
      isCut = batch.length > room;
      if (isCut) break;
    }
    const head = columns.map(({ name, isNumeric }) => ({ title: name, align: isNumeric ? 'end' : 'start' }) as const);
    for (const line of renderTable(head, rows)) io.stdout.write(`${line}\n`);
    if (isCut) io.stderr.write(`Only the first ${limit} rows are shown; see --limit, --csv and --json.\n`);
  };
}

/** A JSON array of objects, one row a line; written while rows arrive, so it may be of any length. */
export const writeJsonRows: SqlWriter = async ({ columns, batches }, io) => {
  let before = '[';
  for await (const batch of batches) {
    for (const row of batch) {
      const object = Object.fromEntries(columns.map(({ name }, index) => [name, row[index] ?? null]));
      io.stdout.write(`${before}\n${JSON.stringify(object)}`);
      before = ',';
    }
  }
  io.stdout.write(before === '[' ? '[]\n' : '\n]\n');
};

/** CSV as RFC 4180 has it, with a head line; null is an empty field, an empty text is `""`. */
export const writeCsvRows: SqlWriter = async ({ columns, batches }, io) => {
  io.stdout.write(`${columns.map(({ name }) => toCsvField(name)).join(',')}\n`);
  for await (const batch of batches) {
    for (const row of batch) io.stdout.write(`${row.map(toCsvField).join(',')}\n`);
  }
};

function toText(value: Json): string {
  if (value === null) return 'NULL';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function toCsvField(value: Json): string {
  if (value === null) return '';
  const text = toText(value);
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
