import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type ObservationStore,
  openMemoryOnlyObservations,
} from '../../../../pipeline/lake/observations/observation-store.ts';
import type { ObservationBatch } from '../../../../pipeline/model/observation.ts';
import { toEpochDay } from '../../../../pipeline/model/service-time.ts';
import { temporaryFolder } from '../../../support/worlds/ingest.ts';
import {
  answer,
  at,
  endOf,
  listFileNames,
  listParquet,
  muchLater,
  observation,
  openStore,
  readObservations,
  today,
} from '../../../support/worlds/observations.ts';

const tomorrow = '2026-01-16' as typeof today;

/** Times are seconds after noon. */
const shortRow = ['position', 'event', 'estimated_time', 'evidence', 'first_seen_at', 'last_seen_at', 'raw_id'];

describe('a row is an observation, from its first response to its last', () => {
  it.each<[reason: string, batches: readonly ObservationBatch[], rows: readonly unknown[][]]>([
    ['nothing reported', [answer(0)], []],
    [
      'unchanged until its trip ends',
      [answer(0, { observations: [observation()] }), answer(30), answer(60, { ended: endOf(observation()) })],
      [[0, 'departure', 30, 'forecast', 0, 30, 'raw-0']],
    ],
    [
      'changed twice',
      [
        answer(0, { observations: [observation()] }),
        answer(30, { observations: [observation({ time: at(60) })] }),
        answer(60),
        answer(90, { observations: [observation({ time: at(30) })] }),
        answer(120, { ended: endOf(observation()) }),
      ],
      [
        [0, 'departure', 30, 'forecast', 0, 0, 'raw-0'],
        [0, 'departure', 30, 'forecast', 90, 90, 'raw-90'],
        [0, 'departure', 60, 'forecast', 30, 60, 'raw-30'],
      ],
    ],
    [
      'reported and published again: no change',
      [
        answer(0, { observations: [observation({ recordedAt: at(-5) })] }),
        answer(30, { observations: [observation({ recordedAt: at(25) })] }),
        answer(60, { ended: endOf(observation()) }),
      ],
      [[0, 'departure', 30, 'forecast', 0, 30, 'raw-0']],
    ],
    [
      'two values in one response: the last counts',
      [
        answer(0, { observations: [observation({ time: at(99) }), observation()] }),
        answer(9, { ended: endOf(observation()) }),
      ],
      [[0, 'departure', 30, 'forecast', 0, 0, 'raw-0']],
    ],
    [
      'a response of another part confirms nothing',
      [
        answer(0, { observations: [observation()] }),
        answer(20, { part: 'alerts' }),
        answer(30, { ended: endOf(observation()) }),
      ],
      [[0, 'departure', 30, 'forecast', 0, 0, 'raw-0']],
    ],
    [
      'another part continues the observation',
      [
        answer(0, { observations: [observation()] }),
        answer(20, { part: 'more', observations: [observation()] }),
        answer(40, { part: 'more' }),
        answer(50, { ended: endOf(observation()) }),
      ],
      [[0, 'departure', 30, 'forecast', 0, 40, 'raw-0']],
    ],
    [
      'events, channels and positions are distinguished',
      [
        answer(0, {
          observations: [
            observation(),
            observation({ event: 'arrival' }),
            observation({ position: 1 }),
            observation({ channel: 'positions', evidence: 'observed_actual', time: at(10) }),
          ],
        }),
        answer(9, { ended: endOf(observation()) }),
      ],
      [
        [0, 'arrival', 30, 'forecast', 0, 0, 'raw-0'],
        [0, 'departure', 30, 'forecast', 0, 0, 'raw-0'],
        [0, 'departure', null, 'observed_actual', 0, 0, 'raw-0'],
        [1, 'departure', 30, 'forecast', 0, 0, 'raw-0'],
      ],
    ],
    [
      'the clock was set back',
      [answer(60, { observations: [observation()] }), answer(30), answer(40, { ended: endOf(observation()) })],
      [[0, 'departure', 30, 'forecast', 60, 60, 'raw-60']],
    ],
    ['a trip ends without reports', [answer(0, { ended: endOf(observation()) })], []],
    [
      'it ends, and is reported once more',
      [
        answer(0, { observations: [observation()] }),
        answer(30, { ended: endOf(observation()), observations: [observation({ time: at(40) })] }),
        answer(60, { ended: endOf(observation()) }),
      ],
      [
        [0, 'departure', 30, 'forecast', 0, 0, 'raw-0'],
        [0, 'departure', 40, 'forecast', 30, 30, 'raw-30'],
      ],
    ],
  ])('%s', async (_reason, batches, rows) => {
    const dataDir = await temporaryFolder();
    const store = await openStore(dataDir);
    for (const batch of batches) await store.append(batch);
    const outcome = await store.flush(at(200));
    expect(await readObservations(dataDir, shortRow)).toEqual(rows);
    expect(outcome).toEqual({ rows: rows.length, files: rows.length > 0 ? 1 : 0 });
    // A second flush finds nothing to do.
    expect(await store.flush(at(300))).toEqual({ rows: 0, files: 0 });
    await store.close();
  });
});

