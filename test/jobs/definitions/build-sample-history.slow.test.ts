import { access, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildSampleHistoryJob, samplePastFolder } from '../../../jobs/definitions/build-sample-history.ts';
import { sampleSourceOf } from '../../../jobs/definitions/sample-sources.ts';
import { type Job, type JobOptions, noOptions } from '../../../jobs/job/job.ts';
import { buildSamplePast } from '../../../jobs/schedule/sample-past.ts';
import { writeFileAtomically } from '../../../pipeline/effects/files.ts';
import { findStopEventManifest, listStopEventDays } from '../../../pipeline/history/stop-events/stop-event-store.ts';
import { type SourceId, toSourceId } from '../../../pipeline/model/ids.ts';
import type { ServiceDate } from '../../../pipeline/model/service-time.ts';
import { samplePublishers } from '../../../pipeline/sample/feed/publishers.ts';
import { readSampleLookups } from '../../../pipeline/sample/feed/read-sample-lookups.ts';
import { createSimulator } from '../../../pipeline/sample/simulator/create-simulator.ts';
import { type WrittenDay, writePast } from '../../../pipeline/sample/write-past.ts';
import { hashFiles } from '../../support/checks/folder-state.ts';
import { queryStopEvents } from '../../support/worlds/imported-world.ts';
import type { Parts } from '../fake-world.ts';
import { fakeEffects, runCommand, temporaryFolder, testConfig } from '../fake-world.ts';

const SOURCE = toSourceId('stmk_gtfs_rt');
const SOURCES = samplePublishers.map(sampleSourceOf);
const YESTERDAY = '2026-02-28';
const date = (text: string) => text as ServiceDate;

const HEAD =
  'service_date,trip_id,route_id,line,product,operator,headsign,stop_sequence,stop_id,stop_name,station_id,stop_lat,' +
  'stop_lon,platform,scheduled_arrival,arrival,scheduled_departure,departure,is_cancelled,is_added';
/** One trip that ran, one that did not. */
const archive = (day: string) => `${HEAD}
${day},t1,r,U1,subway,Stadt,Ende,1,a,A,A,48,16,1,,,26:00:00,26:01:00,false,false
${day},t1,r,U1,subway,Stadt,Ende,2,b,B,B,48,16,1,26:10:00,26:09:30,,,false,false
${day},t2,r,U1,subway,Stadt,Ende,1,a,A,A,48,16,1,,,09:00:00,,true,false
${day},t2,r,U1,subway,Stadt,Ende,2,b,B,B,48,16,1,09:10:00,,,,true,false
`;

interface RecordedPast {
  readonly days: string[][];
  readonly part: Parts['writeSamplePast'];
}

/** Writes small archives in place of the simulator's; the given days are not over yet. */
function smallPast({ running = [] as string[], onRequest = (_dates: readonly string[]) => {} } = {}): RecordedPast {
  const days: string[][] = [];
  return {
    days,
    part: async ({ folder, dates }) => {
      days.push([...dates]);
      onRequest(dates);
      const written: WrittenDay[] = [];
      for (const day of dates.filter((one) => !running.includes(one))) {
        for (const publisher of samplePublishers) {
          const file = path.join(folder, publisher, `${day}.csv`);
          await writeFileAtomically(file, archive(day));
          written.push({ date: day, publisher, file, rows: 4 });
        }
      }
      return written;
    },
  };
}

interface Request {
  readonly dataDir: string;
  readonly options?: Partial<JobOptions>;
  readonly past?: RecordedPast;
  readonly stopping?: AbortSignal;
}

async function run({ dataDir, options, past = smallPast(), stopping }: Request) {
  const job = buildSampleHistoryJob(past.part);
  const context = { config: await testConfig(dataDir), effects: fakeEffects(), options: { ...noOptions, ...options } };
  return job.run({ ...context, ...(stopping ? { stopping } : {}) });
}

