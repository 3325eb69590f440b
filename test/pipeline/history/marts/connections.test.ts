import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { temporaryFolder } from '../../../support/worlds/ingest.ts';
import { build, publishDay, readMart } from '../../../support/worlds/marts.ts';
import { cancelCall, type StopEventRow } from '../../../support/worlds/stop-events.ts';

/** Seconds after noon. */
const at = (seconds: number) => new Date(Date.parse('2026-01-15T12:00:00Z') + seconds * 1000).toISOString();

/** Line A arrives at noon with this delay; null: not observed. */
function arrival(delay: number | null, reported: StopEventRow = {}): StopEventRow {
  const evidence = delay === null ? 'unknown' : 'observed_actual';
  const row = { trip_id: 'a', line_label: 'A', position: 1, event: 'arrival', station_id: 'S', utc_offset_minutes: 60 };
  return { ...row, scheduled_time: at(0), delay_seconds: delay, evidence, ...reported };
}

/** Line B starts its trip here, scheduled at these seconds after noon. */
function departure(due: number, delay: number | null, reported: StopEventRow = {}): StopEventRow {
  const evidence = delay === null ? 'unknown' : 'observed_actual';
  const row = {
    trip_id: `b${due}`,
    line_label: 'B',
    position: 0,
    event: 'departure',
    station_id: 'S',
    utc_offset_minutes: 60,
  };
  return { ...row, scheduled_time: at(due), delay_seconds: delay, evidence, ...reported };
}

const through: StopEventRow = { event: 'arrival', position: 3 };

const cases: readonly [reason: string, rows: readonly StopEventRow[], counts: readonly number[] | null][] = [
  ['both on time', [arrival(0), departure(300, 0)], [1, 1, 0, 0]],
  ['made with no time to spare', [arrival(180), departure(300, 0)], [1, 1, 0, 0]],
  ['missed by a second', [arrival(181), departure(300, 0)], [1, 1, 1, 0]],
  ['the departure waits', [arrival(600), departure(300, 420)], [1, 1, 0, 0]],
  ['the departure is early', [arrival(0), departure(180, -61)], [1, 1, 1, 0]],
  ['the shortest scheduled time', [arrival(0), departure(120, 0)], [1, 1, 0, 0]],
  ['a scheduled time that is too short', [arrival(0), departure(119, 600)], null],
  ['the longest scheduled time', [arrival(0), departure(900, 0)], [1, 1, 0, 0]],
  ['a scheduled time that is too long', [arrival(0), departure(901, 0)], null],
  ['only the next departure counts', [arrival(400), departure(300, 0), departure(600, 0)], [1, 1, 1, 0]],
  [
    'another direction is another transfer',
    [arrival(400), departure(300, 0), departure(600, 0, { direction: 'Oberlaa' })],
    [2, 2, 1, 0],
  ],
  ['the departure is cancelled', [arrival(0), departure(300, null, cancelCall())], [1, 1, 1, 1]],
  [
    'the vehicle arrives, and its trip ends there',
    [arrival(0), departure(240, 0, { ...through, scheduled_departure_time: at(300), departure_is_cancelled: true })],
    [1, 1, 1, 1],
  ],
  ['the arrival is cancelled', [arrival(null, cancelCall()), departure(300, 0)], [1, 0, 0, 0]],
  ['the arrival was not observed', [arrival(null), departure(300, 0)], [1, 0, 0, 0]],
  ['the departure was not observed', [arrival(0), departure(300, null)], [1, 0, 0, 0]],
  [
    'a forecast is not an observation',
    [arrival(null, { evidence: 'forecast', forecast_delay_seconds: 900 }), departure(300, 0)],
    [1, 0, 0, 0],
  ],
  [
    'a through vehicle departs at its departure',
    [arrival(300), departure(240, 0, { ...through, scheduled_departure_time: at(300), departure_delay_seconds: 120 })],
    [1, 1, 0, 0],
  ],
  [
    'whose departure was not observed, but its arrival',
    [arrival(300), departure(240, 0, { ...through, scheduled_departure_time: at(300) })],
    [1, 0, 0, 0],
  ],
  ['the last stop of a trip has no departure', [arrival(0), departure(300, 0, through)], null],
  ['another station', [arrival(0), departure(300, 0, { station_id: 'T' })], null],
  ['the same line', [arrival(0), departure(300, 0, { line_label: 'A' })], null],
  ['a line without a name', [arrival(0), departure(300, 0, { line_label: null })], null],
  ['an added trip', [arrival(0), departure(300, 0, { is_added: true })], null],
];

