import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openObservations } from '../../../../pipeline/lake/observations/observation-store.ts';
import { storeRawAnswer } from '../../../../pipeline/lake/raw-answers.ts';
import { toSourceId } from '../../../../pipeline/model/ids.ts';
import { emptyUpdate, type SourceUpdate } from '../../../../pipeline/model/realtime.ts';
import type { Instant } from '../../../../pipeline/model/service-time.ts';
import type { SinkSource } from '../../../../pipeline/realtime/polling/describe-source.ts';
import { openLiveSink } from '../../../../pipeline/realtime/polling/live-sink.ts';
import type {
  PolledAnswer,
  PolledSourceState,
  RealtimeSink,
} from '../../../../pipeline/realtime/polling/realtime-sink.ts';
import { type RealtimeSourceState, tripFlags } from '../../../../pipeline/snapshots/realtime-contract.ts';
import {
  findCurrentRealtime,
  peekRealtimeManifest,
  readRealtimeManifest,
  readRealtimeSnapshot,
} from '../../../../pipeline/snapshots/realtime-files.ts';
import { findCurrentTimetableId, timetableSnapshotsFolder } from '../../../../pipeline/snapshots/timetable-files.ts';
import type { SourceFacts, SourceRequest } from '../../../../pipeline/sources/realtime-source.ts';
import { instant, publishFeeds } from '../../../support/worlds/board-world.ts';
import { silentLog, soundFeed, temporaryFolder } from '../../../support/worlds/ingest.ts';
import { alertOf, callOf, reportOf, stopOf, timeOf, tripOf, vehicleOf } from '../../../support/worlds/live-reports.ts';
import { withFiles } from '../../../support/worlds/text-feed.ts';

/** Trip t1 calls at Berg from 08:10 to 08:11. */
const DAY = '2026-03-03';
const at = (clock: string) => instant(`${DAY}T${clock}:00+01:00`);
const live = toSourceId('live');

const facts: SourceFacts = {
  kind: 'gtfs-rt',
  zone: 'Europe/Vienna',
  minGapSeconds: 0,
  timeoutSeconds: 10,
  maxBytes: 1000,
  maxAgeSeconds: 120,
  dailyBudget: null,
  archive: 'full',
  licence: null,
  attribution: 'Verkehr',
  coverage: ['Wien'],
  isNationwide: false,
};

function requestOf(part: string): SourceRequest {
  const url = `https://live.example.org/${part}`;
  return { part, method: 'GET', url, headers: {}, body: null, intervalSeconds: 30, extension: 'pb' };
}

function sourceOf(over: Partial<SourceFacts> = {}): SinkSource {
  const source = { listRequests: () => [requestOf('trip-updates'), requestOf('vehicle-positions'), requestOf('all')] };
  return { id: live, timetable: null, facts: { ...facts, ...over }, provides: ['departures'], source };
}

const settings = { memoryLimit: '256MB', threads: 1, keepSnapshots: 3, raw: { maxAgeHours: 1, maxBytes: 1_000_000 } };

function open(dataDir: string, source = sourceOf(), log = silentLog): Promise<RealtimeSink> {
  return openLiveSink(dataDir, [source], settings, { log });
}

// Built once: ingesting it takes most of a second.
let published: string;
beforeAll(async () => {
  published = await mkdtemp(path.join(tmpdir(), 'taktgeber-sink-'));
  await publishFeeds({ at: soundFeed }, { dataDir: published });
});
afterAll(() => rm(published, { recursive: true, force: true }));

async function folderWithTimetable(): Promise<string> {
  const dataDir = await temporaryFolder();
  await cp(published, dataDir, { recursive: true });
  return dataDir;
}

/** A response in which the arrival of t1 at Berg is some minutes late. */
function answerOf(clock: string, minutes: number, more: Partial<SourceUpdate> = {}, part = 'trips'): PolledAnswer {
  const calls = [callOf(stopOf('b'), { arrival: timeOf(at('08:10') + minutes * 60) })];
  const trips = [reportOf(tripOf('t1', { startDate: DAY as never }), { calls })];
  const update = { ...emptyUpdate, publishedAt: at(clock), trips, recordCount: 1, ...more };
  return { sourceId: live, part, fetchedAt: at(clock), rawId: null, update };
}

function stateOf(clock: string, over: Partial<PolledSourceState> = {}): PolledSourceState {
  return {
    id: live,
    kind: 'gtfs-rt',
    timetable: null,
    isStandby: false,
    lastSuccessAt: at(clock),
    lastAttemptAt: at(clock),
    requestedParts: ['trips'],
    trouble: null,
    troubleSince: null,
    isCircuitOpen: false,
    attempts: {},
    facts,
    onDemand: null,
    ...over,
  };
}