describe('every column', () => {
  const columns = [
    'source',
    'trip_id',
    'trip_key',
    'route_id',
    'line_label',
    'stop_id',
    'channel',
    'scheduled_time',
    'estimated_time',
    'observed_time',
    'delay_seconds',
    'evidence',
    'is_cancelled',
    'platform',
    'recorded_at',
  ];

  it.each<[reason: string, reported: Parameters<typeof observation>[0], row: readonly unknown[]]>([
    [
      'a forecast',
      { platform: '3A', recordedAt: at(-3) },
      ['live', 't7', 7, 'r1', 'U1', 'a', 'stop_events', 0, 30, null, 30, 'forecast', false, '3A', -3],
    ],
    [
      'an observation, early',
      { evidence: 'observed_actual', time: at(-60), channel: 'positions' },
      ['live', 't7', 7, 'r1', 'U1', 'a', 'positions', 0, null, -60, -60, 'observed_actual', false, null, null],
    ],
    [
      'an estimate from positions, too uncertain to count',
      { evidence: 'unknown', time: at(20), channel: 'positions', uncertaintySeconds: 90 },
      ['live', 't7', 7, 'r1', 'U1', 'a', 'positions', 0, 20, null, 20, 'unknown', false, null, null],
    ],
    [
      'a cancellation',
      { evidence: 'unknown', time: null, isCancelled: true },
      ['live', 't7', 7, 'r1', 'U1', 'a', 'stop_events', 0, null, null, null, 'unknown', true, null, null],
    ],
    [
      'an added trip without a schedule',
      { tripKey: 2n ** 64n - 1n, tripId: 'é "x"', routeId: null, lineLabel: null, scheduledTime: null },
      ['live', 'é "x"', -1, null, null, 'a', 'stop_events', null, 30, null, null, 'forecast', false, null, null],
    ],
    [
      'a missing time',
      { time: 1e12 as never, scheduledTime: 1 as never },
      ['live', 't7', 7, 'r1', 'U1', 'a', 'stop_events', 1 - at(0), null, null, null, 'forecast', false, null, null],
    ],
    [
      'a delay of a hundred years',
      { time: 4_000_000_000 as never, scheduledTime: 1 as never },
      [
        'live',
        't7',
        7,
        'r1',
        'U1',
        'a',
        'stop_events',
        1 - at(0),
        4e9 - at(0),
        null,
        null,
        'forecast',
        false,
        null,
        null,
      ],
    ],
    [
      'a time without evidence',
      { evidence: 'unknown' },
      ['live', 't7', 7, 'r1', 'U1', 'a', 'stop_events', 0, null, null, null, 'unknown', false, null, null],
    ],
  ])('%s', async (_reason, reported, row) => {
    const dataDir = await temporaryFolder();
    const store = await openStore(dataDir);
    await store.append(answer(0, { observations: [observation(reported)] }));
    await store.flush(muchLater);
    await store.close();
    expect(await readObservations(dataDir, columns)).toEqual([row]);
  });

  it('has one folder per service date', async () => {
    const dataDir = await temporaryFolder();
    const store = await openStore(dataDir);
    const next = observation({ day: toEpochDay(tomorrow) });
    await store.append(answer(0, { observations: [observation(), next] }));
    expect(await store.flush(muchLater)).toEqual({ rows: 2, files: 2 });
    expect((await listParquet(dataDir)).map((file) => path.dirname(file))).toEqual([
      path.join('source=live', 'service_date=2026-01-15'),
      path.join('source=live', 'service_date=2026-01-16'),
    ]);
    expect(await listFileNames(dataDir)).toEqual(['part-0000000001.parquet', 'part-0000000001.parquet']);
    await store.close();
  });
});

