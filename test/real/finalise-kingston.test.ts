import { cp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { fixedClock } from '../../pipeline/effects/clock.ts';
import { openDuckdb, sqlText } from '../../pipeline/effects/duckdb.ts';
import { findStopEventManifest, stopEventFile } from '../../pipeline/history/stop-events/stop-event-manifest.ts';
import { publishStopEvents } from '../../pipeline/history/stop-events/stop-event-store.ts';
import { storeRawAnswer } from '../../pipeline/lake/raw-answers.ts';
import { toSourceId } from '../../pipeline/model/ids.ts';
import type { CallReport } from '../../pipeline/model/realtime.ts';
import type { Instant, ServiceDate } from '../../pipeline/model/service-time.ts';
import { createGtfsRtSource } from '../../pipeline/sources/gtfs-rt/gtfs-rt-source.ts';
import { noHistory, openService } from '../api/service-app.ts';
import { fakeEffects, runCommand } from '../jobs/fake-world.ts';
import { readTarEntries } from '../support/checks/tar.ts';
import { assertAsTheOracle, openStopEvents } from '../support/oracles/counted-calls.ts';
import { openWorld, publishFeeds } from '../support/worlds/board-world.ts';
import { openHistories } from '../support/worlds/history-world.ts';
import { temporaryFolder } from '../support/worlds/ingest.ts';
import { encodeKingstonAnswer, readKingstonPositions } from '../support/worlds/kingston-positions.ts';
import { readZipTexts, realData } from '../support/worlds/real-data.ts';
import { dayFacts, readStopEvents } from '../support/worlds/stop-events.ts';

const DAY = '2026-01-15' as ServiceDate;
const NOW = '2026-01-17T12:00:00Z';
const kingston = toSourceId('kingston');
const CITY_SIZE = { memoryLimit: '2GB', threads: 2, maxEntryBytes: 1e9, maxTotalBytes: 1e9 };
/** The timetable is ingested once for the tests of this file. */
const FEEDS = { at: { location: realData('realtime/kingston/gtfs.zip') } };
const WORLD = { now: '2026-01-14T08:00:00Z', settings: CITY_SIZE };
const CONFIG = `
sources:
  - { id: at, gtfs: feed.zip }
realtime:
  - id: kingston
    kind: gtfs-rt
    timetable: at
    zone: America/Toronto
    tripUpdates: 'https://kingston.example.org'
`;
const WITH_POSITIONS = `${CONFIG}    vehiclePositions: 'https://kingston.example.org/vehicles'\n`;

async function readAnswers(): Promise<{ fetchedAt: Instant; bytes: Uint8Array }[]> {
  const archive = gunzipSync(await readFile(realData('realtime/kingston/trip-updates-2026-01-15.tar.gz')));
  return [...readTarEntries(archive)].map(({ name, bytes }) => ({
    fetchedAt: Number(/^tripupdates_capture_(\d+)_/.exec(name)![1]) as Instant,
    bytes,
  }));
}

/** A data folder with the timetable and the recorded trip updates. */
async function openRecording(yaml: string) {
  const dataDir = await temporaryFolder();
  await publishFeeds(FEEDS, { dataDir, ...WORLD });
  await writeFile(path.join(dataDir, 'taktgeber.yaml'), yaml);
  const store = (part: string, fetchedAt: Instant, bytes: Uint8Array) => {
    const facts = { url: 'https://kingston.example.org/', status: 200, durationMilliseconds: 1 };
    return storeRawAnswer(dataDir, { source: kingston, part, fetchedAt, extension: 'pb', bytes, facts });
  };
  for (const { fetchedAt, bytes } of await readAnswers()) await store('trip-updates', fetchedAt, bytes);
  return { dataDir, config: ['--config', path.join(dataDir, 'taktgeber.yaml')], store };
}

type CsvRow = Readonly<Record<string, string>>;

function parseCsv(text: string): CsvRow[] {
  const [header, ...lines] = text
    .replace(/^\uFEFF/, '')
    .trim()
    .split(/\r?\n/);
  const names = header!.split(',');
  // The columns used here contain no quotes.
  return lines.map((line) => Object.fromEntries(line.split(',').map((value, i) => [names[i]!, value])));
}

/** The calls of the trips of the day, by trip: their sequence numbers in order. Shares nothing with the staging. */
async function readPlan(): Promise<Map<string, number[]>> {
  const names = ['trips.txt', 'stop_times.txt', 'calendar.txt', 'calendar_dates.txt'];
  const texts = await readZipTexts(realData('realtime/kingston/gtfs.zip'), names);
  const [trips, calls, calendar, dates] = names.map((name) => parseCsv(texts.get(name) ?? 'x'));
  const day = DAY.replaceAll('-', '');
  // 15 January 2026 was a Thursday.
  const services = new Set(
    calendar!
      .filter((row) => row.thursday === '1' && row.start_date! <= day && day <= row.end_date!)
      .map((row) => row.service_id!),
  );
  for (const { service_id, date, exception_type } of dates!) {
    if (date !== day) continue;
    if (exception_type === '1') services.add(service_id!);
    else services.delete(service_id!);
  }
  const plan = new Map(
    trips!.filter((row) => services.has(row.service_id!)).map((row) => [row.trip_id!, [] as number[]]),
  );
  for (const row of calls!) plan.get(row.trip_id!)?.push(Number(row.stop_sequence));
  for (const sequences of plan.values()) sequences.sort((a, b) => a - b);
  return plan;
}

/** The content of the messages for scheduled calls: which have a time for the counted event, which are skipped. */
async function countReported(plan: ReadonlyMap<string, readonly number[]>) {
  const source = createGtfsRtSource({ zone: 'America/Toronto', tripUpdates: 'https://kingston.example.org' });
  const timed = new Set<string>();
  const added = new Set<string>();
  for (const { bytes, fetchedAt } of await readAnswers()) {
    const { trips } = await source.parse(bytes, source.listRequests(fetchedAt)[0]!, fetchedAt);
    for (const { trip, relationship, calls } of trips) {
      if (relationship === 'added') added.add(trip.tripId!);
      const sequences = plan.get(trip.tripId!);
      if (relationship !== 'scheduled' || !sequences || trip.startDate !== DAY) continue;
      for (const call of calls) {
        if (isTimed(call, sequences)) timed.add(`${trip.tripId} ${call.stopSequence}`);
      }
    }
  }
  return { timed: timed.size, addedTrips: added.size };
}

function isTimed({ stopSequence, state, arrival, departure }: CallReport, sequences: readonly number[]): boolean {
  const event = stopSequence === sequences[0] ? departure : arrival;
  return state === 'normal' && (event?.time ?? event?.delaySeconds ?? null) !== null;
}

it('Kingston: the stop events of 90 minutes of messages equal an independent count', async () => {
  const { dataDir, config } = await openRecording(CONFIG);
  const rebuilt = path.join(dataDir, 'rebuilt');
  const rebuild = await runCommand(['run', 'rebuild-observations', '--date', DAY, '--into', rebuilt, ...config], {
    dataDir,
  });
  expect(rebuild.code).toBe(0);
  // The folder was created manually, and has no format file yet.
  expect(rebuild.stderr).toMatch(/^(.+: upgrad.+\n)+$/);
  const hashes: string[] = [];
  let into = '';
  // Twice, from a copy: equal observations give equal rows.
  for (const name of ['once', 'again']) {
    into = path.join(dataDir, name);
    await cp(rebuilt, into, { recursive: true });
    const finalise = ['run', 'finalise-stop-events', '--date', DAY, ...config, '--data', into];
    const { stderr } = await runCommand(finalise, { dataDir: into, effects: fakeEffects(NOW) });
    expect(stderr).not.toContain('error');
    hashes.push((await findStopEventManifest(into, kingston, DAY))!.rowsHash);
  }
  expect(hashes[0]).toBe(hashes[1]);

  const plan = await readPlan();
  const planned = [...plan.values()].reduce((sum, sequences) => sum + sequences.length, 0);
  const reported = await countReported(plan);
  const manifest = (await findStopEventManifest(into, kingston, DAY))!;
  expect(manifest.counts.scheduled).toBe(planned);
  expect(manifest.counts.forecast + manifest.counts.observed).toBe(reported.timed);
  const [added] = await readStopEvents(
    into,
    kingston,
    DAY,
    'count(distinct trip_id) filter (is_added)::int as trips, count(*) filter (delay_seconds is not null)::int as delays',
  );
  expect(added).toEqual({ trips: reported.addedTrips, delays: manifest.counts.observed });
  expect({ ...manifest.counts, notes: manifest.notes }).toMatchInlineSnapshot(`
    {
      "added": 458,
      "cancelled": 46,
      "forecast": 12940,
      "notes": {
        "calls_moved": 0,
        "calls_observed_though_cancelled": 0,
        "observations": 156915,
        "observations_superseded": 141787,
        "observations_used": 15128,
        "trips_merged": 0,
        "trips_replaced": 0,
      },
      "observed": 610,
      "scheduled": 38855,
    }
  `);
  await assertCountedOnce(into, planned);
});

/** Each scheduled call once, as a window function over all of them gives, before and after the column is written. */
async function assertCountedOnce(dataDir: string, planned: number): Promise<void> {
  expect(await addSecondSource(dataDir)).toBeGreaterThan(10_000);
  const runQuery = await openStopEvents(dataDir);
  expect(await assertAsTheOracle(runQuery)).toBe(planned);
  expect(await runCommand(['run', 'build-marts'], { dataDir })).toMatchObject({ code: 0 });
  expect(await assertAsTheOracle(runQuery)).toBe(planned);
  const won = await runQuery(
    'select source, count(*) > 100 as some from stop_events where is_counted group by all order by all',
  );
  expect(won).toEqual([
    ['again', true],
    ['kingston', true],
  ]);
}

/** The same day as a second source would report it: every other trip, with differences in every third call. */
async function addSecondSource(dataDir: string): Promise<number> {
  const db = await openDuckdb();
  try {
    const file = sqlText(stopEventFile(dataDir, kingston, DAY));
    const select = `select * replace (
        case when position % 3 = 0 then 'unknown' when position % 3 = 1 then 'forecast' else evidence end as evidence,
        arrival_is_cancelled or hash(trip_id) % 5 = 0 as arrival_is_cancelled,
        departure_is_cancelled or hash(trip_id) % 5 = 0 as departure_is_cancelled)
      from read_parquet(${file}, hive_partitioning = false) where hash(trip_id) % 2 = 0`;
    const [counted] = await db.query(`select count(*)::int as n from (${select})`);
    const rowsIn = Number(counted!.n);
    const facts = dayFacts({ sourceId: toSourceId('again'), serviceDate: DAY, rowsIn });
    await publishStopEvents(db, dataDir, path.join(dataDir, 'tmp', 'again'), select, facts);
    return rowsIn;
  } finally {
    db.close();
  }
}

it('Kingston: a source without measured times has a record of its punctuality', async () => {
  const { dataDir, config, store } = await openRecording(WITH_POSITIONS);
  const positions = await readKingstonPositions(realData('realtime/kingston/vehicle-positions-2026-01-15.csv.gz'));
  for (const answer of positions) await store('vehicle-positions', answer.fetchedAt, encodeKingstonAnswer(answer));
  const into = path.join(dataDir, 'rebuilt');
  const run = async (folder: string, ...argv: string[]) => {
    const { code, stderr } = await runCommand(['run', ...argv], { dataDir: folder, effects: fakeEffects(NOW) });
    expect([argv[0], code, stderr]).toEqual([argv[0], 0, expect.not.stringContaining('error')]);
  };
  await run(dataDir, 'rebuild-observations', '--date', DAY, '--into', into, ...config);
  await run(into, 'finalise-stop-events', '--date', DAY, ...config, '--data', into);
  await run(into, 'build-marts', '--data', into);
  const clock = fixedClock(NOW);
  const history = { ...noHistory, snapshots: await openHistories(into, clock), sources: new Set(['kingston']) };
  const app = await openService(await openWorld(FEEDS, WORLD), { clock, history });
  const get = async (url: string) => {
    const { statusCode, body } = await app.inject({ url });
    expect(statusCode).toBe(200);
    return JSON.parse(body);
  };
  const { definition, totals, lines } = await get(`/v2/history?from=${DAY}&to=${DAY}`);
  const leastPunctual = findLeastPunctual(lines);
  expect({ definition, totals, lines: lines.length, leastPunctual }).toMatchInlineSnapshot(`
    {
      "definition": {
        "derivedShare": 0.4316816816816817,
        "earlyMinSeconds": -60,
        "lateMinDelaySeconds": 600,
        "onTimeMaxDelaySeconds": 330,
      },
      "leastPunctual": [
        "2: 65.2 % of 141",
        "501: 67.9 % of 53",
        "701: 80.0 % of 60",
      ],
      "lines": 25,
      "totals": {
        "avgDelayMinutes": 2.12,
        "cancelled": 46,
        "earlyShare": 0.15990990990990991,
        "events": 1332,
        "expected": 38855,
        "late10Share": 0.04504504504504504,
        "observed": 1332,
        "onTimeShare": 0.8633633633633634,
        "replaced": 0,
      },
    }
  `);
  // The answer that the page of punctuality shows.
  const page = await get(`/v1/history?from=${DAY}&to=${DAY}`);
  expect(page.totals).toMatchObject({ events: totals.events, onTimeShare: totals.onTimeShare });
  // The page of the least punctual line, in words.
  const { body } = await app.inject({ url: '/punctuality/lines/2?lang=en' });
  const [, verdict] = /<section class="card verdict">\n([\s\S]*?)<\/section>/.exec(body)!;
  expect([...verdict!.matchAll(/<p[^>]*>([^<]*)<\/p>/g)].map(([, sentence]) => sentence)).toMatchInlineSnapshot(`
    [
      "Of 3,631 scheduled stops, none was reported as cancelled.",
      "65 out of 100 observed stops were on time. On average, vehicles came 3.8 minutes later than scheduled.",
      "4 out of 100 stops were observed; nothing is known about the others.",
      "December 18 to January 16. Each bar is a day: the higher, the more stops were on time; a thin line means no data.",
    ]
  `);
});

interface LineShare {
  readonly line: string;
  readonly events: number;
  readonly onTimeShare: number;
}

function findLeastPunctual(lines: readonly LineShare[]): string[] {
  const often = lines.filter(({ events }) => events >= 50);
  return often
    .sort((a, b) => a.onTimeShare - b.onTimeShare)
    .slice(0, 3)
    .map(({ line, events, onTimeShare }) => `${line}: ${(100 * onTimeShare).toFixed(1)} % of ${events}`);
}
