import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openWatchStore } from '../../../api/watches/store/sql-store.ts';
import type { WatchStore } from '../../../api/watches/store/watch-store.ts';
import { MAX_KEPT_EVENTS, type StoredWatch } from '../../../api/watches/watch.ts';
import { systemClock } from '../../../pipeline/effects/clock.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import { compileProgram } from '../../support/fakes/compiled-program.ts';
import { silentLog, temporaryFolder } from '../../support/worlds/ingest.ts';
import { LIMITS } from './store-cases.ts';

const KILLS = 12;

/** Delays of the kills in milliseconds: different for every kill, the same in every run. */
function instants(): number[] {
  let seed = 20_260_316;
  return Array.from({ length: KILLS }, () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return 20 + ((seed >>> 8) % 400);
  });
}

test('two replicas that are killed at any time lose no watch and repeat no event', { timeout: 240_000 }, async () => {
  const program = await compileProgram('test/api/watches/kill-program.ts');
  const folder = await temporaryFolder();
  const file = path.join(folder, 'watches.sqlite');
  const notes = [path.join(folder, 'first'), path.join(folder, 'second')];
  for (const [i, instant] of instants().entries()) {
    const children = notes.map((name, replica) => start(program, [file, name, String(7 * i + replica)]));
    await Promise.all(notes.map((name) => waitForStart(name, i + 1)));
    await setTimeout(instant);
    await Promise.all(children.map(kill));
    await checkStore(file, await readNotes(notes));
  }
  const { put, delivered } = await readNotes(notes);
  expect(put.size).toBeGreaterThan(KILLS);
  expect(delivered.size).toBeGreaterThan(KILLS);
});

function start(program: string, argv: readonly string[]): ChildProcess {
  return spawn(process.execPath, [program, ...argv], { stdio: ['ignore', 'ignore', 'inherit'] });
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  expect((await ended)[1], 'the program ended by itself').toBe('SIGKILL');
}

async function readLines(file: string): Promise<string[]> {
  return (await readFile(file, 'utf8').catch(() => '')).split('\n').slice(0, -1);
}

async function waitForStart(file: string, starts: number): Promise<void> {
  for (;;) {
    const started = (await readLines(file)).filter((line) => line === 'started');
    if (started.length >= starts) return;
    await setTimeout(5);
  }
}

async function readNotes(files: readonly string[]) {
  const lines = (await Promise.all(files.map(readLines))).flat();
  const noted = (verb: string) =>
    lines.filter((line) => line.startsWith(`${verb} `)).map((line) => line.slice(verb.length + 1));
  const delivered = noted('delivered');
  expect(new Set(delivered).size, 'a push was delivered twice').toBe(delivered.length);
  return {
    put: new Set(noted('put')),
    removing: new Set(noted('removing')),
    removed: new Set(noted('removed')),
    delivered: new Set(delivered),
  };
}

async function checkStore(file: string, notes: Awaited<ReturnType<typeof readNotes>>): Promise<void> {
  const store = await openWatchStore({ file, postgresUrl: null }, { clock: systemClock, log: silentLog });
  const all = await store.listChanged(0, 1_000_000);
  const living = new Map(all.filter(({ isRemoved }) => !isRemoved).map((watch) => [watch.id, watch]));
  for (const id of notes.put) {
    if (!notes.removing.has(id)) expect(living.has(id), `the confirmed watch ${id} is lost`).toBe(true);
  }
  for (const id of notes.removed) expect(living.has(id), `the removed watch ${id} is back`).toBe(false);
  for (const watch of living.values()) await checkEvents(store, watch);
  await store.close();
}

/** Memory and events of a watch share a transaction, so they agree; each number occurs once, in order. */
async function checkEvents(store: WatchStore, watch: StoredWatch): Promise<void> {
  expect(watch.memory.legs[0]?.delay?.value).toBe(watch.eventCount);
  const order = { id: watch.id, owner: 'o', address: 'a', spec: watch.spec, target: watch.target };
  const again = await store.put(order, LIMITS, Math.floor(Date.now() / 1000) as Instant, () => ({
    memory: watch.memory,
    events: [],
    expiresAt: watch.expiresAt,
  }));
  const first = Math.max(0, watch.eventCount - MAX_KEPT_EVENTS);
  const numbers = Array.from({ length: watch.eventCount - first }, (_, i) => String(first + i));
  expect(again!.events.map(({ text }) => text)).toEqual(numbers);
}
