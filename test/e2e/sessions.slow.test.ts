import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sampleRealtime } from '../../jobs/definitions/sample-realtime.ts';
import { openDuckdb, sqlText } from '../../pipeline/effects/duckdb.ts';
import { observationsFolder } from '../../pipeline/lake/paths.ts';
import { readRawAnswer } from '../../pipeline/lake/raw-answers.ts';
import { toSourceId } from '../../pipeline/model/ids.ts';
import type { SourceUpdate } from '../../pipeline/model/realtime.ts';
import type { Instant } from '../../pipeline/model/service-time.ts';
import { openSources } from '../../pipeline/realtime/polling/open-sources.ts';
import { setStandby } from '../../pipeline/realtime/polling/standby.ts';
import { silentLog } from '../support/worlds/ingest.ts';
import { type Country, openCountry, type PolledCountry } from '../support/worlds/polled-country.ts';
import {
  configure,
  findLiveRow,
  gtfsRt,
  hafas,
  look,
  MAX_AGE_SECONDS,
  trias,
  type WatchedUpstream,
  wienerLinien,
} from './watched-upstream.ts';

let country: Country;
beforeAll(async () => {
  country = await openCountry();
});
afterAll(() => country.close());

describe('a paused source', () => {
  const METRO = '/v1/city-transit/metro?diva=60201095';
  /** Time within which a poller notices a pause. */
  const NOTICED_SECONDS = 6;

  async function switchStandby(polled: PolledCountry, { id }: WatchedUpstream, isStandby: boolean) {
    await setStandby(polled.dataDir, toSourceId(id), isStandby, polled.clock.nowMilliseconds());
  }

  it('is not polled, is reported as paused, and resumes', async () => {
    const polled = await country.poll(wienerLinien.configure);
    await polled.run(30);
    const row = await findLiveRow(polled, wienerLinien.stop);
    await switchStandby(polled, wienerLinien, true);
    await polled.run(30 + NOTICED_SECONDS);
    const requests = polled.countRequests(wienerLinien.paths[0]!);
    expect(await polled.getJson(METRO)).toMatchObject({ status: 503, json: { code: 'source_standby' } });

    await polled.run(30 + MAX_AGE_SECONDS + 60);
    expect(polled.countRequests(wienerLinien.paths[0]!)).toBe(requests);
    const paused = await look(polled, wienerLinien, row);
    expect(paused).toMatchObject({ source: 'standby', neighbour: 'fresh', health: 200, trouble: null });
    // A paused source is not a failure of the service.
    expect(paused.components.departures).toBe('operational');
    expect(paused.row).toMatchObject({ isRealtime: false });

    await switchStandby(polled, wienerLinien, false);
    await polled.run(30 + MAX_AGE_SECONDS + 60 + NOTICED_SECONDS);
    expect(await look(polled, wienerLinien, row)).toMatchObject({ ...wienerLinien.well, row: { isRealtime: true } });
    expect(await polled.getJson(METRO)).toMatchObject({ status: 200, json: { status: 'ok' } });
  });

  it('pauses only the area that depends on it alone', async () => {
    const polled = await country.poll(gtfsRt.configure);
    await polled.run(30);
    await switchStandby(polled, gtfsRt, true);
    await polled.run(30 + NOTICED_SECONDS);
    const status = (await polled.getJson('/v1/status')).json as { overall: string };
    expect(status.overall).toBe('operational');
    const row = await findLiveRow(polled, hafas.stop);
    expect(await look(polled, { ...gtfsRt, stop: hafas.stop }, row)).toMatchObject({
      source: 'standby',
      components: { departures: 'operational', disruptions: 'operational', vehiclePositions: 'paused' },
      row: { isRealtime: true },
    });
    const unavailable = { source: 'unavailable', count: 0 };
    expect(await polled.getJson('/v1/vehicles')).toMatchObject({ status: 200, json: unavailable });
  });
});

describe('a daily budget', () => {
  it('that is exhausted stops polling, and the data becomes outdated', async () => {
    const polled = await country.poll((baseUrl) => configure(baseUrl, { trias: { dailyBudget: 2 }, 'gtfs-rt': {} }));
    await polled.run(65);
    const row = await findLiveRow(polled, trias.stop);
    expect(polled.source('trias').trouble).toBeNull();
    await polled.run(130);
    expect(polled.source('trias').trouble).toBe('budget_spent');
    await polled.run(65 + MAX_AGE_SECONDS + 600);
    expect(polled.countRequests('/trias')).toBe(2);
    // GTFS-Realtime reports the same train, so its row still has realtime.
    expect(await look(polled, trias, row)).toMatchObject({
      source: 'stale',
      trouble: 'budget_spent',
      row: { isRealtime: true },
      components: { departures: 'degraded' },
      health: 200,
    });
  });
});