async function publishAt(sink: RealtimeSink, dataDir: string, clock: string, over: Partial<PolledSourceState> = {}) {
  await sink.publish([stateOf(clock, over)], at(clock));
  const pointer = await findCurrentRealtime(dataDir);
  return readRealtimeSnapshot(dataDir, pointer!.id);
}

/** `08:12 till 08:09`: the arrival at Berg, and when it expires; `-` without data. */
function describeArrival({ tables: { trips, calls } }: Awaited<ReturnType<typeof publishAt>>): string {
  if (trips.trip.length === 0) return '-';
  const clock = (time: number) => new Date((time + 3600) * 1000).toISOString().slice(11, 16);
  const row = trips.firstCall[0]! + 1;
  return `${clock(calls.arrival[row]!)} till ${clock(calls.expiresAt[row]!)}`;
}

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort();
}

describe('a trip id that the timetable lacks', () => {
  it('is mapped as another request has shown, in the response that named it, and after a restart', async () => {
    const dataDir = await folderWithTimetable();
    const name = tripOf('gone', { startDate: DAY as never });
    const trips = [reportOf(name, { relationship: 'cancelled' })];
    const taken = (clock: string) => ({ ...answerOf(clock, 0, { trips }), rawId: `trips-${clock}` });
    const trip = { ...name, routeId: 'r', directionId: 0, startTime: (8 * 3600) as never } as const;
    const vehicles = [vehicleOf('v1', { trip, recordedAt: at('07:51') })];
    let sink = await open(dataDir);
    await sink.apply(taken('07:50'));
    await sink.apply({ ...answerOf('07:51', 0, { trips: [], vehicles }, 'vehicles'), rawId: 'vehicles-07:51' });
    const { manifest, tables } = await publishAt(sink, dataDir, '07:51');
    expect(manifest.sources[0]!.tally).toMatchObject({
      matched: { resolved_id: 1 },
      unmatched: {},
      vehiclesMatched: 1,
    });
    expect(Array.from(tables.trips.flags)).toEqual([tripFlags.cancelled]);
    await sink.close();
    const store = await openObservations(dataDir, live, settings, { log: silentLog });
    expect([...new Set(Array.from(store.listOpen(), ({ rawId, part }) => `${part} ${rawId}`))]).toEqual([
      'trips trips-07:50',
    ]);
    await store.close();
    sink = await open(dataDir);
    await sink.apply(taken('07:52'));
    expect(Array.from((await publishAt(sink, dataDir, '07:52')).tables.trips.flags)).toEqual([tripFlags.cancelled]);
    await sink.close();
  });
});

