import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { compileProgram } from '../../../support/fakes/compiled-program.ts';
import { describeRow, naiveObservations } from '../../../support/oracles/naive-observations.ts';
import { temporaryFolder } from '../../../support/worlds/ingest.ts';
import { listParquet, muchLater, openStore, readRows } from '../../../support/worlds/observations.ts';
import { batchAt } from './kill-batches.ts';

const KILLS = 12;

/**
 * Times of the kills, which no test clock can simulate: 0 to 400 milliseconds, different at every kill, the same in
 * every run.
 */
function instants(): number[] {
  let seed = 20_260_115;
  return Array.from({ length: KILLS }, () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return seed % 400;
  });
}

it('a process killed at any time loses at most the current response', { timeout: 240_000 }, async () => {
  const program = await compileProgram('test/pipeline/lake/observations/kill-program.ts');
  const dataDir = await temporaryFolder();
  const notes = path.join(dataDir, 'notes');
  const naive = naiveObservations();
  let taken = 0;
  for (const instant of instants()) {
    const noted = await runAndKill(program, [dataDir, notes, String(taken)], instant);
    const store = await openStore(dataDir);
    const open = [...store.listOpen()]
      .map((one) => describeRow(one, one.firstSeenAt, one.lastSeenAt, one.rawId))
      .sort();
    await store.close();
    while (taken < noted) naive.append(batchAt(taken++));
    // The current one may have been stored without being logged.
    if (!isEqual(open, naive.listOpen().sort())) naive.append(batchAt(taken++));
    expect(open, `after ${taken} answers`).toEqual(naive.listOpen().sort());
  }
  expect(taken).toBeGreaterThan(KILLS);
  const store = await openStore(dataDir);
  await store.flush(muchLater);
  await store.close();
  naive.closeOver(muchLater);
  expect(await readRows(dataDir)).toEqual(naive.rows.sort());
  expect(naive.rows.length).toBeGreaterThan(500);
  expect((await listParquet(dataDir)).length).toBeGreaterThan(0);
});

/**
 * Kills the program some milliseconds after its first response.
 * @returns how many responses it has logged as stored
 */
async function runAndKill(program: string, argv: readonly string[], milliseconds: number): Promise<number> {
  const child = spawn(process.execPath, [program, ...argv], { stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(child, 'exit');
  const before = await countNotes(argv[1]!);
  while ((await countNotes(argv[1]!)) === before && child.exitCode === null) await setTimeout(5);
  await setTimeout(milliseconds);
  child.kill('SIGKILL');
  expect((await ended)[1], 'the program ended by itself').toBe('SIGKILL');
  return countNotes(argv[1]!);
}

/** One more than the last logged response. */
async function countNotes(file: string): Promise<number> {
  const lines = (await readFile(file, 'utf8').catch(() => '')).trimEnd().split('\n');
  return lines.at(-1) === '' ? 0 : Number(lines.at(-1)) + 1;
}

function isEqual(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((text, i) => text === b[i]);
}