// ---- Data on disk --------------------------------------------------------------------------------

/** Sources of the sample whose licence allows an archive. */
const ARCHIVED = ['stmk_gtfs_rt', 'city_transit', 'trias'];

/** Long enough for the first flush of observations into the lake. */
const SESSION_SECONDS = 11 * 60;

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((one) => one.isFile()).map((one) => path.join(one.parentPath, one.name));
}

interface ObservedRow {
  readonly source: string;
  readonly raw_id: string;
  readonly time: bigint;
}

/** Samples observations of every raw response that they refer to. */
async function readObserved(dataDir: string): Promise<ObservedRow[]> {
  const db = await openDuckdb({ threads: 1 });
  try {
    const files = sqlText(path.join(observationsFolder(dataDir), '**', '*.parquet'));
    const rows = await db.query(
      `select source, raw_id, epoch(coalesce(observed_time, estimated_time))::bigint as time
       from read_parquet(${files}, hive_partitioning = true)
       -- A report of a platform only has no time.
       where channel = 'stop_events' and not is_cancelled and coalesce(observed_time, estimated_time) is not null
       qualify row_number() over (partition by raw_id order by trip_key, position, event) <= 10`,
    );
    return rows as unknown as ObservedRow[];
  } finally {
    db.close();
  }
}

/** All times of a call in a response. */
function listTimes({ trips }: SourceUpdate): Set<number> {
  const calls = trips.flatMap((trip) => trip.calls);
  const reports = calls.flatMap(({ arrival, departure }) => [arrival, departure]);
  return new Set(
    reports.flatMap((report) => {
      if (report?.time != null) return report.time;
      const { scheduledTime = null, delaySeconds = null } = report ?? {};
      return scheduledTime === null || delaySeconds === null ? [] : scheduledTime + delaySeconds;
    }),
  );
}

describe('a session of all four sources', () => {
  it('archives raw responses that observations refer to, and nothing of sources that forbid it', async () => {
    const few = { 'gtfs-rt': {}, 'wiener-linien': {}, trias: {}, hafas: {} };
    const polled = await country.poll((baseUrl) => configure(baseUrl, few));
    await polled.run(SESSION_SECONDS);
    const { trouble, tally } = polled.source('vao');
    expect([trouble, tally.matched.stop_line_time]).toEqual([null, expect.any(Number)]);
    expect(polled.countRequests('/hafas/mgate')).toBeGreaterThan(8);
    await polled.end();
    await expectLeadingBack(polled.dataDir);
    await expectNothingOfHafas(polled.dataDir);
  });
});

/** Expects every observed time in the raw response that its row refers to. */
async function expectLeadingBack(dataDir: string): Promise<void> {
  const observed = await readObserved(dataDir);
  expect(new Set(observed.map(({ source }) => source))).toEqual(new Set(ARCHIVED));
  const sources = await openSources(sampleRealtime('http://upstream.example'), { log: silentLog });
  const times = new Map<string, ReadonlySet<number>>();
  for (const { source: id, raw_id: rawId, time } of observed) {
    if (!times.has(rawId)) {
      const { source } = sources.find((one) => one.id === id)!;
      const { bytes, facts } = await readRawAnswer(dataDir, rawId);
      const fetchedAt = (Date.parse(facts.fetchedAt) / 1000) as Instant;
      const request = source.listRequests(fetchedAt).find(({ part }) => part === facts.part)!;
      times.set(rawId, listTimes(await source.parse(bytes, request, fetchedAt)));
    }
    expect(times.get(rawId), rawId).toContain(Number(time));
  }
  expect(times.size).toBeGreaterThan(20);
}

/** Expects that of the source without an archive only request counts and current realtime remain. */
async function expectNothingOfHafas(dataDir: string): Promise<void> {
  const files = (await listFiles(dataDir)).map((file) => path.relative(dataDir, file));
  expect(files.filter((file) => file.includes('vao'))).toEqual([path.join('realtime', 'budgets', 'vao.json')]);
  // The time of the last cleanup of raw responses belongs to no source.
  const isOfNone = (file: string) => file === path.join('state', 'deletions', 'raw-answers.json');
  const kept = files.filter((file) => /^(lake|state)/.test(file) && !isOfNone(file));
  const owners = kept.map((file) => /source=([a-z_]+)/.exec(file)?.[1]);
  expect(new Set(owners)).toEqual(new Set(ARCHIVED));
  for (const file of kept.filter((one) => one.endsWith('.gz'))) {
    const bytes = gunzipSync(await readFile(path.join(dataDir, file)));
    expect(bytes.includes('svcResL'), file).toBe(false);
  }
}
