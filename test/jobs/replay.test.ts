import { access, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { ReplayRequest } from '../../jobs/commands/run-api.ts';
import { configureReplay, makeReplayFolder } from '../../jobs/definitions/replay-folder.ts';
import type { Clock } from '../../pipeline/effects/clock.ts';
import { type Instant, parseTimestamp } from '../../pipeline/model/service-time.ts';
import { currentStreetsFile, findCurrentStreetsId, streetsFolder } from '../../pipeline/streets/published-streets.ts';
import { findValue, parseMetrics } from '../support/checks/parse-metrics.ts';
import { findFreePort } from '../support/fakes/free-port.ts';
import { fakeEffects, runCommand, testConfig } from './fake-world.ts';

let dataDir: string;

beforeEach(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'taktgeber-replay-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
});

interface Started {
  readonly request: ReplayRequest;
  readonly clock: Clock;
  isClosed: boolean;
}

/** Runs the command until the replay has started, then stops it. */
async function replay(args: readonly string[], first: Instant | null = null) {
  const stop = new AbortController();
  const started: Started[] = [];
  const run = await runCommand(['replay', ...args], {
    dataDir,
    stop,
    effects: fakeEffects('2026-04-01T10:00:00Z'),
    parts: {
      findFirstAnswer: async () => first,
      startReplay: async (request, { clock }) => {
        const one: Started = { request, clock, isClosed: false };
        started.push(one);
        queueMicrotask(() => stop.abort(new Error('stopped')));
        return {
          url: 'http://127.0.0.1:1',
          close: async () => {
            one.isClosed = true;
          },
        };
      },
    },
  });
  return { run, started: started[0] ?? null };
}

describe('taktgeber replay', () => {
  test('a time: the clock starts there, with half an hour of run-up, and runs to the end of the day', async () => {
    const { run, started } = await replay(['--at', '2026-03-29T01:55:00+01:00', '--speed', '10']);
    expect(run.code).toBe(0);
    expect(run.stdout).toContain('Serving 2026-03-29T01:55:00+01:00 at http://127.0.0.1:1, 10 times as fast');
    expect(started!.request).toMatchObject({
      at: parseTimestamp('2026-03-29T00:55:00Z'),
      from: parseTimestamp('2026-03-29T00:25:00Z'),
      to: parseTimestamp('2026-03-29T22:00:00Z'),
    });
    expect(started!.clock.course).toMatchObject({ at: Date.parse('2026-03-29T00:55:00Z'), speed: 10 });
    expect(started!.isClosed).toBe(true);
  });

  test('is monitored like a service: JSON lines, metrics, and the reason why it is not ready', async () => {
    const port = await findFreePort();
    const getText = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text();
    const answers: string[] = [];
    const stop = new AbortController();
    const run = await runCommand(['replay', '--at', '2026-03-29T01:55:00+01:00'], {
      dataDir,
      stop,
      environment: {
        TAKTGEBER_METRICS_IS_ENABLED: 'true',
        TAKTGEBER_METRICS_PORT: String(port),
        TAKTGEBER_LOG_FORMAT: 'json',
      },
      parts: {
        startReplay: async (_request, { metrics, log }) => {
          metrics!.counters.responses.add({ from: 'cache' });
          log.warn('a source is away');
          setImmediate(async () => {
            answers.push(await getText('/ready'), await getText('/metrics'));
            stop.abort(new Error('stopped'));
          });
          return { url: 'http://127.0.0.1:1', findTrouble: () => 'nothing is published', close: async () => {} };
        },
      },
    });
    expect(run.code).toBe(0);
    const [ready, metrics] = answers;
    expect(ready).toBe('not ready: nothing is published\n');
    expect(findValue(parseMetrics(metrics!), 'taktgeber_responses_total', { from: 'cache' })).toBe(1);
    const lines = run.stderr.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ level: 'warn', msg: 'a source is away' }),
    );
  });

  test('a day: starts with the first stored response', async () => {
    const first = parseTimestamp('2026-03-28T05:00:10Z')!;
    const { started } = await replay(['--date', '2026-03-28'], first);
    expect(started!.request.at).toBe(first);
    expect(started!.clock.course!.speed).toBe(60);
  });

  test.each([
    [[], 'replay needs either --date or --at'],
    [['--date', '2026-03-28', '--at', '2026-03-29T01:55:00Z'], 'replay needs either --date or --at'],
    [['--date', 'yesterday'], '--date is "yesterday"'],
    [['--at', '2026-03-29'], '--at is "2026-03-29"'],
    [['--date', '2026-03-28', '--speed', '0'], '--speed is "0"'],
    [['--date', '2026-03-28', '--speed', '601'], '--speed is "601"'],
    [['--date', '2026-03-28'], 'no response of 2026-03-28 is stored'],
  ])('%j is refused: %s', async (args, sentence) => {
    const { run, started } = await replay(args);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain(sentence);
    expect(started).toBeNull();
  });
});

