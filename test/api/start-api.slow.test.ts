import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { ApiConfig } from '../../api/api-config.ts';
import type { Board, Meta, V1Health, V1Predictions, V1Status } from '../../api/contract/definitions.ts';
import type { RunningServer } from '../../api/server.ts';
import { startApi } from '../../api/start-api.ts';
import { withSampleCredit } from '../../jobs/definitions/sample-sources.ts';
import { fixedClock } from '../../pipeline/effects/clock.ts';
import type { Log } from '../../pipeline/effects/log.ts';
import type { TripPrediction } from '../../pipeline/model/prediction.ts';
import type { ServiceDate } from '../../pipeline/model/service-time.ts';
import { realtimeSnapshotFile } from '../../pipeline/snapshots/realtime-files.ts';
import { testConfig } from '../jobs/fake-world.ts';
import { build as buildTown, hasEngine, writeTown } from '../pipeline/streets/made-up-town.ts';
import { expectValidAnswer } from '../support/checks/contract-validator.ts';
import { publishFeeds } from '../support/worlds/board-world.ts';
import { silentLog, soundFeed, temporaryFolder } from '../support/worlds/ingest.ts';
import { publishReport } from '../support/worlds/publish-report.ts';
import { withFiles } from '../support/worlds/text-feed.ts';
import { predictionOf } from '../support/worlds/trip-predictions.ts';
import { apiConfig } from './api-config.ts';

const clock = fixedClock('2026-03-03T06:30:07Z');

const configFor = (dataDir: string, port = 0): ApiConfig => apiConfig(dataDir, { port });

async function start(config: ApiConfig, log: Log = silentLog): Promise<RunningServer> {
  const server = await startApi(config, { clock, log });
  onTestFinished(() => server.close());
  return server;
}

async function getJson<Body>(server: RunningServer, path: string) {
  const answer = await fetch(server.url + path);
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Body };
}

interface Problem {
  readonly code: string;
}

const portOf = (server: RunningServer) => Number(new URL(server.url).port);
const BOARD = '/v2/stops/at:a/departures';
/** It checks once a second; a busy machine needs longer to load. */
const SOON = { timeout: 90_000, interval: 25 };

/** Collects messages, except the one about the missing browser build. */
const noteInto = (messages: string[]) => (message: string) => {
  if (!message.includes('the site is not built')) messages.push(message);
};

