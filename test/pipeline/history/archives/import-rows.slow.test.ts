import { describe, expect, it } from 'vitest';
import { archiveFolder, importFile, queryStopEvents, writeArchive } from '../../../support/worlds/imported-world.ts';
import {
  at,
  bringIn,
  type Call,
  csv,
  EVENTS,
  MAPPING,
  TRAIN,
  toLine,
  withColumns,
  withFacts,
} from '../../../support/worlds/made-up-archive.ts';

const runs = { arrival_is_cancelled: false, departure_is_cancelled: false };
const cancelled = { arrival_is_cancelled: true, departure_is_cancelled: true };

describe('a row of an archive', () => {
  it('becomes a stop event of its arrival, and of its departure for the first call of a trip', async () => {
    const { rows, manifest } = await bringIn(TRAIN);
    const common = { trip_id: 't', utc_offset: 60, evidence: 'observed_actual', ...runs };
    expect(rows).toEqual([
      {
        ...common,
        position: 0,
        stop_id: 'A',
        event: 'departure',
        scheduled: '2025-03-28 07:00:00',
        departs: '2025-03-28 07:00:00',
        observed: '2025-03-28 07:02:00',
        delay: 120,
        departure_delay: 120,
      },
      {
        ...common,
        position: 1,
        stop_id: 'B',
        event: 'arrival',
        scheduled: '2025-03-28 07:10:00',
        departs: '2025-03-28 07:11:00',
        observed: '2025-03-28 07:16:00',
        delay: 360,
        departure_delay: 330,
      },
      expect.objectContaining({ position: 2, delay: 0, departure_delay: 0 }),
      expect.objectContaining({ position: 3, stop_id: 'D', event: 'arrival', departs: null, departure_delay: null }),
    ]);
    expect(manifest).toMatchObject({
      kind: 'import',
      rows: 4,
      rowsIn: 4,
      refused: {},
      inputs: [{ name: 'days.csv' }, { name: 'days.csv: mapping own' }],
      counts: { scheduled: 4, observed: 4, cancelled: 0 },
    });
    expect(manifest?.inputs[0]?.hash).toMatch(/^[0-9a-f]{64}$/);
  });

  it('names its file', async () => {
    const { rows, manifest } = await bringIn(TRAIN, MAPPING, 'select distinct raw_id, feed_source from stop_events');
    expect(rows).toEqual([{ raw_id: `days.csv@${manifest!.inputs[0]!.hash.slice(0, 16)}`, feed_source: null }]);
  });

  it('has no delay if it is cancelled', async () => {
    const { rows } = await bringIn(TRAIN.map((call) => ({ ...call, cancelled: call.stop === 'B' })));
    expect(rows[1]).toMatchObject({ ...cancelled, evidence: 'unknown', delay: null, observed: null });
    expect(rows[0]).toMatchObject({ ...runs, delay: 120 });
  });

  it.each([
    ['ends early', ['C', 'D'], ['departure ran', 'arrival ends', 'arrival cancelled', 'arrival cancelled']],
    ['begins late', ['A', 'B'], ['departure cancelled', 'arrival cancelled', 'departure begins', 'arrival ran']],
    ['leaves out stops', ['B', 'C'], ['departure ran', 'arrival cancelled', 'arrival cancelled', 'arrival ran']],
    ['has one call left', ['A', 'C', 'D'], ['departure cancelled', ...Array(3).fill('arrival cancelled')]],
    ['is cancelled', ['A', 'B', 'C', 'D'], ['departure cancelled', ...Array(3).fill('arrival cancelled')]],
  ])('of a trip that %s is cancelled by its events', async (_how, stops, expected) => {
    const { rows, manifest } = await bringIn(TRAIN.map((call) => ({ ...call, cancelled: stops.includes(call.stop!) })));
    const reported = rows.map(({ event, arrival_is_cancelled: arrival, departure_is_cancelled: departure, delay }) => {
      const isCancelled = event === 'departure' ? departure : arrival;
      expect(delay === null).toBe(isCancelled);
      return `${event} ${isCancelled ? 'cancelled' : arrival ? 'begins' : departure ? 'ends' : 'ran'}`;
    });
    expect(reported).toEqual(expected);
    expect(manifest?.counts.cancelled).toBe(expected.filter((one) => one.endsWith('cancelled')).length);
  });

  it('may have only its arrival or departure cancelled, and then counts by the other event', async () => {
    const mapping = MAPPING.replace(
      "cancelled::varchar = 'true' as is_cancelled",
      "stop = 'B' and cancelled::varchar = 'true' as arrival_is_cancelled, false as departure_is_cancelled",
    );
    const { rows } = await bringIn(
      TRAIN.map((call) => ({ ...call, cancelled: true })),
      mapping,
    );
    expect(rows[1]).toMatchObject({ event: 'departure', delay: 330, arrival_is_cancelled: true });
    expect(rows[2]).toMatchObject({ event: 'arrival', delay: 0, ...runs });
  });

  it('counts by the other event if the counted one has no scheduled time', async () => {
    const { rows } = await bringIn([TRAIN[0]!, { stop: 'B', seq: 2, dep: at('08:11'), dd: 3 }, TRAIN[3]!]);
    expect(rows[1]).toMatchObject({ event: 'departure', scheduled: '2025-03-28 07:11:00', delay: 180 });
  });

  it('may count by departures only', async () => {
    const { rows } = await bringIn(TRAIN, withFacts(MAPPING, 'other_calls: departure'));
    expect(rows.map(({ event }) => event)).toEqual(['departure', 'departure', 'departure', 'arrival']);
  });
});

