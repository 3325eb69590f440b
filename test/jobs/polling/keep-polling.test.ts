import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { POLL_REALTIME } from '../../../jobs/definitions/poll-realtime.ts';
import { Interruption } from '../../../jobs/job/exit-code.ts';
import { acquireLocks } from '../../../jobs/locks/job-lock.ts';
import { keepRealtimeFresh } from '../../../jobs/polling/keep-polling.ts';
import { type Config, loadConfig } from '../../../pipeline/config/load-config.ts';
import { ExternalError } from '../../../pipeline/effects/external-error.ts';
import type { Parts } from '../fake-world.ts';
import { fakeEffects, fakeParts, press, temporaryFolder } from '../fake-world.ts';

const REALTIME = 'realtime: [{id: wl, kind: wiener-linien}]\n';

async function configWith(content: string): Promise<Config> {
  const dataDir = await temporaryFolder();
  await writeFile(path.join(dataDir, 'taktgeber.yaml'), content);
  const { config } = await loadConfig({ environment: { TAKTGEBER_DATA: dataDir }, cwd: dataDir, home: dataDir });
  return config;
}

type Poll = (effects: ReturnType<typeof fakeEffects>) => Promise<void>;

/** Lets a scripted poller run until its script ends, which stops everything. */
async function keep(polls: readonly Poll[], { content = REALTIME, isSampleServed = false, parts = {} } = {}) {
  const config = await configWith(content);
  const effects = fakeEffects();
  const stop = new AbortController();
  const left = [...polls];
  let count = 0;
  const pollRealtime: Parts['pollRealtime'] = async () => {
    count++;
    await left.shift()?.(effects);
    if (left.length === 0) press(stop, new Interruption('SIGTERM'));
    return [];
  };
  const upkeep = { config, functions: fakeParts({ pollRealtime, ...parts }), effects, signal: stop.signal };
  await keepRealtimeFresh(upkeep, { isSampleServed });
  return { effects, count, config };
}

const crash: Poll = async () => {
  throw new ExternalError('snapshot_damaged', 'the snapshot is damaged');
};
const end: Poll = async () => {};

describe('a crash', () => {
  it('is logged and followed by a restart, later each time', async () => {
    const polls = [crash, crash, crash, end];
    const { effects, count } = await keep(polls);
    expect([count, effects.sleeps]).toEqual([4, [1000, 2000, 4000]]);
    expect(effects.logged().match(/warning: poll-realtime: the snapshot is damaged; retrying in \d+ s/g)).toHaveLength(
      3,
    );
  });

  it('is followed by a restart within a minute at most', async () => {
    const { effects } = await keep([...Array.from({ length: 9 }, () => crash), end]);
    expect(effects.sleeps.slice(-3)).toEqual([60_000, 60_000, 60_000]);
  });

  it('after a long time counts as the first', async () => {
    const late: Poll = async ({ clock }) => {
      clock.set(new Date(clock.nowMilliseconds() + 3_600_000).toISOString());
      throw new ExternalError('disk_full', 'no space');
    };
    expect((await keep([crash, crash, late, end])).effects.sleeps).toEqual([1000, 2000, 1000]);
  });

  it('by a bug is logged with its stack', async () => {
    const bug: Poll = async () => {
      throw new TypeError('x is not a function');
    };
    expect((await keep([bug, end])).effects.logged()).toMatch(/TypeError: x is not a function\n {4}at /);
  });
});

describe('the lock', () => {
  it('of another poller is awaited, and logged once', async () => {
    const config = await configWith(REALTIME);
    const effects = fakeEffects();
    const stop = new AbortController();
    const lock = await acquireLocks(config.dataDir, POLL_REALTIME, [POLL_REALTIME], effects.clock);
    const sleep: typeof effects.sleep = async (milliseconds, signal) => {
      if (effects.sleeps.length === 2) await lock.release();
      await effects.sleep(milliseconds, signal);
    };
    const pollRealtime: Parts['pollRealtime'] = async () => {
      press(stop, new Interruption('SIGTERM'));
      return [];
    };
    const world = { ...effects, sleep };
    await keepRealtimeFresh({ config, functions: fakeParts({ pollRealtime }), effects: world, signal: stop.signal });
    expect(effects.sleeps).toEqual([30_000, 30_000, 30_000]);
    expect(effects.logged().match(/poll-realtime is being run by process/g)).toHaveLength(1);
  });

  it('is held while polling, and free afterwards', async () => {
    let tried: Promise<unknown> = Promise.resolve();
    const config = await configWith(REALTIME);
    const effects = fakeEffects();
    const stop = new AbortController();
    const pollRealtime: Parts['pollRealtime'] = async () => {
      tried = acquireLocks(config.dataDir, POLL_REALTIME, [POLL_REALTIME], effects.clock).catch(
        (error: unknown) => error,
      );
      await tried;
      press(stop, new Interruption('SIGTERM'));
      return [];
    };
    await keepRealtimeFresh({ config, functions: fakeParts({ pollRealtime }), effects, signal: stop.signal });
    expect(await tried).toMatchObject({ code: 'job_running' });
    await (await acquireLocks(config.dataDir, POLL_REALTIME, [POLL_REALTIME], effects.clock)).release();
  });
});

describe('nothing is polled', () => {
  const cases: readonly [title: string, content: string, isSampleServed: boolean][] = [
    ['if it is turned off', `${REALTIME}polling: {isEnabled: false}\n`, true],
    ['if no source is configured', 'sources: [{id: a, gtfs: a.zip}]\n', true],
    ['of the sample if something else is served', '', false],
  ];
  it.each(cases)('%s', async (_title, content, isSampleServed) => {
    expect((await keep([end], { content, isSampleServed })).count).toBe(0);
  });
});

describe('the sample', () => {
  it('is polled from an upstream that is closed at the end in any case', async () => {
    const events: string[] = [];
    const startSampleUpstream: Parts['startSampleUpstream'] = async () => {
      events.push('start');
      return { url: 'http://127.0.0.1:9', close: async () => void events.push('close') };
    };
    const setting = { content: '', isSampleServed: true, parts: { startSampleUpstream } };
    const { count } = await keep([crash, end], setting);
    expect([count, events]).toEqual([2, ['start', 'close']]);
  });

  it('continues without realtime if its upstream does not start', async () => {
    const startSampleUpstream = () => Promise.reject(new ExternalError('port_in_use', 'no port is free'));
    const { effects, count } = await keep([end], { content: '', isSampleServed: true, parts: { startSampleUpstream } });
    expect([count, effects.logged()]).toEqual([0, 'warning: the sample has no realtime: no port is free\n']);
  });
});
