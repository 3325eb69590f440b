import { once } from 'node:events';
import { closeSync, openSync, writeSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { isSystemError } from '../../pipeline/effects/external-error.ts';
import { parseMetrics, type Scrape } from '../support/checks/parse-metrics.ts';
import { canMount, findMetricsUrl, PATIENCE_MILLISECONDS, startDemo } from '../support/fakes/running-demo.ts';

const DISK_BYTES = 160 * 2 ** 20;
/** Alerts run six times as fast: a minute takes ten seconds. */
const SPEED = '6';

/** Appends its input to a file. */
const NOTE = `let text = ''; process.stdin.on('data', (part) => { text += part; });
process.stdin.on('end', () => require('fs').appendFileSync(process.argv[1], text + '\\n'));`;

/** Fills the disk. */
function fill(file: string): void {
  const open = openSync(file, 'w');
  try {
    for (let size = 2 ** 20; size >= 1; ) {
      try {
        writeSync(open, Buffer.alloc(size));
      } catch (error) {
        if (!isSystemError(error, 'ENOSPC')) throw error;
        size = Math.floor(size / 2);
      }
    }
  } finally {
    closeSync(open);
  }
}

it.skipIf(!canMount())(
  'a full disk stops only writing, raises an alert, and recovers when there is space',
  async () => {
    const outside = await mkdtemp(path.join(tmpdir(), 'taktgeber-alerts-'));
    onTestFinished(() => rm(outside, { recursive: true }));
    const note = path.join(outside, 'alerts');
    const { url, child, dataDir, output } = await startDemo('2026-03-02T07:00:00+01:00', {
      diskBytes: DISK_BYTES,
      settings: {
        DEMO_SPEED: SPEED,
        TAKTGEBER_LOG_LEVEL: 'info',
        TAKTGEBER_ALERTS_MIN_FREE_BYTES: '1000000',
        TAKTGEBER_ALERTS_COMMAND: JSON.stringify([process.execPath, '-e', NOTE, note]),
        TAKTGEBER_SCHEDULE_IS_ENABLED: 'false',
        TAKTGEBER_FAIR_USE_UNITS_PER_MINUTE: '0',
      },
    });
    const metrics = `${findMetricsUrl({ output })}/metrics`;
    const { stops } = (await (await fetch(`${url}/v2/stops?query=Hbf&limit=1`)).json()) as { stops: { id: string }[] };
    const board = `${url}/v2/stops/${encodeURIComponent(stops[0]!.id)}/departures`;
    const statuses: number[] = [];
    const listAlerts = async () =>
      (await readFile(note, 'utf8').catch(() => ''))
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as { event: string; kind: string; subject: string });
    /** Scrapes metrics and requests a board until both meet the condition. */
    const until = async (what: string, isSo: (scrape: Scrape, alerts: readonly string[]) => boolean) => {
      const end = performance.now() + PATIENCE_MILLISECONDS;
      for (;;) {
        statuses.push((await fetch(board)).status);
        const scrape = parseMetrics(await (await fetch(metrics)).text());
        const alerts = (await listAlerts()).map(({ event, kind, subject }) => `${event} ${kind} ${subject}`);
        if (isSo(scrape, alerts)) return;
        if (performance.now() > end) expect.fail(`${what} did not come: ${alerts}\n${output()}`);
        await wait(500);
      }
    };
    const countFresh = ({ series }: Scrape, value: number) =>
      series.filter((one) => one.name === 'taktgeber_source_fresh' && one.value === value).length;

    await until('the first reports', (scrape) => countFresh(scrape, 1) > 0);
    const filler = path.join(dataDir, 'filler');
    fill(filler);
    await until('the alert', (_scrape, alerts) => alerts.includes('firing disk_low disk'));
    await until('a stale source', (scrape) => countFresh(scrape, 0) > 0);
    await rm(filler);
    await until('the end of the alert', (_scrape, alerts) => alerts.includes('resolved disk_low disk'));
    await until('fresh sources', (scrape) => countFresh(scrape, 0) === 0 && countFresh(scrape, 1) > 0);
    expect(new Set(statuses)).toEqual(new Set([200]));
    const disk = (await listAlerts()).filter(({ kind }) => kind === 'disk_low');
    expect(disk.map(({ event }) => event)).toEqual(['firing', 'resolved']);
    expect(output()).not.toMatch(/This is a bug|\n\s+at /);
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  },
  6 * PATIENCE_MILLISECONDS,
);