describe('unknown values', () => {
  /** Delays of a value are placeholders, under an additional condition. */
  const placeholders = (value: number, facts: readonly string[] = [], condition = 'true') =>
    withColumns(withFacts(MAPPING, ...facts), {
      arrival_is_placeholder: `try_cast(ad as double) = ${value} and ${condition}`,
      departure_is_placeholder: `try_cast(dd as double) = ${value} and ${condition}`,
    });
  const known = async (mapping: string, calls: readonly Call[] = TRAIN) => {
    const { rows, manifest } = await bringIn(calls, mapping);
    return [rows.map(({ delay }) => delay), manifest?.notes?.unknown_by_rule ?? 0];
  };
  const AFTER = ['placeholders: after_last_other'];
  const NEVER = 'placeholders: never_other';

  it.each<[reason: string, mapping: string, delays: (number | null)[], unknown: number]>([
    ['nothing', MAPPING, [120, 360, 0, 0], 0],
    ['zeros', placeholders(0, ['placeholders: always']), [120, 360, null, null], 2],
    ['another value', placeholders(6), [120, null, 0, 0], 1],
    ['zeros after the last other value', placeholders(0, AFTER), [120, 360, null, null], 2],
    ['zeros at some stops', placeholders(0, [], "lower(stop) in ('c', 'e')"), [120, 360, null, 0], 1],
    ['zeros without any other value', placeholders(0, [NEVER, 'never_other_rows: 1']), [120, 360, null, null], 2],
    ['the same, of too few rows', placeholders(0, [NEVER, 'never_other_rows: 2']), [120, 360, 0, 0], 0],
    ['the same, if few are ten', placeholders(0, [NEVER]), [120, 360, 0, 0], 0],
  ])('%s', async (_reason, mapping, delays, unknown) => {
    expect(await known(mapping)).toEqual([delays, unknown]);
  });

  it('accepts zeros before another value, and a trip with only zeros', async () => {
    const late = TRAIN.map((call) => ({ ...call, ad: call.stop === 'D' ? 9 : call.ad! }));
    expect(await known(placeholders(0, AFTER), late)).toEqual([[120, 360, 0, 540], 0]);
    const onTime = TRAIN.map((call) => ({ ...call, ad: 0, dd: 0 }));
    expect(await known(placeholders(0, AFTER), onTime)).toEqual([[0, 0, 0, 0], 0]);
  });

  it('zeros of calls that had yet to happen', async () => {
    const calls = csv(TRAIN).replaceAll(',S 1,,', ',S 1,2025-03-28 08:15:00,');
    const dataDir = await archiveFolder();
    const file = await writeArchive(dataDir, 'days.csv', calls);
    const isToCome = 'coalesce(arr, dep)::timestamp > platform::timestamp';
    await importFile({ dataDir, file, mapping: placeholders(0, [], isToCome) });
    const rows = await queryStopEvents(dataDir, 'own', EVENTS);
    expect(rows.map(({ delay }) => delay)).toEqual([120, 360, null, null]);
  });

  it('rejects impossible delays and invalid values', async () => {
    const { rows, manifest } = await bringIn([
      { stop: 'A', seq: 1, dep: at('08:00'), dd: -121 },
      { stop: 'B', seq: 2, arr: at('09:00'), ad: 1441 },
      { stop: 'C', seq: 3, arr: at('10:00'), ad: 'late' },
      { stop: 'D', seq: 4, arr: at('11:00'), ad: -120 },
    ]);
    expect(rows.map(({ delay, evidence }) => [delay, evidence])).toEqual([
      [null, 'unknown'],
      [null, 'unknown'],
      [null, 'unknown'],
      [-7200, 'observed_actual'],
    ]);
    expect(manifest?.notes).toEqual({ impossible_delay: 2, unreadable_value: 1 });
  });
});

