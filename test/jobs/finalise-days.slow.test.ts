import { appendFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { findStopEventManifest, listStopEventDays } from '../../pipeline/history/stop-events/stop-event-manifest.ts';
import type { ServiceDate } from '../../pipeline/model/service-time.ts';
import { hashTrip } from '../../pipeline/snapshots/timetable-lookups.ts';
import {
  feedOf,
  finalise,
  getManifest,
  listRows,
  live,
  openWorldToFinalise,
  other,
  type ReportedEvent,
  storeAnswers,
  type World,
} from '../support/worlds/finalised-world.ts';
import { ingestFeeds, soundFeed } from '../support/worlds/ingest.ts';
import { readStopEvents } from '../support/worlds/stop-events.ts';
import { withFiles } from '../support/worlds/text-feed.ts';

const DAY = '2026-03-03';
const AFTER = '2026-03-04T13:45:00Z';

describe('times of a day', () => {
  it.each<[reason: string, date: string, times: string[], scheduled: string[]]>([
    [
      'when clocks go forward, the day starts an hour before midnight',
      '2026-03-29',
      ['00:00:00', '02:30:00', '12:00:00'],
      ['2026-03-28 22:00:00 +60 min', '2026-03-29 00:30:00 +60 min', '2026-03-29 10:00:00 +120 min'],
    ],
    [
      'when clocks go back, half past two occurs twice, distinguished by the offset',
      '2026-10-25',
      ['01:30:00', '03:30:00', '26:30:00'],
      ['2026-10-25 00:30:00 +120 min', '2026-10-25 02:30:00 +60 min', '2026-10-26 01:30:00 +60 min'],
    ],
    [
      'the evening before clocks go back belongs to its own day after the change',
      '2026-10-24',
      ['23:00:00', '26:30:00', '27:30:00'],
      ['2026-10-24 21:00:00 +120 min', '2026-10-25 00:30:00 +120 min', '2026-10-25 01:30:00 +60 min'],
    ],
  ])('%s', async (_case, date, times, scheduled) => {
    const world = await openWorldToFinalise(feedOf(...times), date);
    await finalise(world, '2026-12-01T12:00:00Z', '--date', date);
    const rows = await readStopEvents(
      world.dataDir,
      live,
      world.date,
      `concat(strftime(scheduled_time, '%Y-%m-%d %H:%M:%S'), ' +', utc_offset_minutes, ' min') as text`,
    );
    expect(rows.map(({ text }) => text)).toEqual(scheduled);
  });

  it('a trip across midnight belongs to the day on which it started, and the day is over six hours after it', async () => {
    const world = await openWorldToFinalise(feedOf('23:50:00', '24:05:00', '25:30:00'), DAY);
    const late = { trip: 't1', position: 2, stopId: 'c', event: 'arrival', planned: '2026-03-04T00:30:00Z' } as const;
    const seen: ReportedEvent = { ...late, time: '2026-03-04T00:36:40Z', evidence: 'observed_actual' };
    await storeAnswers(world, [{ at: '2026-03-04T00:40:00Z', reported: [seen] }]);
    const early = await finalise(world, '2026-03-04T06:29:59Z');
    expect(early.stdout).toContain('no day is due, 1 not over yet');
    expect(await listStopEventDays(world.dataDir)).toEqual([]);
    await finalise(world, '2026-03-04T06:30:00Z');
    expect(await listRows(world)).toEqual([
      't1.0 a departure 22:50 unknown',
      't1.1 b arrival 23:05 unknown',
      't1.2 c arrival 00:30 observed_actual +400',
    ]);
    expect(await listStopEventDays(world.dataDir)).toEqual([{ source: live, serviceDate: DAY }]);
  });

  it('today is never final', async () => {
    const world = await openWorldToFinalise(feedOf('01:00:00', '01:10:00', '01:20:00'), DAY);
    const { stdout } = await finalise(world, `${DAY}T23:59:00Z`, '--date', DAY);
    expect(stdout).toContain('2 not over yet');
  });
});

const atC = { trip: 't1', position: 2, stopId: 'c', event: 'arrival', planned: `${DAY}T07:20:00Z` } as const;
const seenAtC = (time: string): ReportedEvent => ({ ...atC, time: `${DAY}T${time}Z`, evidence: 'observed_actual' });
const cOfT1 = (line: string) => line.startsWith('t1.2');

describe('calls outside the timetable', () => {
  const extra = (position: number, stopId: string, reported: Partial<ReportedEvent> = {}): ReportedEvent => ({
    trip: 'extra',
    key: hashTrip('live', 'added:extra', -1),
    position,
    stopId,
    event: position === 0 ? 'departure' : 'arrival',
    ...reported,
  });

  it('an added trip has separate rows, which are not planned', async () => {
    const world = await openWorldToFinalise(soundFeed, DAY);
    const reported = [
      extra(0, 'a', { planned: `${DAY}T09:00:00Z`, time: `${DAY}T09:05:00Z`, evidence: 'observed_actual' }),
      extra(1, 'somewhere', { time: `${DAY}T09:15:00Z` }),
    ];
    await storeAnswers(world, [{ at: `${DAY}T09:06:00Z`, reported }]);
    await finalise(world, AFTER);
    expect(await listRows(world, live, (line) => line.includes('added'))).toEqual([
      'extra.0 a departure 09:00 observed_actual +300 left +300 added',
      'extra.1 somewhere arrival - forecast added',
    ]);
    const counts = { scheduled: 6, observed: 0, forecast: 0, cancelled: 0, added: 2 };
    expect(await getManifest(world)).toMatchObject({ rows: 8, rowsIn: 8, refused: {}, counts });
    const [row] = await readStopEvents(
      world.dataDir,
      live,
      world.date,
      `string_agg(concat_ws(' ', stop_name, line_label, product, feed_source), '; ' order by position)
         filter (is_added) as added`,
    );
    // Line and stop are in the timetable; the trip itself is not.
    expect(row!.added).toBe('Anger 1 cityBus; 1 cityBus');
  });

  it('an added call of a scheduled trip is numbered after the scheduled ones', async () => {
    const world = await openWorldToFinalise(soundFeed, DAY);
    await storeAnswers(world, [
      { at: `${DAY}T07:12:00Z`, reported: [{ ...extra(1, 'c'), trip: 't1', key: hashTrip('city', 't1', -1) }] },
    ]);
    await finalise(world, AFTER);
    expect(await listRows(world, live, (line) => line.startsWith('t1'))).toEqual([
      't1.0 a departure 07:00 unknown',
      't1.1 b arrival 07:10 unknown',
      't1.2 c arrival 07:20 unknown',
      't1.3 c arrival - unknown added',
    ]);
  });

  it('a call reported under another timetable version is matched by stop and scheduled time', async () => {
    const world = await openWorldToFinalise(soundFeed, DAY);
    await storeAnswers(world, [{ at: `${DAY}T07:30:00Z`, reported: [{ ...seenAtC('07:21:00'), position: 7 }] }]);
    await finalise(world, AFTER);
    expect(await listRows(world, live, cOfT1)).toEqual(['t1.2 c arrival 07:20 observed_actual +60']);
    expect((await getManifest(world)).notes).toMatchObject({ calls_moved: 1, observations_used: 1 });
  });

  it('a call reported under another version at a stop served twice is matched by its scheduled time', async () => {
    const feed = withFiles(soundFeed, {
      'trips.txt': 'trip_id,route_id,service_id\nt1,r,daily',
      'stop_times.txt': [
        'trip_id,stop_id,stop_sequence,arrival_time,departure_time',
        ...['a,1,08:00', 'b,2,08:10', 'a,3,08:20', 'b,4,08:30'].map((row) => `t1,${row}:00,${row.slice(-5)}:00`),
      ].join('\n'),
    });
    const world = await openWorldToFinalise(feed, DAY);
    // Then the trip started at the second round: its first call was the current third one.
    const reported = { trip: 't1', position: 0, stopId: 'a', event: 'departure', planned: `${DAY}T07:20:00Z` } as const;
    const again = { ...reported, position: 1, stopId: 'b', event: 'arrival', planned: `${DAY}T07:30:00Z` } as const;
    // A schedule that was a minute earlier belongs to the call at its position: no other visit was scheduled then.
    const earlier = { ...reported, event: 'arrival', position: 2, planned: `${DAY}T07:19:00Z` } as const;
    const seen = { evidence: 'observed_actual' } as const;
    await storeAnswers(world, [
      { at: `${DAY}T07:40:00Z`, reported: [{ ...again, ...seen, time: `${DAY}T07:33:00Z` }] },
      { at: `${DAY}T07:41:00Z`, reported: [{ ...reported, ...seen, time: `${DAY}T07:22:00Z` }] },
    ]);
    await storeAnswers(
      world,
      [{ at: `${DAY}T07:40:00Z`, reported: [{ ...earlier, ...seen, time: `${DAY}T07:21:00Z` }] }],
      other,
    );
    await finalise(world, AFTER);
    expect(await listRows(world)).toEqual([
      't1.0 a departure 07:00 unknown',
      't1.1 b arrival 07:10 unknown',
      't1.2 a arrival 07:20 unknown left +120',
      't1.3 b arrival 07:30 observed_actual +180',
    ]);
    expect((await getManifest(world)).notes).toMatchObject({ calls_moved: 2, observations_used: 2 });
    expect((await listRows(world, other))[2]).toBe('t1.2 a arrival 07:20 observed_actual +60');
    expect((await getManifest(world, other)).notes).toMatchObject({ calls_moved: 0, observations_used: 1 });
  });
});

describe('observations', () => {
  it('are all accounted for: used, superseded, or rejected with a reason', async () => {
    const world = await openWorldToFinalise(soundFeed, DAY);
    const forecast = (time: string): ReportedEvent => ({ ...atC, time: `${DAY}T${time}Z`, evidence: 'forecast' });
    await storeAnswers(world, [
      { at: `${DAY}T07:00:00Z`, reported: [forecast('07:21:00')] },
      { at: `${DAY}T07:10:00Z`, reported: [forecast('07:22:00')] },
      { at: `${DAY}T07:19:00Z`, reported: [seenAtC('07:18:00')] },
      // Nothing is observed before it happens.
      { at: `${DAY}T07:30:00Z`, reported: [seenAtC('09:00:00')], ends: [] },
      { at: `${DAY}T07:30:30Z`, ends: [{ trip: 't1' }] },
    ]);
    await finalise(world, AFTER);
    expect((await getManifest(world)).notes).toEqual({
      observations: 4,
      observations_used: 2,
      trips_merged: 0,
      trips_replaced: 0,
      observations_superseded: 1,
      observations_refused_observed_in_future: 1,
      calls_moved: 0,
      calls_observed_though_cancelled: 0,
    });
    expect(await listRows(world, live, cOfT1)).toEqual([
      't1.2 c arrival 07:20 observed_actual -120 forecast +120 480 s before',
    ]);
  });

  it('of two sources remain rows of two sources', async () => {
    const world = await openWorldToFinalise(soundFeed, DAY);
    await storeAnswers(world, [{ at: `${DAY}T07:30:00Z`, reported: [seenAtC('07:21:00')] }]);
    await storeAnswers(world, [{ at: `${DAY}T07:30:00Z`, reported: [seenAtC('07:22:00')] }], other);
    await finalise(world, AFTER);
    expect(await listRows(world, live, cOfT1)).toEqual(['t1.2 c arrival 07:20 observed_actual +60']);
    expect(await listRows(world, other, cOfT1)).toEqual(['t1.2 c arrival 07:20 observed_actual +120']);
  });

  it('refer to the response that decided the row', async () => {
    const world = await openWorldToFinalise(soundFeed, DAY);
    await storeAnswers(world, [
      { at: `${DAY}T07:00:00Z`, reported: [{ ...atC, time: `${DAY}T07:21:00Z`, evidence: 'forecast' }] },
      { at: `${DAY}T07:30:00Z`, reported: [seenAtC('07:21:00')] },
    ]);
    await finalise(world, AFTER);
    const rows = await readStopEvents(world.dataDir, live, world.date, 'raw_id, feed_source, feed_version');
    const ids = rows.map(({ raw_id }) => raw_id).filter((id) => id !== null);
    expect(ids).toEqual([`source=live/fetch_date=${DAY}/073000-trips-00.pb.gz`]);
    expect(rows[0]).toMatchObject({ feed_source: 'city', feed_version: expect.stringMatching(/^[0-9a-f]{16}$/) });
  });
});

describe('runs of a frequency', () => {
  const withFrequency = withFiles(feedOf('08:00:00', '08:10:00', '08:20:00'), {
    'frequencies.txt': 'trip_id,start_time,end_time,headway_secs\nt1,25:00:00,25:20:00,600',
  });

  it('have separate rows, under the keys that observations use', async () => {
    const world = await openWorldToFinalise(withFrequency, DAY);
    const key = hashTrip('city', 't1', 25 * 3600 + 600);
    const reported = { ...seenAtC('07:21:00'), key, planned: '2026-03-04T00:30:00Z', time: '2026-03-04T00:31:00Z' };
    await storeAnswers(world, [{ at: '2026-03-04T00:40:00Z', reported: [reported] }]);
    await finalise(world, AFTER);
    expect(await listRows(world)).toEqual([
      't1 25:00:00.0 a departure 00:00 unknown',
      't1 25:00:00.1 b arrival 00:10 unknown',
      't1 25:00:00.2 c arrival 00:20 unknown',
      't1 25:10:00.0 a departure 00:10 unknown',
      't1 25:10:00.1 b arrival 00:20 unknown',
      't1 25:10:00.2 c arrival 00:30 observed_actual +60',
    ]);
  });
});

describe('days', () => {
  const NEXT = '2026-03-04';
  const LATER = '2026-03-06T13:45:00Z';
  const hashes = async ({ dataDir }: World) => {
    const found: Record<string, string> = {};
    for (const { serviceDate } of await listStopEventDays(dataDir)) {
      const manifest = await findStopEventManifest(dataDir, live, serviceDate);
      found[serviceDate] = `${manifest!.builtAt} ${manifest!.rowsHash}`;
    }
    return found;
  };

  it('are built once, and a single day is rebuilt when late data arrive', async () => {
    const world = await openWorldToFinalise(soundFeed, DAY);
    await storeAnswers(world, [{ at: `${DAY}T07:30:00Z`, reported: [seenAtC('07:21:00')] }]);
    await finalise(world, LATER, '--source', 'live');
    const before = await hashes(world);
    // From the first observed day on, including days without an observation.
    expect(Object.keys(before)).toEqual([DAY, NEXT, '2026-03-05']);
    expect(await finalise(world, '2026-03-06T14:00:00Z', '--source', 'live', '--exit-code')).toMatchObject({ code: 3 });
    expect(await hashes(world)).toEqual(before);

    const late = { ...seenAtC('07:21:00'), date: NEXT, planned: `${NEXT}T07:20:00Z`, time: `${NEXT}T07:20:05Z` };
    await storeAnswers(world, [{ at: '2026-03-06T10:00:00Z', reported: [late] }]);
    const { stdout } = await finalise(world, '2026-03-06T15:00:00Z', '--source', 'live');
    expect(stdout).toContain('made 1 days of 6 rows, 2 unchanged');
    const after = await hashes(world);
    expect({ ...after, [NEXT]: before[NEXT] }).toEqual(before);
    expect(after[NEXT]).not.toBe(before[NEXT]);
  });

  it('have equal hashes when they are rebuilt, also of compacted observations', async () => {
    const world = await openWorldToFinalise(soundFeed, DAY);
    for (const hour of ['07', '08', '09']) {
      await storeAnswers(world, [{ at: `${DAY}T${hour}:30:00Z`, reported: [seenAtC('07:21:00')] }]);
    }
    await finalise(world, AFTER);
    const { rowsHash } = await getManifest(world);
    await finalise(world, AFTER, '--force');
    expect((await getManifest(world)).rowsHash).toBe(rowsHash);
    const argv = ['run', 'compact-observations'];
    const { runCommand, fakeEffects } = await import('./fake-world.ts');
    await runCommand(argv, { dataDir: world.dataDir, effects: fakeEffects(AFTER) });
    await finalise(world, AFTER);
    expect((await getManifest(world)).rowsHash).toBe(rowsHash);
  });

  it('keep their timetable when another is published', async () => {
    const world = await openWorldToFinalise(soundFeed, DAY);
    await finalise(world, AFTER, '--date', DAY);
    const before = await getManifest(world);
    const without = withFiles(soundFeed, { 'trips.txt': 'trip_id,route_id,service_id\nt1,r,daily' });
    await ingestFeeds({ city: without }, { dataDir: world.dataDir, now: '2026-03-05T02:15:00Z' });
    expect((await finalise(world, AFTER, '--date', DAY)).stdout).toContain('2 unchanged');
    await finalise(world, AFTER, '--date', DAY, '--force');
    expect((await getManifest(world)).rowsHash).toBe(before.rowsHash);
    await finalise(world, '2026-03-06T20:00:00Z', '--date', '2026-03-05');
    expect(await findStopEventManifest(world.dataDir, live, '2026-03-05' as ServiceDate)).toMatchObject({ rows: 3 });
  });

  it('of a source whose licence forbids an archive are not built', async () => {
    const world = await openWorldToFinalise(soundFeed, DAY);
    await appendFile(
      path.join(world.dataDir, 'taktgeber.yaml'),
      "  - { id: vao, kind: hafas, profile: vao, endpoint: 'https://vao.example.org', key: k, stops: [1], dailyBudget: 9, timetable: city }",
    );
    await finalise(world, AFTER, '--date', DAY);
    expect((await listStopEventDays(world.dataDir)).map(({ source }) => source)).toEqual(['live', 'other']);
  });

  it('are not changed by a dry run', async () => {
    const world = await openWorldToFinalise(soundFeed, DAY);
    const { stdout } = await finalise(world, AFTER, '--date', DAY, '--dry-run');
    expect(stdout).toContain('would make 2 days');
    expect(await listStopEventDays(world.dataDir)).toEqual([]);
  });

  it('outside every timetable are built of observations only', async () => {
    const world = await openWorldToFinalise(soundFeed, DAY);
    const far = {
      ...seenAtC('07:21:00'),
      date: '2026-05-01',
      planned: '2026-05-01T07:20:00Z',
      time: '2026-05-01T07:21:00Z',
    };
    await storeAnswers(world, [{ at: '2026-05-01T07:30:00Z', reported: [far] }]);
    const { stderr } = await finalise(world, '2026-05-02T12:00:00Z', '--source', 'live');
    expect(stderr).toContain('no timetable covers 2026-05-01');
    const manifest = await findStopEventManifest(world.dataDir, live, '2026-05-01' as ServiceDate);
    expect(manifest).toMatchObject({ counts: { scheduled: 0, added: 1 } });
  });
});

describe('a period', () => {
  const period = ['--from', '2026-03-01', '--to', '2026-03-08'];

  it('gives the same days in sequence, three at a time, and resumed', async () => {
    const hashes: string[][] = [];
    for (const options of [[], ['--concurrency', '3']]) {
      const world = await openWorldToFinalise(feedOf('07:00:00', '07:10:00', '07:20:00'), DAY);
      await storeAnswers(world, [{ at: `${DAY}T07:30:00Z`, reported: [seenAtC('07:25:00')] }]);
      const { code, stdout } = await finalise(world, '2026-04-01T12:00:00Z', ...period, ...options);
      expect([code, stdout]).toEqual([0, expect.stringContaining('8 of 8 days done')]);
      const days = await listStopEventDays(world.dataDir);
      const manifests = days.map(({ source, serviceDate }) =>
        findStopEventManifest(world.dataDir, source, serviceDate),
      );
      hashes.push((await Promise.all(manifests)).map((one) => `${one!.sourceId} ${one!.serviceDate} ${one!.rowsHash}`));
      const again = await finalise(world, '2026-04-01T12:00:00Z', ...period, ...options, '--resume');
      expect(again.stdout).toContain('0 of 8 days done, 8 done before');
    }
    expect(hashes[0]!.length).toBeGreaterThanOrEqual(8);
    expect(hashes[1]).toEqual(hashes[0]);
  });

  it('of a dry run lists each day that is out of date, with the reason', async () => {
    const world = await openWorldToFinalise(feedOf('07:00:00', '07:10:00', '07:20:00'), DAY);
    const listDue = async (...options: string[]) => {
      const { stdout } = await finalise(world, '2026-04-01T12:00:00Z', '--dry-run', '--source', 'live', ...options);
      return stdout.split('\n').filter((line) => line.startsWith('live '));
    };
    const days = ['--from', '2026-03-02', '--to', '2026-03-03'];
    expect(await listDue(...days)).toEqual([
      'live 2026-03-02  it was never built',
      'live 2026-03-03  it was never built',
    ]);
    await finalise(world, '2026-04-01T12:00:00Z', ...days);
    expect(await listDue(...days)).toEqual([]);
    await storeAnswers(world, [{ at: `${DAY}T07:30:00Z`, reported: [seenAtC('07:25:00')] }]);
    expect(await listDue(...days)).toEqual(['live 2026-03-03  its observations have changed']);
    expect(await listDue(...days, '--force')).toEqual([
      'live 2026-03-02  requested with --force',
      'live 2026-03-03  its observations have changed',
    ]);
  });
});
