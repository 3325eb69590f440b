import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import path from 'node:path';
import { startPostgres as startEmbedded, type TestPostgres } from '../../support/fakes/embedded-postgres.ts';
import { endWithProcess, listenToSignals } from './service.ts';

type PostgresService = TestPostgres;

/**
 * Starts PostgreSQL on loopback, from the npm packages that the tests use.
 * @throws Error if it cannot run on this machine
 */
export async function startPostgres(): Promise<PostgresService> {
  const started = await startEmbedded();
  if (typeof started === 'string') throw new Error(`PostgreSQL cannot be started: ${started}`);
  listenToSignals();
  endAfterThisProcess(started.databaseDir);
  return { ...started, stop: endWithProcess(() => started.stop()) };
}

/** If this process is killed, its end of the pipe closes. */
function endAfterThisProcess(databaseDir: string): void {
  const script = 'read -r line; kill -QUIT "$(head -n 1 "$1")"';
  const pidFile = path.join(databaseDir, 'postmaster.pid');
  const watcher = spawn('sh', ['-c', script, 'sh', pidFile], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  watcher.unref();
  // The pipe is a socket, which must not keep this process running.
  (watcher.stdin as Socket).unref();
}