describe('rejected rows', () => {
  it('are all counted, by code', async () => {
    const { record, manifest, rows } = await bringIn([
      ...TRAIN,
      { ...TRAIN[1]!, ad: 7 },
      { ...TRAIN[0]!, day: '' },
      { ...TRAIN[0]!, day: 'yesterday' },
      { ...TRAIN[0]!, trip: '' },
      { ...TRAIN[0]!, seq: '' },
      { ...TRAIN[0]!, seq: 0 },
      { stop: 'E', seq: 5 },
      { stop: 'E', seq: 6, arr: 'noon' },
      { stop: 'E', seq: 7, arr: at('08:00', '2025-04-28') },
      { stop: 'E', seq: 8, arr: at('08:00', '2025-03-20') },
    ]);
    expect(manifest).toMatchObject({
      rows: 4,
      rowsIn: 12,
      refused: { duplicate: 1, impossible_time: 3, no_position: 2, no_time: 1, no_trip: 1 },
    });
    expect(record).toMatchObject({ rowsRead: 14, refused: { no_service_date: 2 }, refusedInDays: { duplicate: 1 } });
    expect(rows[1]).toMatchObject({ delay: 420 });
  });

  it('keep the first or the newest of two duplicates, as configured', async () => {
    const twice = [...TRAIN, { ...TRAIN[1]!, ad: 7 }];
    const first = await bringIn(twice, withFacts(MAPPING, 'keep: first'));
    expect(first.rows[1]).toMatchObject({ delay: 360 });
    const byDelay = withColumns(MAPPING, { recency: 'ad' });
    const newest = await bringIn(twice, withFacts(byDelay, 'keep: last'));
    expect(newest.rows[1]).toMatchObject({ delay: 420 });
    const oldest = await bringIn(twice.toReversed(), withFacts(byDelay, 'keep: first'));
    expect(oldest.rows[1]).toMatchObject({ delay: 360 });
  });

  it('are those that the mapping excludes as calls', async () => {
    const mapping = withColumns(MAPPING, { skip_code: "case when stop = 'C' then 'passes' end" });
    const { manifest } = await bringIn(TRAIN, mapping);
    expect(manifest).toMatchObject({ rows: 3, refused: { passes: 1 } });
  });

  it('are lines that are not rows', async () => {
    const dataDir = await archiveFolder();
    const file = await writeArchive(dataDir, 'days.csv', `${csv(TRAIN)}${toLine(TRAIN[0]!)},one,too,many\n`);
    const { record } = await importFile({ dataDir, file, mapping: MAPPING });
    expect(record).toMatchObject({ rowsRead: 5, refused: { unreadable_line: 1 } });
  });
});

describe('times', () => {
  const timesOf = async (calls: readonly Call[], mapping = MAPPING) =>
    (await bringIn(calls, mapping)).rows.map(({ scheduled, utc_offset }) => [scheduled, utc_offset]);

  const on = (day: string, ...times: string[]): Call[] =>
    times.map((time, index) => ({ day, stop: `${index}`, seq: index + 1, arr: time, dep: time }));

  it('in the skipped hour use the offset before the change', async () => {
    const calls = on('2025-03-30', at('01:59', '2025-03-30'), at('02:30', '2025-03-30'), at('03:00', '2025-03-30'));
    expect(await timesOf(calls)).toEqual([
      ['2025-03-30 00:59:00', 60],
      ['2025-03-30 01:30:00', 120],
      ['2025-03-30 01:00:00', 120],
    ]);
  });

  it('in the repeated hour are the first, or the second once the clock has gone back', async () => {
    const night = ['01:50', '02:10', '02:50', '02:05', '02:20', '03:10'].map((time) => at(time, '2025-10-26'));
    expect(await timesOf(on('2025-10-25', ...night))).toEqual([
      ['2025-10-25 23:50:00', 120],
      ['2025-10-26 00:10:00', 120],
      ['2025-10-26 00:50:00', 120],
      ['2025-10-26 01:05:00', 60],
      ['2025-10-26 01:20:00', 60],
      ['2025-10-26 02:10:00', 60],
    ]);
  });

  it('in UTC are unchanged', async () => {
    const calls = on('2025-03-30', at('00:59', '2025-03-30'), at('01:00', '2025-03-30'));
    expect(await timesOf(calls, MAPPING.replace('clock: local', 'clock: utc'))).toEqual([
      ['2025-03-30 00:59:00', 60],
      ['2025-03-30 01:00:00', 120],
    ]);
  });

  it.each<[day: string, time: string, instant: string]>([
    ['2025-03-29', '26:30:00', '2025-03-30 01:30:00'],
    ['2025-03-30', '00:00:00', '2025-03-29 22:00:00'],
    ['2025-10-25', '26:30:00', '2025-10-26 00:30:00'],
    ['2025-10-25', '27:30:00', '2025-10-26 01:30:00'],
    ['2025-10-26', '0', '2025-10-25 23:00:00'],
  ])('of the service day: %s %s is %s', async (day, time, instant) => {
    const mapping = MAPPING.replace('clock: local', 'clock: service');
    expect((await timesOf([{ day, stop: 'A', seq: 1, arr: time, ad: 0 }], mapping))[0]![0]).toBe(instant);
  });

  it('a day late are corrected if configured', async () => {
    const late = [{ ...TRAIN[0]!, arr: '', dep: at('08:00', '2025-03-29') }, ...TRAIN.slice(1)];
    const { rows, manifest } = await bringIn(late, withFacts(MAPPING, 'repairs_days: true'));
    expect(rows[0]).toMatchObject({ scheduled: '2025-03-28 07:00:00', delay: 120 });
    expect(manifest?.notes).toEqual({ day_repaired: 1 });
    expect((await bringIn(late)).rows[0]).toMatchObject({ scheduled: '2025-03-29 07:00:00' });
  });
});
