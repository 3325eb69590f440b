import fc from 'fast-check';
import { expect, it } from 'vitest';
import { listDefinitions } from '../../../../pipeline/history/marts/definitions.ts';
import { countNaively, countTripsNaively, type StoredCall } from '../../../support/oracles/naive-marts.ts';
import { temporaryFolder } from '../../../support/worlds/ingest.ts';
import { build, limits, type PlainRow, publishDay, readMart } from '../../../support/worlds/marts.ts';
import { cancelCall, type StopEventRow } from '../../../support/worlds/stop-events.ts';

/** Times with the offset in force in Vienna: around both clock changes, and around midnight. */
const instants: readonly [date: string, utc: string, offset: number][] = [
  ['2025-10-25', '2025-10-25 23:59:59', 120],
  ['2025-10-25', '2025-10-26 00:30:00', 120],
  ['2025-10-25', '2025-10-26 01:30:00', 60],
  ['2025-10-26', '2025-10-25 23:00:00', 120],
  ['2025-10-26', '2025-10-26 22:59:00', 60],
  ['2025-10-26', '2025-10-26 23:00:00', 60],
  ['2026-03-28', '2026-03-29 00:59:00', 60],
  ['2026-03-28', '2026-03-29 01:00:00', 120],
  ['2026-03-29', '2026-03-29 12:15:30', 120],
];

const delays = [-61, -60, -1, 0, 59, 60, 329, 330, 331, 599, 600, 601, 7200];

/** Values that all sources share; then those of one source. */
const call = fc.record({
  instant: fc.constantFrom(...instants),
  trip_id: fc.constantFrom('t1', 't2', 't3'),
  position: fc.constantFrom(0, 1),
  feed_source: fc.constantFrom('city', 'land', null),
  line: fc.constantFrom('1', "O'2", null),
  product: fc.constantFrom('tram', null),
  operator: fc.constantFrom('City', "La'nd", null),
  trip_number: fc.constantFrom('RJX 1', 'RJX 2', null),
  stop_id: fc.constantFrom('a', 'b'),
  station_id: fc.constantFrom('A', null),
});
const word = fc.record({
  source: fc.constantFrom('a', 'b'),
  kind: fc.constantFrom('observed', 'forecast', 'unknown', 'cancelled', 'replaced', 'added'),
  delay: fc.constantFrom(...delays),
  isFinal: fc.boolean(),
  isDerived: fc.boolean(),
});

interface ReportKind {
  readonly kind: string;
  readonly delay: number;
  readonly isFinal: boolean;
  readonly isDerived: boolean;
}

function toRow({ kind: what, delay, isFinal, isDerived }: ReportKind): StopEventRow {
  const isObserved = what === 'observed' || what === 'added';
  return {
    delay_seconds: isObserved ? delay : null,
    forecast_delay_seconds: isObserved || what === 'forecast' ? delay + 7 : null,
    is_final_forecast: isFinal && (isObserved || what === 'forecast'),
    uncertainty_seconds: isObserved && isDerived ? 30 : null,
    evidence: isObserved ? 'observed_actual' : what === 'forecast' ? 'forecast' : 'unknown',
    observed_time: null,
    ...cancelCall(what === 'cancelled' || what === 'replaced'),
    is_replaced: what === 'replaced',
    is_added: what === 'added',
  };
}

const days = fc
  .array(fc.record({ call, words: fc.array(word, { minLength: 1, maxLength: 2 }) }), { minLength: 1, maxLength: 25 })
  .map((drawn) => {
    const call = new Map<string, StoredCall>();
    for (const { call: one, words } of drawn) {
      const { instant, line, ...facts } = one;
      const [date, scheduled_time, utc_offset_minutes] = instant;
      for (const { source, ...report } of words) {
        const row = { ...facts, line_label: line, scheduled_time, utc_offset_minutes, ...toRow(report) };
        call.set(JSON.stringify([source, date, facts.feed_source, facts.trip_id, facts.position]), {
          source,
          date,
          row,
        });
      }
    }
    return [...call.values()];
  });

const definitions = listDefinitions(limits, '180/600, 330/600/forecast', true);

function localTime({ row }: StoredCall): Date {
  return new Date(
    Date.parse(`${String(row.scheduled_time).replace(' ', 'T')}Z`) + Number(row.utc_offset_minutes) * 60_000,
  );
}

const dowOf = (call: StoredCall) => ((localTime(call).getUTCDay() + 6) % 7) + 1;
const lineKey = ({ source, date, row }: StoredCall) => [
  date,
  source,
  row.line_label ?? '',
  row.product ?? '',
  row.operator ?? '',
];
const cubeKey = (call: StoredCall) => [...lineKey(call), dowOf(call), localTime(call).getUTCHours()];
const networkKey = (call: StoredCall) => [call.date, call.source, dowOf(call), localTime(call).getUTCHours()];
const operatorKey = (call: StoredCall) => [
  call.date,
  call.source,
  call.row.operator ?? '',
  ...networkKey(call).slice(2),
];
const stopKey = (call: StoredCall) => [...lineKey(call), call.row.feed_source ?? '', call.row.stop_id];