describe('a started service', () => {
  test('finds the first publication within about a second', async () => {
    const dataDir = await temporaryFolder();
    const server = await start(configFor(dataDir));
    const health = await getJson<V1Health>(server, '/v1/health');
    await expectValidAnswer('V1Health', health.body);
    expect([health.status, health.body.status, health.body.timetable]).toEqual([503, 'unhealthy', null]);
    const board = await getJson<Problem>(server, BOARD);
    await expectValidAnswer('Problem', board.body);
    expect([board.status, board.body.code]).toEqual([503, 'timetable_unavailable']);
    const meta = await getJson<Meta>(server, '/v2/meta');
    await expectValidAnswer('Meta', meta.body);
    expect([meta.status, 'timetable' in meta.body]).toEqual([200, false]);

    await publishFeeds({ at: soundFeed }, { dataDir });
    await vi.waitFor(async () => expect((await getJson(server, '/v1/health')).status).toBe(200), SOON);
    const found = await getJson<Board>(server, BOARD);
    await expectValidAnswer('Board', found.body);
    expect([found.status, found.body.departures.length]).toEqual([200, 1]);
    expect((await getJson<Meta>(server, '/v2/meta')).body.timetable).toMatchObject({
      begin: '2026-03-02',
      end: '2026-03-08',
    });
  });

  test('answers from one of two timetables while the second replaces the first', async () => {
    const dataDir = await temporaryFolder();
    await publishFeeds({ at: soundFeed }, { dataDir });
    const server = await start(configFor(dataDir));
    const later = withFiles(soundFeed, {
      'stop_times.txt': soundFeed.get('stop_times.txt')!.replaceAll('08:00:00', '08:05:00'),
    });
    const seen: string[] = [];
    const getOnce = async () => {
      const { status, headers, body } = await getJson<Board>(server, BOARD);
      expect(status).toBe(200);
      seen.push(`${headers.get('data-version')} ${body.departures[0]!.departure.scheduled}`);
    };
    await getOnce();
    let isPublished = false;
    const publishing = publishFeeds({ at: later }, { dataDir }).then(() => {
      isPublished = true;
    });
    while (!isPublished) await getOnce();
    await publishing;
    await vi.waitFor(async () => {
      await getOnce();
      expect(seen.at(-1)).not.toBe(seen[0]);
    }, SOON);
    const answers = [...new Set(seen)];
    expect(answers.map((answer) => answer.split(' ')[1])).toEqual([
      '2026-03-03T08:00:00+01:00',
      '2026-03-03T08:05:00+01:00',
    ]);
    // After the new timetable, the old one never reappears.
    expect(seen.lastIndexOf(answers[0]!)).toBeLessThan(seen.indexOf(answers[1]!));
  });

  test('creates the same references and tags after a restart on the same folder', async () => {
    const dataDir = await temporaryFolder();
    await publishFeeds({ at: soundFeed }, { dataDir });
    const first = await startApi(configFor(dataDir), { clock, log: silentLog });
    const before = await getJson<Board>(first, BOARD);
    await first.close();
    const after = await getJson<Board>(await start(configFor(dataDir)), BOARD);
    expect(after.body).toEqual(before.body);
    expect(after.headers.get('etag')).toBe(before.headers.get('etag'));
    const other = await getJson<Board>(await start({ ...configFor(dataDir), referenceKey: 'ab'.repeat(32) }), BOARD);
    expect(other.body.departures[0]!.journeyRef).not.toBe(before.body.departures[0]!.journeyRef);
    expect(other.headers.get('etag')).not.toBe(before.headers.get('etag'));
  });

  test.runIf(hasEngine)('credits street data on the page and in the document', async () => {
    const dataDir = await temporaryFolder();
    const pbf = `${dataDir}/town.osm.pbf`;
    await writeTown(pbf);
    const credit = '© OpenStreetMap contributors';
    const readPages = async () => {
      const { url } = await start(configFor(dataDir));
      const pages = ['/', '/openapi.json'].map(async (page) => (await fetch(url + page)).text());
      return (await Promise.all(pages)).map((text) => text.includes(credit));
    };
    expect(await readPages()).toEqual([false, false]);
    await buildTown({ pbf, dataDir });
    expect(await readPages()).toEqual([true, true]);
  });

  test('credits the sample only if it is served', async () => {
    const english = { headers: { 'accept-language': 'en' } };
    const served = withSampleCredit(await testConfig(await temporaryFolder()));
    const readPage = async (feedId: string) => {
      const dataDir = await temporaryFolder();
      await publishFeeds({ [feedId]: soundFeed }, { dataDir });
      const { url } = await start({ ...configFor(dataDir), sources: served.sources });
      return Promise.all(['/', '/openapi.json'].map(async (page) => (await fetch(url + page, english)).text()));
    };
    for (const text of await readPage('sample')) {
      expect(text).toContain('This is a demo');
      expect(text).toContain('Data of sample: fictional, with timetable and reports simulated by Taktgeber');
    }
    for (const text of await readPage('typed')) expect(text).not.toMatch(/\bdemo\b|fictional|made up/);
  });

  test('logs an unreadable snapshot, and serves none', async () => {
    const dataDir = await temporaryFolder();
    await mkdir(`${dataDir}/snapshots/timetable`, { recursive: true });
    await writeFile(`${dataDir}/snapshots/timetable/current.json`, '{"id":"gone"}');
    const warnings: string[] = [];
    const server = await start(configFor(dataDir), { ...silentLog, warn: noteInto(warnings) });
    expect(warnings).toEqual([expect.stringContaining('snapshot gone cannot be loaded')]);
    expect((await getJson<Problem>(server, BOARD)).body.code).toBe('timetable_unavailable');
  });
});

