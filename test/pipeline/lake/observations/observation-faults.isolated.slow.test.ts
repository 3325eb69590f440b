import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { compactObservations } from '../../../../pipeline/lake/observations/compact-observations.ts';
import type { ObservationStore } from '../../../../pipeline/lake/observations/observation-store.ts';
import { naiveObservations } from '../../../support/oracles/naive-observations.ts';
import { temporaryFolder } from '../../../support/worlds/ingest.ts';
import {
  answer,
  at,
  endOf,
  lakeSettings,
  live,
  muchLater,
  observation,
  openStore,
  readRows,
  today,
} from '../../../support/worlds/observations.ts';

/** Counts every step that changes the disk; the one that the test selects fails, a write half way. */
const disk = vi.hoisted(() => ({
  steps: [] as string[],
  failAt: Number.POSITIVE_INFINITY,
  isFailing(step: string): boolean {
    this.steps.push(step);
    return this.steps.length === this.failAt;
  },
  take(step: string): void {
    if (this.isFailing(step)) throw Object.assign(new Error(`ENOSPC: ${step}`), { code: 'ENOSPC' });
  },
}));

vi.mock('node:fs/promises', async (importOriginal) => {
  const real = await importOriginal<typeof import('node:fs/promises')>();
  const counted =
    <Name extends 'mkdir' | 'rename' | 'rm'>(name: Name) =>
    async (...arguments_: Parameters<(typeof real)[Name]>) => {
      disk.take(`${name} ${String(arguments_[0])}`);
      return (real[name] as (...all: unknown[]) => Promise<unknown>)(...arguments_);
    };
  const open = async (...arguments_: Parameters<typeof real.open>) => {
    const [file, flags] = arguments_;
    if (String(flags) !== 'r') disk.take(`open ${String(file)}`);
    const handle = await real.open(...arguments_);
    const write = handle.write.bind(handle) as (...all: unknown[]) => Promise<unknown>;
    const mocked = {
      write: async (bytes: Uint8Array, from: number, length: number, position: number) => {
        const step = `write ${String(file)}`;
        if (!disk.isFailing(step)) return write(bytes, from, length, position);
        await write(bytes, from, Math.floor(length / 2), position);
        throw Object.assign(new Error(`ENOSPC: ${step}`), { code: 'ENOSPC' });
      },
      sync: async () => disk.take(`sync ${String(file)}`),
      datasync: async () => disk.take(`sync ${String(file)}`),
    };
    return Object.assign(handle, mocked);
  };
  const mocked = { mkdir: counted('mkdir'), rename: counted('rename'), rm: counted('rm'), open };
  return { ...real, ...mocked, default: { ...real, ...mocked } };
});

afterEach(() => {
  disk.failAt = Number.POSITIVE_INFINITY;
});

const verbs = ['mkdir', 'open', 'rename', 'rm', 'sync', 'write'];

const other = observation({ tripKey: 8n, tripId: 't8', position: 3 });

const answers = [
  answer(0, { observations: [observation(), other] }),
  answer(30, { observations: [observation({ time: at(60) })] }),
  answer(60, { ended: endOf(other), observations: [observation({ position: 1 })] }),
  answer(90, { observations: [observation({ time: at(90) })] }),
  answer(120, { ended: endOf(observation()) }),
];

type Action = (store: ObservationStore, dataDir: string) => Promise<unknown>;

const append =
  (index: number): Action =>
  (store) =>
    store.append(answers[index]!);
const flush =
  (seconds: number): Action =>
  (store) =>
    store.flush(at(seconds));
const compact: Action = (_store, dataDir) => compactObservations(dataDir, live, today, lakeSettings);

const actions: readonly Action[] = [
  append(0),
  append(1),
  flush(45),
  append(2),
  flush(75),
  compact,
  append(3),
  append(4),
  flush(150),
  compact,
];

function expectedRows(): string[] {
  const naive = naiveObservations();
  for (const batch of answers) naive.append(batch);
  naive.closeOver(muchLater);
  return naive.rows.sort();
}

interface Life {
  readonly dataDir: string;
  readonly failedAt: string | null;
}

/** Runs to the end; a failed step is repeated by the same process or the next one. */
async function act(failAt: number, isRestarted: boolean): Promise<Life> {
  const dataDir = await temporaryFolder();
  let store: ObservationStore | null = null;
  let failedAt: string | null = null;
  disk.steps = [];
  disk.failAt = failAt;
  for (const action of actions) {
    for (let isDone = false; !isDone; ) {
      try {
        store ??= await openStore(dataDir);
        await action(store, dataDir);
        isDone = true;
      } catch (error) {
        expect(error, String(error)).toMatchObject({ code: 'ENOSPC' });
        failedAt = disk.steps[failAt - 1]!;
        if (isRestarted) {
          await store?.close();
          store = null;
        }
      }
    }
  }
  disk.failAt = Number.POSITIVE_INFINITY;
  await store?.flush(muchLater);
  await store?.close();
  return { dataDir, failedAt };
}

describe.each([
  ['and the process continues', false],
  ['and the process ends', true],
])('a step on the disk fails, %s', (_reason, isRestarted) => {
  it('nothing is lost, and nothing is duplicated', { timeout: 240_000 }, async () => {
    const whole = await act(Number.POSITIVE_INFINITY, isRestarted);
    const kinds = disk.steps.map((step) => kindOf(step, whole.dataDir));
    expect([...new Set(kinds.map((kind) => kind.split(' ')[0]))].sort()).toEqual(verbs);
    expect(await readRows(whole.dataDir)).toEqual(expectedRows());
    const files = await listState(whole.dataDir);

    for (const [index, kind] of kinds.entries()) {
      if (kinds.indexOf(kind) < index) continue;
      const { dataDir, failedAt } = await act(index + 1, isRestarted);
      expect(failedAt, kind).not.toBeNull();
      expect(await readRows(dataDir), kind).toEqual(expectedRows());
      expect(await listState(dataDir), kind).toEqual(files);
    }
  });
});

/** Steps of one kind fail alike: the same step on another segment, or in a folder with another random name. */
function kindOf(step: string, dataDir: string): string {
  return step
    .replace(dataDir, '')
    .replaceAll(/[0-9a-z]{8}-[0-9a-f]{12}/g, '*')
    .replaceAll(/\d{5,10}/g, '*');
}

/** Everything that counts, without remains of a crash. */
async function listState(dataDir: string): Promise<string[]> {
  const names = await readdir(dataDir, { recursive: true, withFileTypes: true });
  return names
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(dataDir, path.join(entry.parentPath, entry.name)))
    .filter((name) => /^(lake|state)\//.test(name) && !name.endsWith('.tmp'))
    .map((name) => name.replace(/\d{10}\.journal$/, '*.journal').replace(/-[0-9a-f]{8}-/, '-*-'))
    .sort();
}
