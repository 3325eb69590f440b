import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import type { TestProject } from 'vitest/node';
import { projectPath, projectRoot } from '../../pipeline/effects/project-files.ts';

/** Environment of the browser tests; null if there is no browser. */
export interface RunningSite {
  /** Base URL of a service on the sample, without fair use. */
  readonly url: string;
  readonly chromium: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    site: RunningSite | null;
  }
}

const USUAL_PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/snap/bin/chromium'];

/** Starts one service for all test files: the built program, as with `npm start`, on a new data folder. */
export default async function runSite({ provide }: TestProject): Promise<() => Promise<void>> {
  const chromium = [process.env.CHROMIUM_PATH, ...USUAL_PLACES].find((file) => file && existsSync(file));
  if (!chromium) {
    process.stderr.write(
      '\nSKIPPED: the pages are not tested, because there is no Chromium (CHROMIUM_PATH names one).\n',
    );
    provide('site', null);
    return async () => {};
  }
  const dataDir = await mkdtemp(path.join(tmpdir(), 'taktgeber-pages-'));
  const environment = {
    ...process.env,
    TAKTGEBER_CONFIG: '',
    TAKTGEBER_LOG_LEVEL: 'error',
    TAKTGEBER_METRICS_PORT: '0',
    TAKTGEBER_FAIR_USE_UNITS_PER_MINUTE: '0',
  };
  const args = [projectPath('dist/jobs/commands/cli.js'), 'up', '--data', dataDir, '--port', '0', '--json'];
  const service = spawn(process.execPath, args, {
    cwd: projectRoot,
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => service.once('exit', () => resolve()));
  provide('site', { url: await readUrl(service.stdout), chromium });
  return async () => {
    service.kill('SIGTERM');
    await ended;
    await rm(dataDir, { recursive: true, force: true });
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
