import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';

const USUAL_PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/snap/bin/chromium'];

/** The installed Chromium; `CHROMIUM_PATH` names another one. */
export function findChromium(): string | null {
  return [process.env.CHROMIUM_PATH, ...USUAL_PLACES].find((file) => file && existsSync(file)) ?? null;
}

/**
 * Starts the built program of a checkout on the sample, as with `npm start`, on a new data folder and without fair use.
 * @param root folder of the checkout
 */
export async function startService(root: string): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'taktgeber-pages-'));
  const environment = {
    ...process.env,
    TAKTGEBER_CONFIG: '',
    TAKTGEBER_LOG_LEVEL: 'error',
    TAKTGEBER_METRICS_PORT: '0',
    TAKTGEBER_FAIR_USE_UNITS_PER_MINUTE: '0',
  };
  const args = [path.join(root, 'dist/jobs/commands/cli.js'), 'up', '--data', dataDir, '--port', '0', '--json'];
  const service = spawn(process.execPath, args, {
    cwd: root,
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => service.once('exit', () => resolve()));
  const url = await readUrl(service.stdout);
  return {
    url,
    async stop() {
      service.kill('SIGTERM');
      await ended;
      await rm(dataDir, { recursive: true, force: true });
    },
  };
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