describe('an applied response is published', () => {
  it('with its counts and the state of the source', async () => {
    const dataDir = await folderWithTimetable();
    const sink = await open(dataDir);
    const unknown = reportOf(tripOf('gone'), { calls: [] });
    const known = answerOf('08:00', 2);
    await sink.apply({
      ...known,
      update: { ...known.update, trips: [...known.update.trips, unknown], recordCount: 2, alerts: [alertOf('1')] },
    });
    const vehicles = [vehicleOf('v1', { trip: tripOf('t1') }), vehicleOf('v2')];
    await sink.apply({ ...answerOf('08:00', 0, { trips: [], vehicles, recordCount: 2 }, 'vehicles') });
    const { manifest } = await publishAt(sink, dataDir, '08:00', { trouble: 'http_timeout', isStandby: true });
    await sink.close();
    expect(await readRealtimeManifest(dataDir)).toEqual(manifest);
    expect(await peekRealtimeManifest(dataDir)).toEqual(manifest);
    expect(manifest.timetableId).toBe(await findCurrentTimetableId(dataDir));
    expect(manifest.createdAt).toBe('2026-03-03T07:00:00.000Z');
    expect(manifest.sources).toEqual([
      {
        id: 'live',
        kind: 'gtfs-rt',
        archive: 'full',
        isStandby: true,
        lastSuccessAt: '2026-03-03T07:00:00.000Z',
        lastSuccessByArea: { departures: null, vehiclePositions: null },
        lastAttemptAt: '2026-03-03T07:00:00.000Z',
        requestedAreas: ['departures'],
        trouble: 'http_timeout',
        troubleSince: null,
        isCircuitOpen: false,
        maxAgeSeconds: 120,
        provides: ['departures'],
        coverage: ['Wien'],
        isNationwide: false,
        attribution: 'Verkehr',
        licence: null,
        vehicleCells: [],
        onDemand: null,
        tally: {
          matched: { trip_id: 1 },
          unmatched: { unknown_trip: 1 },
          vehiclesMatched: 1,
          vehiclesOnRouteOnly: 0,
          vehiclesUnmatched: 1,
          alerts: 1,
          records: 4,
          problems: {},
        },
      } satisfies RealtimeSourceState,
    ]);
  });

  it('of each part the newest response counts', async () => {
    const dataDir = await folderWithTimetable();
    const sink = await open(dataDir);
    for (const clock of ['07:58', '07:59', '08:00']) await sink.apply(answerOf(clock, 2));
    await sink.apply(answerOf('08:00', 0, { trips: [], recordCount: 5 }, 'other'));
    const { manifest } = await publishAt(sink, dataDir, '08:00');
    await sink.close();
    expect(manifest.sources[0]!.tally).toMatchObject({ matched: { trip_id: 1 }, records: 6 });
  });

  it('of a source that was never requested, the state is reported', async () => {
    const dataDir = await folderWithTimetable();
    const sink = await open(dataDir);
    await sink.publish([], at('08:00'));
    await sink.close();
    const [source] = (await readRealtimeManifest(dataDir))!.sources;
    expect(source).toMatchObject({ lastSuccessAt: null, lastAttemptAt: null, trouble: null, isStandby: false });
    expect(source!.requestedAreas).toEqual([]);
  });

  it('a confirmed response without a publication time keeps its forecasts fresh; those of other parts age', async () => {
    const dataDir = await folderWithTimetable();
    const sink = await open(dataDir);
    await sink.apply(answerOf('08:00', 2, { publishedAt: null }));
    expect(describeArrival(await publishAt(sink, dataDir, '08:00'))).toBe('08:12 till 08:02');
    await sink.confirm({ sourceId: live, part: 'other', fetchedAt: at('08:01') });
    expect(describeArrival(await publishAt(sink, dataDir, '08:01'))).toBe('08:12 till 08:02');
    await sink.confirm({ sourceId: live, part: 'trips', fetchedAt: at('08:03') });
    expect(describeArrival(await publishAt(sink, dataDir, '08:03'))).toBe('08:12 till 08:05');
    await sink.close();
  });
});

describe('the timetable', () => {
  it('must exist', async () => {
    const dataDir = await temporaryFolder();
    await expect(open(dataDir)).rejects.toMatchObject({ code: 'timetable_unavailable', isRetryable: true });
  });

  /** One more trip, before t1 in the order of rows; t1 is unchanged. */
  const earlier = withFiles(soundFeed, {
    'trips.txt': `${soundFeed.get('trips.txt')!.trimEnd()}\nt0,r,daily\n`,
    'stop_times.txt': `${soundFeed.get('stop_times.txt')!.trimEnd()}\nt0,a,1,07:00:00,07:00:00\nt0,b,2,07:10:00,07:11:00\nt0,c,3,07:20:00,07:20:00\n`,
  });

  it('is loaded with the next snapshot if it is published meanwhile, and current data are carried over', async () => {
    const dataDir = await folderWithTimetable();
    const messages: string[] = [];
    const sink = await open(dataDir, sourceOf(), { ...silentLog, info: (text) => messages.push(text) });
    await sink.apply(answerOf('08:00', 2));
    const before = await publishAt(sink, dataDir, '08:00');
    await publishFeeds({ at: earlier }, { dataDir, now: '2026-03-02T12:00:00Z' });
    const after = await publishAt(sink, dataDir, '08:01');
    await sink.close();
    expect(after.manifest.timetableId).toBe(await findCurrentTimetableId(dataDir));
    expect(after.manifest.timetableId).not.toBe(before.manifest.timetableId);
    expect(after.tables.trips.trip[0]).toBe(before.tables.trips.trip[0]! + 1);
    expect(describeArrival(after)).toBe('08:12 till 08:02');
    expect(messages.join()).toMatch(/continues with timetable/);
  });

  it('is not loaded if it cannot be read: the current one stays', async () => {
    const dataDir = await folderWithTimetable();
    const warnings: string[] = [];
    const sink = await open(dataDir, sourceOf(), { ...silentLog, warn: (text) => warnings.push(text) });
    const first = await findCurrentTimetableId(dataDir);
    await publishFeeds({ at: earlier }, { dataDir, now: '2026-03-02T12:00:00Z' });
    const broken = (await findCurrentTimetableId(dataDir))!;
    await rm(path.join(timetableSnapshotsFolder(dataDir), broken, 'trips.arrow'));
    const { manifest } = await publishAt(sink, dataDir, '08:00');
    await sink.close();
    expect(manifest.timetableId).toBe(first);
    expect(warnings.join()).toMatch(`timetable ${broken} cannot be used`);
  });
});

