import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '../../support/fakes/free-port.ts';
import { CLI, runCli } from '../run-cli.ts';

const START_ATTEMPTS = 120;

/**
 * Starts the service with the timetable of the sample, without realtime and fair use, and stops it afterwards.
 * @param use receives its address
 */
export async function withSampleService<Result>(use: (url: string) => Promise<Result>): Promise<Result> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'taktgeber-interop-service-'));
  try {
    await runCli(dataDir, {}, 'run', 'ingest-timetable');
    return await serve(dataDir, use);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function serve<Result>(dataDir: string, use: (url: string) => Promise<Result>): Promise<Result> {
  const port = String(await findFreePort());
  const environment = {
    ...process.env,
    TAKTGEBER_CONFIG: '',
    TAKTGEBER_METRICS_IS_ENABLED: 'false',
    TAKTGEBER_FAIR_USE_UNITS_PER_MINUTE: '0',
    TAKTGEBER_LOG_LEVEL: 'error',
  };
  const argv = [CLI, 'serve', '--data', dataDir, '--port', port];
  const child = spawn(process.execPath, argv, { cwd: dataDir, env: environment, stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  try {
    await waitUntilReady(url);
    return await use(url);
  } finally {
    child.kill('SIGTERM');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
}

async function waitUntilReady(url: string): Promise<void> {
  for (let attempt = 0; attempt < START_ATTEMPTS; attempt += 1) {
    const isReady = await fetch(`${url}/v2/meta`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return;
    await sleep(500);
  }
  throw new Error(`the service at ${url} did not start`);
}