describe('trip ids of the source', () => {
  const name = { tripId: 'x1', startDate: today, startTime: null, key: 2n ** 63n, day: toEpochDay(today) };
  const old = { ...name, until: at(60) };
  const other = { ...name, tripId: 'x2', until: at(3600) };
  const newer = { ...other, key: 7n };

  it('are the newest mapping per id, also after a restart and a flush, until the trip has ended', async () => {
    const dataDir = await temporaryFolder();
    let store = await openStore(dataDir);
    await store.append(answer(0, { resolved: [old, other] }));
    await store.append(answer(30, { observations: [observation()], resolved: [newer] }));
    await store.append(answer(31, { ended: endOf(observation()) }));
    const list = async () => {
      const before = [...store.listResolved()];
      await store.close();
      store = await openStore(dataDir);
      expect([...store.listResolved()]).toEqual(before);
      return before;
    };
    expect(await list()).toEqual([old, newer]);
    await store.flush(at(40));
    expect(await list()).toEqual([old, newer]);
    await store.append(answer(80, { observations: [observation()] }));
    await store.append(answer(81, { ended: endOf(observation()) }));
    await store.flush(at(90));
    expect(await list()).toEqual([newer]);
    await store.close();
  });
});

describe('open observations', () => {
  async function listOpen(store: ObservationStore) {
    return [...store.listOpen()].sort((a, b) => a.position - b.position);
  }

  it('are the newest of each key, complete, also after a restart and a flush', async () => {
    const dataDir = await temporaryFolder();
    let store = await openStore(dataDir);
    const first = observation({ platform: '1', recordedAt: at(-9) });
    const second = observation({ position: 1, evidence: 'observed_actual', isCancelled: true, channel: 'positions' });
    await store.append(answer(0, { observations: [observation({ time: at(1) }), second] }));
    await store.append(answer(30, { observations: [first] }));
    await store.append(answer(60));
    const open = [
      { ...first, firstSeenAt: at(30), lastSeenAt: at(60), rawId: 'raw-30', part: 'trips' },
      { ...second, firstSeenAt: at(0), lastSeenAt: at(60), rawId: 'raw-0', part: 'trips' },
    ];
    expect(await listOpen(store)).toEqual(open);
    expect(store.countClosed()).toBe(1);
    await store.close();
    store = await openStore(dataDir);
    expect(await listOpen(store)).toEqual(open);
    expect(store.countClosed()).toBe(1);
    await store.flush(at(90));
    expect(await listOpen(store)).toEqual(open);
    await store.close();
    store = await openStore(dataDir);
    expect(await listOpen(store)).toEqual(open);
    expect(store.countClosed()).toBe(0);
    await store.close();
  });

  it.each<[reason: string, reported: Parameters<typeof observation>[0], hours: number, isOpen: boolean]>([
    ['twelve hours after its time', {}, 12, true],
    ['a little later', {}, 12.1, false],
    ['a day before its time', { scheduledTime: at(86_400), time: null }, 24, true],
    ['a time that never comes', { time: 4_000_000_000 as never }, 14 * 24, true],
    ['a time that has still not come', { time: 4_000_000_000 as never }, 14 * 24 + 1, false],
  ])('%s', async (_reason, reported, hours, isOpen) => {
    const dataDir = await temporaryFolder();
    const store = await openStore(dataDir);
    await store.append(answer(0, { observations: [observation(reported)] }));
    await store.flush(at(hours * 3600));
    expect((await listOpen(store)).length).toBe(isOpen ? 1 : 0);
    expect((await listParquet(dataDir)).length).toBe(isOpen ? 0 : 1);
    await store.close();
  });
});

it('a source that must not be recorded leaves nothing on the disk', async () => {
  const dataDir = await temporaryFolder();
  const store = openMemoryOnlyObservations();
  await store.append(answer(0, { observations: [observation(), observation({ position: 1 })] }));
  await store.append(answer(30, { observations: [observation({ time: at(60) })] }));
  expect([...store.listOpen()].map(({ time, firstSeenAt }) => [time, firstSeenAt])).toEqual([
    [at(30), at(0)],
    [at(60), at(30)],
  ]);
  expect(store.countClosed()).toBe(1);
  expect(await store.flush(muchLater)).toEqual({ rows: 0, files: 0 });
  expect([store.countClosed(), [...store.listOpen()]]).toEqual([0, []]);
  await store.close();
  expect(await readdir(dataDir)).toEqual([]);
});