/** Scheduled, observed, missed and cancelled transfers from A to B, by station. */
const counted = new Map<unknown, unknown[][]>();

// All cases share a day, each with its own stations and trips: one day of all costs as much as one of each.
beforeAll(async () => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'taktgeber-connections-'));
  try {
    const own = (row: StopEventRow, i: number) => ({
      ...row,
      trip_id: `${i} ${row.trip_id}`,
      station_id: `${i} ${row.station_id}`,
    });
    const rows = cases.flatMap(([, reported], i) => reported.map((row) => own(row, i)));
    await publishDay(dataDir, 'live', '2026-01-15', rows);
    await build(dataDir);
    for (const row of await readMart(dataDir, 'connections_daily', "from_line = 'A' and to_line = 'B'")) {
      const known = counted.get(row.station_id) ?? [];
      counted.set(row.station_id, [...known, [row.planned, row.observed, row.missed, row.cancelled]]);
    }
  } finally {
    await rm(dataDir, { recursive: true });
  }
});

it.each(cases.map(([reason, , counts], i) => ({ reason, counts, i })))('transfers: $why', ({ counts, i }) => {
  const found = [`${i} S`, `${i} T`].flatMap((station) => counted.get(station) ?? []);
  expect(found).toEqual(counts === null ? [] : [counts]);
});

it('two sources count a transfer together, two archives never do', async () => {
  const dataDir = await temporaryFolder();
  await publishDay(dataDir, 'one', '2026-01-15', [arrival(0)]);
  await publishDay(dataDir, 'two', '2026-01-15', [departure(300, 0), arrival(null)]);
  await publishDay(dataDir, 'one', '2026-01-16', [arrival(0, { feed_source: null })]);
  await publishDay(dataDir, 'two', '2026-01-16', [departure(300, 0, { feed_source: null })]);
  await build(dataDir);
  const rows = await readMart(dataDir, 'connections_daily');
  expect(rows.map((row) => [row.service_date, row.source, row.planned, row.observed])).toEqual([
    ['2026-01-15', '*', 1, 1],
  ]);
});

it('the worst of a month come first, only those observed often enough', async () => {
  const dataDir = await temporaryFolder();
  const rows = Array.from({ length: 20 }, (_, i) => {
    const noon = 2000 * i;
    return [
      arrival(i < 15 ? 600 : 0, { trip_id: `a${i}`, scheduled_time: at(noon) }),
      departure(noon + 300, 0),
      departure(noon + 300, i < 5 ? 0 : 600, { line_label: 'C', trip_id: `c${i}` }),
      ...(i < 19 ? [departure(noon + 300, 0, { line_label: 'D', trip_id: `d${i}` })] : []),
      departure(noon + 300, 600, { line_label: 'E', trip_id: `e${i}` }),
    ];
  });
  await publishDay(dataDir, 'live', '2026-01-15', rows.flat());
  await build(dataDir);
  const worst = await readMart(dataDir, 'worst_connections');
  const found = worst.map((row) => [
    row.month_start,
    row.rank,
    row.from_line,
    row.to_line,
    row.missed,
    row.observed,
    row.missed_share,
  ]);
  expect(found).toEqual([
    ['2026-01-01', 1, 'A', 'B', 15, 20, 0.75],
    ['2026-01-01', 2, 'A', 'C', 5, 20, 0.25],
  ]);
});
