import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { untilInterrupted } from '../../jobs/commands/io.ts';
import { Interruption } from '../../jobs/job/exit-code.ts';
import { acquireLocks } from '../../jobs/locks/job-lock.ts';
import { ExternalError } from '../../pipeline/effects/external-error.ts';
import { HttpStatusError } from '../../pipeline/effects/http.ts';
import { ingestPart, outcome, publish } from './fake-ingest.ts';
import type { Parts } from './fake-world.ts';
import { type CommandSetting, fakeEffects, press, runCommand, temporaryFolder } from './fake-world.ts';

async function run(argv: readonly string[], setting: Partial<CommandSetting> = {}) {
  return runCommand(argv, { dataDir: await temporaryFolder(), ...setting });
}

describe('up and serve', () => {
  /** An API that finds the given stop, and stops the command once it was queried for stops. */
  /** @param isStoppedSoon whether Ctrl-C is pressed once the API listens */
  function apiPart(stop: AbortController, stopId: string | null, { isStoppedSoon = true } = {}) {
    const events: string[] = [];
    const stopSoon = () => {
      if (isStoppedSoon) setImmediate(() => press(stop, new Interruption('SIGINT')));
    };
    const effects = {
      ...fakeEffects(),
      http: async ({ url }: { url: string }) => {
        events.push(url);
        const isFound = stopId !== null && url.includes('query=Hbf');
        stopSoon();
        const body = JSON.stringify({ stops: isFound ? [{ id: stopId }] : [] });
        return { status: 200, headers: new Headers(), body: bytes(body) };
      },
    };
    const parts: Partial<Parts> = {
      startApi: async (config) => {
        events.push(`listen ${config.port}`);
        stopSoon();
        return {
          url: `http://127.0.0.1:${config.port}`,
          close: async () => {
            events.push('close');
          },
        };
      },
    };
    return { events, effects, parts };
  }

  async function* bytes(text: string): AsyncIterable<Uint8Array> {
    yield Buffer.from(text);
  }

  const noSchedule = { TAKTGEBER_SCHEDULE_IS_ENABLED: 'false', TAKTGEBER_POLLING_IS_ENABLED: 'false' };

  it('up ingests, serves, prints where to look, and exits with 0', async () => {
    const stop = new AbortController();
    const { events, effects, parts } = apiPart(stop, 'sample:1/2');
    const ingest = ingestPart();
    const { code, stdout, stderr } = await run(['up', '--port', '9000'], {
      effects,
      stop,
      parts: { ...ingest.parts, ...parts },
      environment: noSchedule,
    });
    expect(code).toBe(0);
    // The six lines of a first start, and one of the end.
    expect(stderr).toBe(`No source is configured: using the built-in sample, a fictional country.
published snapshot s1; sample: 1,210 rows in, 1,209 out, 1 refused (details: taktgeber status)
Made-up addresses for the search: 2,420 in 28 streets, 33 sights.
Stopping within ten seconds; press Ctrl-C again to stop immediately.
`);
    expect(stdout).toBe(`Ready in 0.0 s on http://127.0.0.1:9000/ (Ctrl-C stops it). Try:
  http://127.0.0.1:9000/stops/sample%3A1%2F2
  http://127.0.0.1:9000/docs
`);
    expect([events[0], events.at(-1)]).toEqual(['listen 9000', 'close']);
    expect(ingest.requests).toHaveLength(1);
  });

  it('up fails when the feed does and nothing was published before', async () => {
    const { parts } = ingestPart(new ExternalError('no_zip', 'a.zip is not a zip'));
    expect(await run(['up', '--gtfs', 'a.zip'], { parts })).toMatchObject({
      code: 1,
      stderr: 'error: a.zip is not a zip\n',
    });
  });

  it('up waits while another process ingests, and logs it once', async () => {
    const stop = new AbortController();
    const { effects, parts } = apiPart(stop, null);
    const dataDir = await temporaryFolder();
    const lock = await acquireLocks(dataDir, 'ingest-timetable', ['timetable'], effects.clock);
    const waits: number[] = [];
    const sleep = async (milliseconds: number) => {
      waits.push(milliseconds);
      if (waits.length === 2) await lock.release();
    };
    const { code, stderr } = await run(['up'], {
      dataDir,
      effects: { ...effects, sleep },
      stop,
      parts: { ...ingestPart().parts, ...parts },
      environment: noSchedule,
    });
    expect(code).toBe(0);
    expect(waits.slice(0, 2)).toEqual([30_000, 30_000]);
    expect(stderr.match(/waiting for a timetable to serve: ingest-timetable is being run by/g)).toHaveLength(1);
    expect(stderr).toContain('published snapshot s1');
  });

  it('up continues to serve the published timetable if the feed fails', async () => {
    const stop = new AbortController();
    const dataDir = await temporaryFolder();
    await publish(dataDir, 'other');
    const api = apiPart(stop, null);
    const parts = { ...ingestPart(new ExternalError('no_zip', 'a.zip is not a zip')).parts, ...api.parts };
    const setting = { ...api, dataDir, parts, stop, environment: noSchedule };
    const { code, stdout, stderr } = await runCommand(['up', '--gtfs', 'a.zip', '--json'], setting);
    expect(code).toBe(0);
    expect(stderr).toContain('warning: a.zip is not a zip; serving the last published data');
    expect(JSON.parse(stdout).addresses).toContain('http://127.0.0.1:8080/stops');
  });

  it('up does not wait for an upstream if the configured sources are published', async () => {
    const stop = new AbortController();
    const dataDir = await temporaryFolder();
    await publish(dataDir, 'wien');
    await writeFile(path.join(dataDir, 'taktgeber.yaml'), 'sources: [{id: wien, gtfs: https://example.org/a.zip}]\n');
    const { events, effects, parts } = apiPart(stop, null, { isStoppedSoon: false });
    const ingestTimetable: Parts['ingestTimetable'] = async () => {
      events.push('ingest');
      press(stop, new Interruption('SIGINT'));
      return outcome({ isUnchanged: true });
    };
    const setting = { dataDir, effects, stop, parts: { ...parts, ingestTimetable }, environment: noSchedule };
    const { code } = await runCommand(['up'], setting);
    expect(code).toBe(0);
    expect(events[0]).toBe('listen 8080');
    expect(events.filter((event) => event === 'ingest')).toHaveLength(1);
  });

  it('up polls the sample over HTTP while it serves, and stops both in order', async () => {
    const stop = new AbortController();
    const { events, effects, parts } = apiPart(stop, null);
    const startSampleUpstream: Parts['startSampleUpstream'] = async () => {
      events.push('upstream');
      return { url: 'http://127.0.0.1:9', close: async () => void events.push('upstream closed') };
    };
    const pollRealtime: Parts['pollRealtime'] = async ({ sources, rounds, signal }) => {
      events.push(`poll ${sources.map(({ id }) => id).join(' ')} ${rounds}`);
      await untilInterrupted(signal);
      events.push('poller stopped');
      return [];
    };
    const { code, stderr } = await run(['up'], {
      effects,
      stop,
      parts: { ...ingestPart().parts, ...parts, startSampleUpstream, pollRealtime },
      environment: { TAKTGEBER_SCHEDULE_IS_ENABLED: 'false' },
    });
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('poll-realtime: polling stmk_gtfs_rt, wien_gtfs_rt, austria_gtfs_rt, city_transit'),
    ]);
    expect(events[0]).toBe('listen 8080');
    expect(events).toContain('upstream');
    // Concurrently, because each may take some of the ten seconds; the upstream after the poller that uses it.
    expect(events).toContain('poll stmk_gtfs_rt wien_gtfs_rt austria_gtfs_rt city_transit trias vao musterrad null');
    expect(events).toContain('close');
    expect(events).toContain('poller stopped');
    expect(events.indexOf('poller stopped')).toBeLessThan(events.indexOf('upstream closed'));
  });

  it('up continues to serve if the poller crashes', async () => {
    const stop = new AbortController();
    const dataDir = await temporaryFolder();
    await writeFile(path.join(dataDir, 'taktgeber.yaml'), 'realtime: [{id: wl, kind: wiener-linien}]\n');
    const { effects, parts } = apiPart(stop, null);
    const pollRealtime = () => Promise.reject(new TypeError('a bug'));
    const { code, stdout, stderr } = await runCommand(['up'], {
      dataDir,
      effects,
      stop,
      parts: { ...ingestPart().parts, ...parts, pollRealtime },
      environment: { TAKTGEBER_SCHEDULE_IS_ENABLED: 'false' },
    });
    expect([code, stdout]).toEqual([0, expect.stringContaining('Ready in')]);
    expect(stderr).toContain('warning: poll-realtime: TypeError: a bug');
  });

  it.each([
    ['what the timetable is', '/v2/meta', new HttpStatusError('http://127.0.0.1:8080/v2/meta', 429)],
    ['a stop', '/v2/stops', new HttpStatusError('http://127.0.0.1:8080/v2/stops', 503)],
    ['anything', '/', new ExternalError('http_unreachable', 'http://127.0.0.1:8080 cannot be reached')],
  ])('up continues to serve if its own request for %s is refused', async (_what, refused, error) => {
    const stop = new AbortController();
    const { events, effects, parts } = apiPart(stop, 'sample:1', { isStoppedSoon: false });
    const http: typeof effects.http = async (request) => {
      if (!request.url.includes(refused)) return effects.http(request);
      // A process that ends by itself does not wait for this.
      setImmediate(() => {
        events.push('interrupted');
        press(stop, new Interruption('SIGINT'));
      });
      throw error;
    };
    const setting = { effects: { ...effects, http }, stop, environment: noSchedule };
    const { code, stdout, stderr } = await run(['up'], { ...setting, parts: { ...ingestPart().parts, ...parts } });
    expect(code).toBe(0);
    expect(stdout).toContain('on http://127.0.0.1:8080/ (Ctrl-C stops it). Try:\n  http://127.0.0.1:8080/docs\n');
    expect(stderr).toContain(`warning: no example board: ${error.message}`);
    expect(events.slice(-2)).toEqual(['interrupted', 'close']);
  });

  it('serve serves until it is stopped', async () => {
    const stop = new AbortController();
    const { events, effects, parts } = apiPart(stop, null);
    const { code, stdout } = await run(['serve'], { effects, stop, parts });
    expect({ code, stdout, events }).toEqual({
      code: 0,
      stdout: 'Serving on http://127.0.0.1:8080; Ctrl-C stops it.\n',
      events: ['listen 8080', 'close'],
    });
  });

  it('a port in use is reported in one sentence', async () => {
    const taken = Object.assign(new Error('listen EADDRINUSE'), { code: 'EADDRINUSE', syscall: 'listen', port: 8080 });
    const startApi = () => Promise.reject(taken);
    expect(await run(['serve'], { parts: { startApi } })).toMatchObject({
      code: 1,
      stderr: 'error: port 8080 is taken by another program; choose one with --port or TAKTGEBER_PORT\n',
    });
  });

  it('schedule runs due jobs, and ends after the current run', async () => {
    const stop = new AbortController();
    const { parts } = ingestPart();
    const ingestTimetable: Parts['ingestTimetable'] = async () => {
      press(stop, new Interruption('SIGTERM'));
      return outcome();
    };
    const { code, stderr } = await run(['schedule'], { parts: { ...parts, ingestTimetable }, stop });
    expect([code, stderr]).toEqual([0, expect.stringContaining('ingest-timetable: published snapshot s1')]);
  });

  it('schedule polls beside it', async () => {
    const stop = new AbortController();
    const dataDir = await temporaryFolder();
    await writeFile(path.join(dataDir, 'taktgeber.yaml'), 'realtime: [{id: wl, kind: wiener-linien}]\n');
    const polled: string[] = [];
    const pollRealtime: Parts['pollRealtime'] = async ({ sources, signal }) => {
      polled.push(...sources.map(({ id }) => id));
      press(stop, new Interruption('SIGTERM'));
      await untilInterrupted(signal);
      return [];
    };
    const { code } = await runCommand(['schedule'], { dataDir, parts: { ...ingestPart().parts, pollRealtime }, stop });
    expect([code, polled]).toEqual([0, ['wl']]);
  });
});
