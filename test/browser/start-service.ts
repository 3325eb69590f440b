import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { AUSTRIA, addDays, type Instant, localDate } from '../../pipeline/model/service-time.ts';

const USUAL_PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/snap/bin/chromium'];

/** The installed Chromium; `CHROMIUM_PATH` names another one. */
export function findChromium(): string | null {
  return [process.env.CHROMIUM_PATH, ...USUAL_PLACES].find((file) => file && existsSync(file)) ?? null;
}

interface ServiceOptions {
  /** Number of past days, and no models; absent: all, and models, which are computed for minutes while it serves. */
  readonly pastDays?: number;
}

/**
 * Starts the built program of a checkout on the sample, as with `npm start`, on a new data folder and without fair use.
 * @param root folder of the checkout
 */
export async function startService(
  root: string,
  { pastDays }: ServiceOptions = {},
): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'taktgeber-pages-'));
  const environment = {
    ...process.env,
    TAKTGEBER_CONFIG: '',
    TAKTGEBER_LOG_LEVEL: 'error',
    TAKTGEBER_METRICS_PORT: '0',
    TAKTGEBER_FAIR_USE_UNITS_PER_MINUTE: '0',
    ...(pastDays !== undefined && { TAKTGEBER_SCHEDULE_IS_ENABLED: 'false' }),
  };
  const cli = path.join(root, 'dist/jobs/commands/cli.js');
  const service = spawn(process.execPath, [cli, 'up', '--data', dataDir, '--port', '0', '--json'], {
    cwd: root,
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => service.once('exit', () => resolve()));
  const stop = async () => {
    service.kill('SIGTERM');
    await ended;
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    const url = await readUrl(service.stdout);
    for (const job of pastDays === undefined ? [] : listJobs(pastDays)) {
      await promisify(execFile)(process.execPath, [cli, 'run', ...job, '--data', dataDir], {
        cwd: root,
        env: environment,
      });
    }
    return { url, stop };
  } catch (cause) {
    // Vitest does not stop what a failed setup has started.
    await stop();
    throw cause;
  }
}

/** What the schedule runs first on a new installation. */
function listJobs(pastDays: number): readonly (readonly string[])[] {
  const from = addDays(localDate(Math.floor(Date.now() / 1000) as Instant, AUSTRIA), -pastDays);
  return [['build-network-maps'], ['build-sample-history', '--from', from], ['build-marts']];
}

/** Waits for the object that `up --json` prints when the service is ready. */
async function readUrl(stdout: AsyncIterable<Buffer>): Promise<string> {
  let printed = '';
  for await (const chunk of stdout) {
    printed += String(chunk);
    if (printed.trimEnd().endsWith('}')) return (JSON.parse(printed) as { url: string }).url;
  }
  throw new Error('the service exited before it was ready');
}
