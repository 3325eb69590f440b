import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Duckdb, openDuckdb, sqlText } from '../../../pipeline/effects/duckdb.ts';
import type { ServiceDate } from '../../../pipeline/model/service-time.ts';
import { loadPlRail } from '../pl-rail-layout.ts';
import { readTransfers } from './read-transfers.ts';

/** Calls of trains as text: trip, stop, planned arrival and departure in seconds, both delays, `x` when cancelled. */
const calls = `
  a west   0    0     0 0
  a centre 600  660   0 0
  a east   1200 1200  0 0
  b south  0    0     0 0
  b centre 700  780   0 0
  b north  1300 1300  0 0
  c centre 1800 1800  0 0
  c north  2400 2400  0 0
  d centre 1801 1801  0 0
  d north  2400 2400  0 0
  e centre 779  779   0 0
  e north  2400 2400  0 0
  f centre 900  900   0 0
  f west   1400 1400  0 0
  g centre 900  900   0 0 x
  g north  1400 1400  0 0
  h centre 900  900   0 14400
  h north  1400 1400  0 0
  i south  100  100   0 0
  i centre 900  900   0 0
  j centre 900  900   0 0
  j north  1400 1400  0 0 x
  k centre 950  950   0 0
  k north  1400 1400  0 0
`;

let folder: string;
let db: Duckdb;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'taktgeber-transfers-'));
  db = await openDuckdb({ threads: 1 });
});

afterAll(async () => {
  db.close();
  await rm(folder, { recursive: true });
});

/** Writes the calls on two service days; train k has the number of train a. */
async function writeArchive(): Promise<string> {
  const file = path.join(folder, 'delays.parquet');
  const rows = calls
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  const values = rows.map(
    ([trip, stop, arrival, departure, late, leaves, cancelled], i) =>
      `(${sqlText(trip!)}, ${sqlText(stop!)}, ${i + 1}, ${arrival}, ${departure}, ${late}, ${leaves}, ${cancelled === 'x'})`,
  );
  await db.run(`copy (
    select day as service_date, 'trip ' || trip as trip_name, 'id' || day as trip_id, 'R' as route,
      if(trip = 'k', 'a', trip) as train_no, 'op' as operator, seq, stop,
      day + to_seconds(arrival) as arr_sched_utc, day + to_seconds(departure) as dep_sched_utc,
      late::bigint as arr_delay_s, leaves::bigint as dep_delay_s, cancelled
    from (values ${values.join(', ')}) t (trip, stop, seq, arrival, departure, late, leaves, cancelled)
    cross join (select unnest([date '2026-01-01', date '2026-01-02']) as day)
  ) to ${sqlText(file)} (format parquet)`);
  return file;
}

describe('changes of an archive', () => {
  it('are those of the protocol, with their places in the table of trips', async () => {
    const file = await writeArchive();
    const date = '2026-01-02' as ServiceDate;
    const { table } = await loadPlRail(db, file, date, date);
    const names = calls
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/).slice(0, 2).join(' '));
    const found = await readTransfers(db);
    const described = Array.from(found.arrival, (arrival, i) => {
      const departure = found.departure[i]!;
      return `${names[arrival]} > ${names[departure]} ${table.scheduledDeparture[departure]! - table.scheduledArrival[arrival]!}`;
    });
    // Not: b to a (back in time), a to e (179 s), a to d (1201 s), a to f (back west), a to g, h and j (a call that does
    // not count), a to i (it ends there), a to k (the same train), f to any (it begins there).
    expect(described).toEqual([
      'a centre > b centre 180',
      'a centre > c centre 1200',
      'b centre > c centre 1100',
      'b centre > d centre 1101',
      'b centre > f centre 200',
      'b centre > k centre 250',
      'i centre > c centre 900',
      'i centre > d centre 901',
    ]);
    expect([...new Set(table.serviceDay)]).toHaveLength(1);
  });

  it('are sampled by the hash of the protocol', async () => {
    await loadPlRail(db, await writeArchive(), '2026-01-01' as ServiceDate, '2026-01-02' as ServiceDate);
    const found = await readTransfers(db);
    expect(found.count).toBe(16);
    const hash = async (day: string, from: string, to: string) => {
      const text = `trip ${from}#id${day}${day}centretrip ${to}id${day}`;
      const [row] = await db.query(`select hash(${sqlText(text)}) % 12 = 0 as is_sampled`);
      return row!.is_sampled ? 1 : 0;
    };
    const pairs = ['ab', 'ac', 'bc', 'bd', 'bf', 'bk', 'ic', 'id'];
    const expected = [];
    for (const day of ['2026-01-01', '2026-01-02']) {
      for (const pair of pairs) expected.push(await hash(day, pair[0]!, pair[1]!));
    }
    expect([...found.isSampled]).toEqual(expected);
  });
});
