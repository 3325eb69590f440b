import { describe, expect, test } from 'vitest';
import { fromPlainTables, toPlainTables } from '../../../api/plugins/plain-tables.ts';
import { TextColumn } from '../../../pipeline/model/column.ts';
import type { TimetableTables } from '../../../pipeline/snapshots/timetable-contract.ts';
import { openWorld } from '../../support/worlds/board-world.ts';
import { soundFeed } from '../../support/worlds/ingest.ts';

/** Simulates a message between threads with `structuredClone`. */
const send = (tables: TimetableTables) => fromPlainTables<TimetableTables>(structuredClone(toPlainTables(tables)));

const listColumns = (tables: TimetableTables) =>
  Object.entries(tables).flatMap(([table, columns]) =>
    Object.entries(columns).map(([name, column]) => ({ name: `${table}.${name}`, column: column as Column })),
  );
type Column = TextColumn | Int32Array;
const readAll = (column: Column) =>
  column instanceof TextColumn
    ? Array.from({ length: column.length }, (_, row) => column.get(row))
    : [column.constructor.name, ...column];
const memoryOf = (column: Column) => (column instanceof TextColumn ? column.bytes.buffer : column.buffer);

describe('tables sent to another thread', () => {
  test('round-trip row by row', async () => {
    const { tables } = (await openWorld({ at: soundFeed })).timetable;
    const arrived = listColumns(send(tables));
    const sent = listColumns(tables);
    expect(arrived.map(({ name, column }) => [name, readAll(column)])).toEqual(
      sent.map(({ name, column }) => [name, readAll(column)]),
    );
    expect(sent.length).toBeGreaterThan(80);
  });

  test('share their memory', async () => {
    const { tables } = (await openWorld({ at: soundFeed })).timetable;
    const arrived = send(tables);
    for (const { name, column } of [...listColumns(tables), ...listColumns(arrived)]) {
      // An empty column has no memory to share.
      if (column.length > 0) expect([name, memoryOf(column) instanceof SharedArrayBuffer]).toEqual([name, true]);
    }
    const [lat] = tables.stops.lat;
    arrived.stops.lat[0] = 1.5;
    expect(tables.stops.lat[0]).toBe(1.5);
    tables.stops.lat[0] = lat!;
    expect(arrived.stops.lat[0]).toBe(lat);
  });

  test('are copied if their memory is not shared', () => {
    const made = { texts: { text: TextColumn.from(['Südtiroler Platz', '']), count: Int32Array.of(1, 2) } };
    const arrived = fromPlainTables<typeof made>(structuredClone(toPlainTables(made)));
    expect([arrived.texts.text.get(0), arrived.texts.text.get(1), [...arrived.texts.count]]).toEqual([
      'Südtiroler Platz',
      '',
      [1, 2],
    ]);
    made.texts.count[0] = 7;
    expect(arrived.texts.count[0]).toBe(1);
  });
});