describe('realtime published while running', () => {
  const START = Date.parse('2026-03-03T06:30:00Z');
  const publishDelay = (
    dataDir: string,
    minutes: number,
    nowMilliseconds: number,
    forecasts: readonly TripPrediction[] = [],
  ) => publishReport(dataDir, { minutes, nowMilliseconds, forecasts });
  const shownBy = async (server: RunningServer) => {
    const { status, headers, body } = await getJson<Board>(server, BOARD);
    await expectValidAnswer('Board', body);
    expect(status).toBe(200);
    const { realtime } = body.departures[0]!.departure;
    return { shown: realtime?.slice(11, 16) ?? 'planned', version: headers.get('data-version')! };
  };

  test('is served within about a second, poll by poll', async () => {
    const dataDir = await temporaryFolder();
    await publishFeeds({ at: soundFeed }, { dataDir });
    const server = await start(configFor(dataDir));
    expect((await shownBy(server)).shown).toBe('planned');
    for (const [minutes, expected] of [
      [3, '08:03'],
      [5, '08:05'],
    ] as const) {
      const id = await publishDelay(dataDir, minutes, START + minutes);
      await vi.waitFor(async () => {
        const { shown, version } = await shownBy(server);
        expect([shown, version.split('.')[1]]).toEqual([expected, id]);
      }, SOON);
    }
    const status = await getJson<V1Status>(server, '/v1/status');
    await expectValidAnswer('V1Status', status.body);
    expect(status.body.sources.map(({ id }) => id)).toEqual(['at', 'rt']);
  });

  test('is served with predictions unless they are paused', async () => {
    const dataDir = await temporaryFolder();
    await publishFeeds({ at: soundFeed }, { dataDir });
    const day = '2026-03-03' as ServiceDate;
    const quantiles = [[60, 90, 120] as const, [60, 90, 120] as const];
    await publishDelay(dataDir, 3, START, [predictionOf('t1', { day, observedAt: '2026-03-03T06:29:00Z' }, quantiles)]);
    const getBoth = async (paused: boolean) => {
      const server = await start({ ...configFor(dataDir), predictions: { isPaused: paused } });
      const { status, headers, body } = await getJson<V1Predictions>(server, '/v1/predictions?line=1');
      await expectValidAnswer('V1Predictions', body);
      const { measurement } = (await getJson<V1Status>(server, '/v1/status')).body;
      return { values: [status, body.count, measurement.state, measurement.evidenceSources], headers };
    };
    const live = await getBoth(false);
    const paused = await getBoth(true);
    expect([live.values, paused.values]).toEqual([
      [200, 1, 'live', ['rt']],
      [200, 0, 'paused', ['rt']],
    ]);
    // The data is the same, but the responses differ.
    expect(paused.headers.get('data-version')).toBe(live.headers.get('data-version'));
    expect(paused.headers.get('etag')).not.toBe(live.headers.get('etag'));
  });

  test('keeps the previous snapshot if damaged, is logged once, and recovers with the next', async () => {
    const dataDir = await temporaryFolder();
    await publishFeeds({ at: soundFeed }, { dataDir });
    await publishDelay(dataDir, 3, START);
    const lines: string[] = [];
    const note = noteInto(lines);
    const server = await start(configFor(dataDir), { ...silentLog, warn: note, info: note });
    const before = await shownBy(server);
    expect(before.shown).toBe('08:03');

    const damaged = await publishDelay(dataDir, 4, START + 1000);
    const file = realtimeSnapshotFile(dataDir, damaged);
    await writeFile(file, (await readFile(file)).fill(0, 100, 200));
    await vi.waitFor(() => expect(lines.join()).toContain(`snapshot ${damaged} cannot be loaded`), SOON);
    expect(await shownBy(server)).toEqual(before);

    await publishDelay(dataDir, 5, START + 2000);
    await vi.waitFor(async () => expect((await shownBy(server)).shown).toBe('08:05'), SOON);
    expect(lines).toHaveLength(2);
    expect(lines[1]).toContain('can be loaded again');
  });

  test('is ignored if it is for another timetable', async () => {
    const dataDir = await temporaryFolder();
    await publishFeeds({ at: soundFeed }, { dataDir });
    await publishDelay(dataDir, 3, START);
    const later = withFiles(soundFeed, {
      'stop_times.txt': soundFeed.get('stop_times.txt')!.replaceAll('08:00:00', '08:01:00'),
    });
    await publishFeeds({ at: later }, { dataDir });
    const server = await start(configFor(dataDir));
    expect((await shownBy(server)).shown).toBe('planned');
    await publishDelay(dataDir, 6, START + 1000);
    await vi.waitFor(async () => expect((await shownBy(server)).shown).toBe('08:06'), SOON);
  });
});

describe('its port', () => {
  test('is free after closing', async () => {
    const dataDir = await temporaryFolder();
    const server = await startApi(configFor(dataDir), { clock, log: silentLog });
    const port = portOf(server);
    await server.close();
    await expect(fetch(server.url)).rejects.toThrow();
    expect(portOf(await start(configFor(dataDir, port)))).toBe(port);
  });

  test('in use by another program is reported in one sentence', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => void taken.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => new Promise<void>((resolve) => void taken.close(() => resolve())));
    const { port } = taken.address() as { port: number };
    await expect(start(configFor(await temporaryFolder(), port))).rejects.toMatchObject({
      code: 'port_in_use',
      message: `port ${port} is taken by another program; choose one with --port`,
    });
  });
});

test('refuses to start with an invalid key', async () => {
  const config = configFor(await temporaryFolder());
  await expect(start({ ...config, referenceKey: 'secret' })).rejects.toMatchObject({ code: 'bad_reference_key' });
  const watches = { ...config.watches, vapidKey: 'secret' };
  await expect(start({ ...config, watches })).rejects.toMatchObject({ code: 'bad_vapid_key' });
});