describe('recorded data', () => {
  const isOfLake = (name: string) => /^(state|lake\/observations|lake\/raw)\//.test(name) && !name.endsWith('.zip');

  it('of a source whose licence forbids it: none', async () => {
    const dataDir = await folderWithTimetable();
    const before = (await listFiles(dataDir)).filter((name) => !name.startsWith('snapshots/'));
    const sink = await open(dataDir, sourceOf({ archive: 'none' }));
    await sink.apply(answerOf('08:00', 2));
    await sink.apply(answerOf('08:01', 3));
    await sink.confirm({ sourceId: live, part: 'trips', fetchedAt: at('08:02') });
    for (const clock of ['08:02', '08:30', '23:00']) await publishAt(sink, dataDir, clock);
    await sink.close();
    expect((await listFiles(dataDir)).filter((name) => !name.startsWith('snapshots/'))).toEqual(before);
  });

  it('of any other: a journal, and later the lake', async () => {
    const dataDir = await folderWithTimetable();
    const sink = await open(dataDir);
    await sink.apply(answerOf('08:00', 2));
    await sink.apply(answerOf('08:01', 3));
    await publishAt(sink, dataDir, '08:01');
    await publishAt(sink, dataDir, '08:30');
    await sink.close();
    const kept = (await listFiles(dataDir)).filter(isOfLake);
    expect(kept.filter((name) => name.startsWith('state/')).length).toBeGreaterThan(0);
    expect(kept.filter((name) => name.endsWith('.parquet'))).toHaveLength(1);
  });

  it('emits nothing twice after a restart', async () => {
    const dataDir = await folderWithTimetable();
    const countParts = async () =>
      (await listFiles(dataDir)).filter((name) => isOfLake(name) && name.endsWith('.parquet')).length;
    const first = await open(dataDir);
    await first.apply(answerOf('08:00', 2));
    await first.close();

    const second = await open(dataDir);
    expect(describeArrival(await publishAt(second, dataDir, '08:01'))).toBe('08:12 till 08:02');
    await second.apply(answerOf('08:02', 2));
    // Nothing was superseded: there is no closed observation to flush.
    await publishAt(second, dataDir, '08:20');
    await second.close();
    expect(await countParts()).toBe(0);

    const third = await open(dataDir);
    await third.apply(answerOf('08:21', 4));
    await publishAt(third, dataDir, '08:21');
    await third.close();
    expect(await countParts()).toBe(1);
  });
});

describe('raw answers', () => {
  const store = (dataDir: string, at: Instant) =>
    storeRawAnswer(dataDir, {
      source: live,
      part: 'trips',
      fetchedAt: at,
      extension: 'pb',
      bytes: Buffer.from(`answer of ${at}`),
      facts: { url: 'https://example.org', status: 200, durationMilliseconds: 1 },
    });
  const listRaw = async (dataDir: string) =>
    (await listFiles(dataDir)).filter((name) => name.endsWith('.pb.gz')).map((name) => path.basename(name).slice(0, 4));

  it('are dropped once they are too old, once an hour', async () => {
    const dataDir = await folderWithTimetable();
    // The limit is one hour; names are in UTC.
    for (const clock of ['06:30', '07:10', '07:50']) await store(dataDir, at(clock));
    const steps: [clock: string, left: string[]][] = [
      ['08:00', ['0610', '0650']],
      ['08:30', ['0610', '0650']],
      ['08:59', ['0610', '0650']],
      ['09:00', []],
    ];
    const sink = await open(dataDir);
    for (const [clock, left] of steps) {
      await sink.publish([], at(clock));
      await expect.poll(() => listRaw(dataDir), { interval: 5 }).toEqual(left);
    }
    await sink.close();
  });

  it('remain if they cannot be dropped, and polling continues', async () => {
    const dataDir = await folderWithTimetable();
    await store(dataDir, at('06:30'));
    const warnings: string[] = [];
    const raw = {
      maxBytes: 0,
      get maxAgeHours(): number {
        throw new Error('disk is gone');
      },
    };
    const log = { ...silentLog, warn: (text: string) => warnings.push(text) };
    const sink = await openLiveSink(dataDir, [sourceOf()], { ...settings, raw }, { log });
    await sink.publish([], at('08:00'));
    await sink.close();
    expect(await listRaw(dataDir)).toHaveLength(1);
    expect(warnings).toEqual(['excess raw responses are kept for now: disk is gone']);
  });
});
