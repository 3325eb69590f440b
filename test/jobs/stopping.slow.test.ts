import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { openDuckdb } from '../../pipeline/effects/duckdb.ts';
import { compileProgram } from '../support/fakes/compiled-program.ts';
import { LONG_QUERY } from './programs/long-work-query.ts';

it('a signal interrupts the current statement, and rejects further ones with its reason', async () => {
  const stop = new AbortController();
  const db = await openDuckdb({ threads: 1, signal: stop.signal });
  const reason = new Error('stopped');
  const rows = db.query(LONG_QUERY);
  setTimeout(() => stop.abort(reason), 50);
  await expect(rows).rejects.toBe(reason);
  await expect(db.run('select 1')).rejects.toBe(reason);
  await expect(db.streamColumns('select 1', () => {})).rejects.toBe(reason);
  db.close();
});

it('a signal that came before the statement counts too, and an error of a statement remains one without it', async () => {
  const reason = new Error('stopped');
  const stopped = await openDuckdb({ signal: AbortSignal.abort(reason) });
  await expect(stopped.query('select 1')).rejects.toBe(reason);
  stopped.close();
  const db = await openDuckdb({ signal: new AbortController().signal });
  await expect(db.query('select nothing')).rejects.toThrow('Binder Error');
  db.close();
});

it('threads end in the middle of a statement and of a computation, and the process with a running statement', async () => {
  const program = await compileProgram('test/jobs/programs/stop-threads.ts');
  // A native crash would give another code or a signal; waiting for a statement would exceed the time limit of the
  // test.
  const { code, stdout } = await promisify(execFile)(process.execPath, [program]).catch((ended) => ended);
  expect(stdout).toBe(
    [
      'query: stopped',
      'query after the grace: stopped',
      'computation: a thread ended with 1 before its work was done',
      '',
    ].join('\n'),
  );
  expect(code).toBe(7);
});