describe('the folder of a replay', () => {
  /** A timetable that was published at a time and is valid for some days. */
  async function keepTimetable(id: string, createdAt: string, beginDate: string, endDate: string): Promise<void> {
    const folder = path.join(dataDir, 'snapshots', 'timetable', id);
    await mkdir(folder, { recursive: true });
    const manifest = { id, createdAt, beginDate, endDate, sources: [{ sourceId: 'at' }] };
    await writeFile(path.join(folder, 'manifest.json'), JSON.stringify(manifest));
  }
  const at = parseTimestamp('2026-03-28T12:00:00Z')!;
  const chosen = async (folder: string) =>
    JSON.parse(await readFile(path.join(folder, 'snapshots', 'timetable', 'current.json'), 'utf8')).id;

  test('has the timetable of that time, and not a later one', async () => {
    await keepTimetable('before', '2026-03-20T00:00:00Z', '2026-03-01', '2026-06-01');
    await keepTimetable('then', '2026-03-27T00:00:00Z', '2026-03-01', '2026-06-01');
    await keepTimetable('after', '2026-03-30T00:00:00Z', '2026-03-01', '2026-06-01');
    await keepTimetable('other', '2026-03-28T00:00:00Z', '2026-04-01', '2026-06-01');
    const folder = await makeReplayFolder(dataDir, at);
    expect(await chosen(folder)).toBe('then');
    const linked = await realpath(path.join(folder, 'snapshots', 'timetable', 'then'));
    expect(linked).toBe(await realpath(path.join(dataDir, 'snapshots', 'timetable', 'then')));
  });

  test('has the current streets, if any', async () => {
    await keepTimetable('then', '2026-03-27T00:00:00Z', '2026-03-01', '2026-06-01');
    const folder = await makeReplayFolder(dataDir, at);
    expect(await findCurrentStreetsId(folder)).toBeNull();
    await mkdir(streetsFolder(dataDir));
    await writeFile(currentStreetsFile(dataDir), '{"id": "town"}');
    expect(await findCurrentStreetsId(folder)).toBe('town');
  });

  test('has a later timetable that covers the day if none of that time is stored', async () => {
    await keepTimetable('after', '2026-03-30T00:00:00Z', '2026-03-01', '2026-06-01');
    expect(await chosen(await makeReplayFolder(dataDir, at))).toBe('after');
  });

  test('is not made without a timetable of the day; nothing is left behind', async () => {
    await keepTimetable('other', '2026-03-28T00:00:00Z', '2026-04-01', '2026-06-01');
    await expect(makeReplayFolder(dataDir, at)).rejects.toMatchObject({ code: 'timetable_unavailable' });
    await expect(access(path.join(dataDir, 'tmp'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

test('a replay has separate watches, wherever the real ones are stored', async () => {
  const config = await testConfig(dataDir);
  const watches = { ...config.watches, file: '/srv/watches.sqlite', postgresUrl: 'postgres://db/watches' };
  const folder = path.join(dataDir, 'replay');
  const configured = configureReplay({ ...config, watches }, folder);
  expect(configured).toMatchObject({ dataDir: folder, watches: { postgresUrl: null, maxTotal: watches.maxTotal } });
  expect(path.resolve(folder, configured.watches.file)).toBe(path.join(folder, 'watches', 'watches.sqlite'));
});