/** Makes a day look like one that the service has polled. */
async function markAsSeen(dataDir: string, source: SourceId): Promise<void> {
  const folder = path.join(dataDir, 'lake', 'manifests', 'stop_events', `source=${source}`);
  const manifest = await findStopEventManifest(dataDir, source, date(YESTERDAY));
  await writeFile(
    path.join(folder, `service_date=${YESTERDAY}.json`),
    JSON.stringify({ ...manifest, kind: 'realtime' }),
  );
}

const three = { from: date('2026-02-26') };
const listDays = async (dataDir: string) =>
  [...new Set((await listStopEventDays(dataDir)).map(({ serviceDate }) => serviceDate))].sort();

describe('the job build-sample-history', () => {
  it('builds the 35 days before today, the newest first if the service starts it', async () => {
    const dataDir = await temporaryFolder();
    const past = smallPast();
    const built: string[] = [];
    const logged: string[] = [];
    const effects = fakeEffects();
    const job = buildSampleHistoryJob(past.part);
    const others = ['build-marts', 'build-features', 'train-predictions'].map((name): Job => {
      const record = async () => {
        const days = await listDays(dataDir);
        built.push(`${name}: ${days.length} from ${days[0]} to ${days.at(-1)}`);
        return { status: 'done', summary: `${name} has run` } as const;
      };
      return { ...job, name, run: record };
    });
    const request = {
      jobs: [job, ...others],
      config: await testConfig(dataDir),
      effects: { ...effects, log: { ...effects.log, info: (line: string) => void logged.push(line) } },
      options: noOptions,
    };
    await buildSamplePast({ ...request, signal: new AbortController().signal });
    // A first model is learnt from the newest days, and another from all of them when they exist.
    expect(built).toEqual([
      `build-marts: 4 from 2026-02-25 to ${YESTERDAY}`,
      `build-features: 7 from 2026-02-22 to ${YESTERDAY}`,
      `train-predictions: 7 from 2026-02-22 to ${YESTERDAY}`,
      `build-marts: 35 from 2026-01-25 to ${YESTERDAY}`,
      `build-features: 35 from 2026-01-25 to ${YESTERDAY}`,
      `train-predictions: 35 from 2026-01-25 to ${YESTERDAY}`,
    ]);
    const [announced, ...arrived] = logged.filter((line) => /Still to come|^There after/.test(line));
    expect(announced).toContain('Still to come: the last 4 days on /punctuality; a first model');
    expect(arrived.map((line) => line.replace(/^There after [\d.]+ min: /, ''))).toEqual([
      'the last 4 days on /punctuality.',
      'a first model: predictions, /predictions, and chances of changes on /trips.',
      'all 35 days on /punctuality.',
      'the model of all days.',
    ]);
    expect(past.days.flat().slice(0, 3)).toEqual([YESTERDAY, '2026-02-27', '2026-02-26']);

    // A second start has nothing to do.
    await buildSamplePast({ ...request, signal: new AbortController().signal });
    expect([built.length, past.days.flat().length]).toEqual([6, 35]);
  });

  it('divides a range into days, of which several run concurrently with the same result', async () => {
    const build = async (...options: string[]) => {
      const dataDir = await temporaryFolder();
      const jobs = [buildSampleHistoryJob(smallPast().part)];
      const argv = ['run', 'build-sample-history', '--from', '2026-02-25', '--to', YESTERDAY, ...options];
      const { code, stdout } = await runCommand(argv, { dataDir, jobs });
      expect([code, stdout]).toEqual([0, expect.stringContaining('4 of 4 days done')]);
      return hashFiles(dataDir, (file) => file.startsWith(path.join('lake', 'stop_events')));
    };
    const inTurn = await build();
    expect(inTurn.size).toBe(4 * SOURCES.length);
    expect(await build('--concurrency', '3')).toEqual(inTurn);
  });

  it('imports each call unchanged, under the source that continues it', async () => {
    const dataDir = await temporaryFolder();
    const outcome = await run({ dataDir, options: three });
    expect(outcome).toMatchObject({ status: 'done', summary: 'made 3 days of 36 calls', details: { rowsRead: 36 } });
    const manifest = await findStopEventManifest(dataDir, SOURCE, date(YESTERDAY));
    expect(manifest).toMatchObject({ kind: 'import', rows: 4, rowsIn: 4, refused: {} });
    expect(manifest?.counts).toEqual({ scheduled: 4, observed: 2, forecast: 0, cancelled: 2, added: 0 });
    const rows = await queryStopEvents(
      dataDir,
      SOURCE,
      `select concat_ws(' ', trip_id, position, scheduled_time, coalesce(delay_seconds::varchar, '-'),
         if(event = 'departure', departure_is_cancelled, arrival_is_cancelled),
         feed_source) as described
       from stop_events where service_date = '2026-02-26' order by trip_id, position`,
    );
    expect(rows.map(({ described }) => described)).toEqual([
      't1 0 2026-02-27 01:00:00+00 60 false sample',
      't1 1 2026-02-27 01:10:00+00 -30 false sample',
      't2 0 2026-02-26 08:00:00+00 - true sample',
      't2 1 2026-02-26 08:10:00+00 - true sample',
    ]);
  });

  it('adds only missing days', async () => {
    const dataDir = await temporaryFolder();
    await run({ dataDir, options: { date: date('2026-02-27') } });
    const past = smallPast();
    expect(await run({ dataDir, options: three, past })).toMatchObject({
      status: 'done',
      summary: 'made 2 days of 24 calls, 1 already present',
    });
    expect(past.days).toEqual([[YESTERDAY, '2026-02-26']]);
    const again = smallPast();
    expect(await run({ dataDir, options: three, past: again })).toMatchObject({ status: 'unchanged' });
    expect(again.days).toEqual([]);
  });

  it('continues where it was interrupted', async () => {
    const dataDir = await temporaryFolder();
    const stop = new AbortController();
    const month = { from: date('2026-02-20') };
    const past = smallPast({ onRequest: (dates) => void (dates.includes('2026-02-20') && stop.abort()) });
    const outcome = await run({ dataDir, options: month, past, stopping: stop.signal });
    expect(outcome.summary).toBe('made 4 days of 48 calls, stopped before the end');
    // Killed between the rows of a day and its manifest.
    const manifests = path.join(dataDir, 'lake', 'manifests', 'stop_events', `source=${SOURCE}`);
    await rm(path.join(manifests, 'service_date=2026-02-27.json'));
    const rest = smallPast();
    const second = await run({ dataDir, options: month, past: rest });
    expect(second.summary).toBe('made 6 days of 64 calls, 3 already present');
    expect(rest.days.flat()).toEqual([
      '2026-02-27',
      '2026-02-24',
      '2026-02-23',
      '2026-02-22',
      '2026-02-21',
      '2026-02-20',
    ]);
    expect(await listDays(dataDir)).toHaveLength(9);
  });

  it('skips a day on which vehicles are still under way, and says so', async () => {
    const dataDir = await temporaryFolder();
    const past = smallPast({ running: [YESTERDAY] });
    const { summary } = await run({ dataDir, options: three, past });
    expect(summary).toBe('made 2 days of 24 calls, 1 not over yet');
  });

  it('rebuilds days on request, but never those that the service has observed itself', async () => {
    const dataDir = await temporaryFolder();
    await run({ dataDir, options: three });
    await markAsSeen(dataDir, SOURCE);
    // Of the day that one source has observed, the others are rebuilt.
    const forced = { ...three, isForced: true };
    const summary = 'made 3 days of 32 calls';
    expect(await run({ dataDir, options: forced })).toMatchObject({ status: 'done', summary });
    for (const source of SOURCES) await markAsSeen(dataDir, source);
    const past = smallPast();
    expect((await run({ dataDir, options: forced, past })).status).toBe('done');
    expect(past.days).toEqual([['2026-02-27', '2026-02-26']]);
    for (const source of SOURCES)
      expect((await findStopEventManifest(dataDir, source, date(YESTERDAY)))?.kind).toBe('realtime');
  });

  it('imports every call of a real day that the simulator reports', async () => {
    const dataDir = await temporaryFolder();
    const simulator = createSimulator(await readSampleLookups());
    const past: RecordedPast = {
      days: [],
      part: (request) => writePast(simulator, request, new AbortController().signal),
    };
    const sunday = date('2026-02-22');
    const { details } = await run({ dataDir, options: { date: sunday }, past });
    let rows = 0;
    for (const source of SOURCES) {
      const manifest = await findStopEventManifest(dataDir, source, sunday);
      rows += manifest!.rows;
      expect(manifest?.refused).toEqual({});
      const { scheduled, observed, cancelled, added } = manifest!.counts;
      expect(scheduled + added).toBe(manifest?.rows);
      expect(observed / scheduled).toBeGreaterThan(0.93);
      expect(cancelled).toBeGreaterThan(0);
    }
    expect(rows).toBe((details as { rowsRead: number }).rowsRead);
    for (const publisher of samplePublishers)
      expect(await readdir(path.join(samplePastFolder(dataDir), publisher))).toEqual(['2026-02-22.csv.gz']);
    // Each line is stored under the source that continues to report it, and under no other.
    const lines = async (source: SourceId) => {
      const described = await queryStopEvents(
        dataDir,
        source,
        "select distinct concat(product, ' ', line_label) as described from stop_events",
      );
      return described.map(({ described }) => described);
    };
    const [stmk, wien, austria] = [await lines(SOURCES[0]!), await lines(SOURCES[1]!), await lines(SOURCES[2]!)];
    expect(wien.sort()).toEqual(['subway U1', 'subway U2', 'subway U3', 'subway U4', 'subway U6']);
    expect(stmk).toEqual(expect.arrayContaining(['tram 1', 'sBahn S1', 'train RJ']));
    expect(austria).toEqual(expect.arrayContaining(['sBahn S45', 'train RJX', 'train NJ']));
    expect(austria.some((line) => String(line).startsWith('subway') || String(line).startsWith('tram'))).toBe(false);
  });
});