async function publishAll(dataDir: string, calls: readonly StoredCall[]): Promise<void> {
  const folders = new Set(calls.map(({ source, date }) => `${source} ${date}`));
  for (const folder of folders) {
    const [source = '', date = ''] = folder.split(' ');
    const rows = calls.filter((call) => call.source === source && call.date === date).map(({ row }) => row);
    await publishDay(dataDir, source, date, rows);
  }
}

const countNames =
  'scheduled observed derived forecasts on_time early late late10 cancelled missing delay_sum_seconds'.split(' ');

function pick(row: PlainRow, names: readonly string[]): unknown[] {
  return names.map((name) => row[name]);
}

function sorted(rows: readonly unknown[]): string[] {
  return rows.map((row) => JSON.stringify(row)).sort();
}

function histogramOf(values: readonly number[]): { delay_minutes: number; events: number }[] {
  const minutes = values.map((delay) => Math.floor(delay / 60)).sort((a, b) => a - b);
  const distinct = [...new Set(minutes)];
  return distinct.map((one) => ({ delay_minutes: one, events: minutes.filter((other) => other === one).length }));
}

/** The smallest delay that at least this share of the values does not exceed. */
function quantileOf(values: readonly number[], share: number): number | null {
  const ascending = [...values].sort((a, b) => a - b);
  return ascending[Math.max(0, Math.ceil(share * ascending.length) - 1)] ?? null;
}

it('the marts equal a count call by call, under every definition', { timeout: 240_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(days, async (calls) => {
      const dataDir = await temporaryFolder();
      await publishAll(dataDir, calls);
      await build(dataDir, { definitions });
      const trips = await readMart(dataDir, 'trip_daily');
      const ofTrip = ['service_date', 'source', 'feed_source', 'trip_id', 'trip_number', 'scheduled', 'observed'];
      const ends = ['cancelled', 'final_delay_seconds', 'max_delay_seconds'];
      expect(sorted(trips.map((row) => pick(row, [...ofTrip, ...ends])))).toEqual(sorted(countTripsNaively(calls)));
      for (const definition of definitions) {
        const where = `on_time_max_delay_seconds = ${definition.onTimeMaxDelaySeconds} and evidence = '${definition.evidence}'`;
        const expected = (keyOf: (call: StoredCall) => unknown[]) =>
          [...countNaively(calls, definition, (call) => JSON.stringify(keyOf(call)))].map(
            ([key, { counts, delays: seen }]) => ({
              key: JSON.parse(key) as unknown[],
              counts: pick({ ...counts }, countNames),
              seen,
            }),
          );
        const cube = await readMart(dataDir, 'punctuality_cube', where);
        const cubeNames = ['service_date', 'source', 'line', 'product', 'operator', 'dow', 'hour'];
        expect(sorted(cube.map((row) => [pick(row, cubeNames), pick(row, countNames), row.delay_histogram]))).toEqual(
          sorted(expected(cubeKey).map(({ key, counts, seen }) => [key, counts, histogramOf(seen)])),
        );
        const network = await readMart(dataDir, 'network_hourly', where);
        const networkNames = ['service_date', 'source', 'dow', 'hour'];
        expect(sorted(network.map((row) => [...pick(row, networkNames), ...pick(row, countNames)]))).toEqual(
          sorted(expected(networkKey).map(({ key, counts }) => [...key, ...counts])),
        );
        const operators = await readMart(dataDir, 'operator_hourly', where);
        const operatorNames = ['service_date', 'source', 'operator', 'dow', 'hour'];
        expect(sorted(operators.map((row) => [...pick(row, operatorNames), ...pick(row, countNames)]))).toEqual(
          sorted(expected(operatorKey).map(({ key, counts }) => [...key, ...counts])),
        );
        const lines = await readMart(dataDir, 'line_daily', where);
        const lineNames = ['service_date', 'source', 'line', 'product', 'operator'];
        const quantiles = ['p50_delay_seconds', 'p90_delay_seconds'];
        expect(
          sorted(lines.map((row) => [...pick(row, lineNames), ...pick(row, countNames), ...pick(row, quantiles)])),
        ).toEqual(
          sorted(
            expected(lineKey).map(({ key, counts, seen }) => [
              ...key,
              ...counts,
              quantileOf(seen, 0.5),
              quantileOf(seen, 0.9),
            ]),
          ),
        );
        const stops = await readMart(dataDir, 'stop_daily', where);
        const stopNames = [...lineNames, 'feed_source', 'stop_id'];
        expect(sorted(stops.map((row) => [...pick(row, stopNames), ...pick(row, countNames)]))).toEqual(
          sorted(expected(stopKey).map(({ key, counts }) => [...key, ...counts])),
        );
      }
    }),
    { numRuns: 6 },
  );
});
