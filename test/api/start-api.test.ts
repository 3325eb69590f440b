import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Board, Meta, V1Health } from '../../api/contract/definitions.ts';
import type { RunningServer } from '../../api/server.ts';
import { type ApiConfig, startApi } from '../../api/start-api.ts';
import { fixedClock } from '../../pipeline/effects/clock.ts';
import type { Log } from '../../pipeline/effects/log.ts';
import { publishFeeds } from '../support/board-world.ts';
import { expectValidAnswer } from '../support/contract-validator.ts';
import { silentLog, soundFeed, temporaryFolder } from '../support/ingest.ts';
import { withFiles } from '../support/text-feed.ts';

const clock = fixedClock('2026-03-03T06:30:07Z');

function configFor(dataDir: string, port = 0): ApiConfig {
  return {
    dataDir,
    host: '127.0.0.1',
    port,
    logLevel: 'silent',
    trustProxy: null,
    publicUrl: null,
    referenceKey: null,
    fairUse: { unitsPerMinute: 0, burst: 0 },
    limits: { bodyBytes: 262_144, urlBytes: 24_576, headerBytes: 16_384, requestTimeoutSeconds: 15 },
    responseCache: { maxBytes: 1_000_000 },
    timetable: { maxAgeHours: 36 },
  };
}

async function start(config: ApiConfig, log: Log = silentLog): Promise<RunningServer> {
  const server = await startApi(config, { clock, log });
  onTestFinished(() => server.close());
  return server;
}

async function ask<Body>(server: RunningServer, path: string) {
  const answer = await fetch(server.url + path);
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Body };
}

interface Problem {
  readonly code: string;
}

const portOf = (server: RunningServer) => Number(new URL(server.url).port);
const BOARD = '/v2/stops/at:a/departures';
/** It looks once a second; a busy machine may need longer to load. */
const SOON = { timeout: 10_000, interval: 25 };

describe('a service that is started', () => {
  test('before anything is published, and finds it within about a second', async () => {
    const dataDir = await temporaryFolder();
    const server = await start(configFor(dataDir));
    const health = await ask<V1Health>(server, '/v1/health');
    await expectValidAnswer('V1Health', health.body);
    expect([health.status, health.body.status, health.body.timetable]).toEqual([503, 'unhealthy', null]);
    const board = await ask<Problem>(server, BOARD);
    await expectValidAnswer('Problem', board.body);
    expect([board.status, board.body.code]).toEqual([503, 'timetable_unavailable']);
    const meta = await ask<Meta>(server, '/v2/meta');
    await expectValidAnswer('Meta', meta.body);
    expect([meta.status, 'timetable' in meta.body]).toEqual([200, false]);

    await publishFeeds({ at: soundFeed }, { dataDir });
    await vi.waitFor(async () => expect((await ask(server, '/v1/health')).status).toBe(200), SOON);
    const found = await ask<Board>(server, BOARD);
    await expectValidAnswer('Board', found.body);
    expect([found.status, found.body.departures.length]).toEqual([200, 1]);
    expect((await ask<Meta>(server, '/v2/meta')).body.timetable).toMatchObject({
      begin: '2026-03-02',
      end: '2026-03-08',
    });
  });

  test('answers on while another timetable takes the place of the first, each from one of the two', async () => {
    const dataDir = await temporaryFolder();
    await publishFeeds({ at: soundFeed }, { dataDir });
    const server = await start(configFor(dataDir));
    const later = withFiles(soundFeed, {
      'stop_times.txt': soundFeed.get('stop_times.txt')!.replaceAll('08:00:00', '08:05:00'),
    });
    const seen: string[] = [];
    const askOnce = async () => {
      const { status, headers, body } = await ask<Board>(server, BOARD);
      expect(status).toBe(200);
      seen.push(`${headers.get('data-version')} ${body.departures[0]!.departure.scheduled}`);
    };
    await askOnce();
    let isPublished = false;
    const publishing = publishFeeds({ at: later }, { dataDir }).then(() => {
      isPublished = true;
    });
    while (!isPublished) await askOnce();
    await publishing;
    await vi.waitFor(async () => {
      await askOnce();
      expect(seen.at(-1)).not.toBe(seen[0]);
    }, SOON);
    const answers = [...new Set(seen)];
    expect(answers.map((answer) => answer.split(' ')[1])).toEqual([
      '2026-03-03T08:00:00+01:00',
      '2026-03-03T08:05:00+01:00',
    ]);
    // Once the new one is there, the old one never comes back.
    expect(seen.lastIndexOf(answers[0]!)).toBeLessThan(seen.indexOf(answers[1]!));
  });

  test('again on the same folder makes the same references, and the same tags', async () => {
    const dataDir = await temporaryFolder();
    await publishFeeds({ at: soundFeed }, { dataDir });
    const first = await startApi(configFor(dataDir), { clock, log: silentLog });
    const before = await ask<Board>(first, BOARD);
    await first.close();
    const after = await ask<Board>(await start(configFor(dataDir)), BOARD);
    expect(after.body).toEqual(before.body);
    expect(after.headers.get('etag')).toBe(before.headers.get('etag'));
    const other = await ask<Board>(await start({ ...configFor(dataDir), referenceKey: 'ab'.repeat(32) }), BOARD);
    expect(other.body.departures[0]!.journeyRef).not.toBe(before.body.departures[0]!.journeyRef);
    expect(other.headers.get('etag')).not.toBe(before.headers.get('etag'));
  });

  test('on a snapshot that it cannot read says so, and serves none', async () => {
    const dataDir = await temporaryFolder();
    await mkdir(`${dataDir}/snapshots/timetable`, { recursive: true });
    await writeFile(`${dataDir}/snapshots/timetable/current.json`, '{"id":"gone"}');
    const warnings: string[] = [];
    const server = await start(configFor(dataDir), { ...silentLog, warn: (message) => void warnings.push(message) });
    expect(warnings).toEqual([expect.stringContaining('snapshot gone cannot be loaded')]);
    expect((await ask<Problem>(server, BOARD)).body.code).toBe('timetable_unavailable');
  });
});

describe('its port', () => {
  test('is free again when it is closed, and nobody answers there', async () => {
    const dataDir = await temporaryFolder();
    const server = await startApi(configFor(dataDir), { clock, log: silentLog });
    const port = portOf(server);
    await server.close();
    await expect(fetch(server.url)).rejects.toThrow();
    expect(portOf(await start(configFor(dataDir, port)))).toBe(port);
  });

  test('taken by another program is told in one sentence', async () => {
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

test('a reference key that is none keeps it from starting', async () => {
  const config = { ...configFor(await temporaryFolder()), referenceKey: 'secret' };
  await expect(start(config)).rejects.toMatchObject({ code: 'bad_reference_key' });
});