describe('the continued record', () => {
  it('keeps the days of the archives unchanged', async () => {
    const dataDir = await temporaryFolder();
    await run({ dataDir, options: three });
    const before = await findStopEventManifest(dataDir, SOURCE, date(YESTERDAY));
    const finalise = ['run', 'finalise-stop-events', '--source', SOURCE, '--from', '2026-02-26', '--force'];
    const { code, stdout } = await runCommand(finalise, { dataDir });
    expect([code, stdout]).toEqual([0, expect.stringContaining('no day is due, 3 imported')]);
    expect(await findStopEventManifest(dataDir, SOURCE, date(YESTERDAY))).toEqual(before);
  });
});

describe('taktgeber run build-sample-history', () => {
  it.each<[reason: string, options: string[], code: number, message: string]>([
    ['today', ['--date', '2026-03-01'], 2, '2026-03-01 is not over yet'],
    ['years', ['--from', '2020-01-01'], 2, '2251 days are too many; the maximum is 366'],
    ['an unsupported option', ['--gtfs', 'a.zip'], 2, 'build-sample-history does not support --gtfs'],
  ])('rejects %s', async (_case, options, code, message) => {
    const setting = { dataDir: await temporaryFolder() };
    const { code: actual, stderr } = await runCommand(['run', 'build-sample-history', ...options], setting);
    expect([actual, stderr]).toEqual([code, expect.stringContaining(message)]);
  });

  it('writes nothing in a dry run', async () => {
    const dataDir = await temporaryFolder();
    const { code, stdout } = await runCommand(['run', 'build-sample-history', '--dry-run'], { dataDir });
    expect([code, stdout]).toEqual([0, expect.stringContaining('would make 35 days')]);
    await expect(access(samplePastFolder(dataDir))).rejects.toThrow();
  });

  it('does nothing if sources are configured', async () => {
    const dataDir = await temporaryFolder();
    await writeFile(path.join(dataDir, 'taktgeber.yaml'), 'sources: [{id: wien, gtfs: a.zip}]\n');
    const { code, stderr } = await runCommand(['run', 'build-sample-history'], { dataDir });
    expect([code, stderr]).toEqual([2, expect.stringContaining('only the built-in sample has a generated past')]);
  });
});
