import { cp, rm } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { publishWaiting } from '../../../jobs/store/publish-waiting.ts';
import { renewCopiedWriter } from '../../../jobs/store/renew-copied-writer.ts';
import { systemClock } from '../../../pipeline/effects/clock.ts';
import { listNames } from '../../../pipeline/effects/files.ts';
import type { ObjectStore } from '../../../pipeline/effects/object-store/object-store.ts';
import { findWriter } from '../../../pipeline/lake/lake-writer.ts';
import { compactObservations } from '../../../pipeline/lake/observations/compact-observations.ts';
import type { ObservationStore } from '../../../pipeline/lake/observations/observation-store.ts';
import { listObservedDates, sortOut } from '../../../pipeline/lake/observations/partition-files.ts';
import { observationPartition, observationStateFolder } from '../../../pipeline/lake/paths.ts';
import type { ObservationBatch } from '../../../pipeline/model/observation.ts';
import { fetchTrees } from '../../../pipeline/scale-out/object-store/fetch-trees.ts';
import { publishTrees } from '../../../pipeline/scale-out/object-store/publish-trees.ts';
import type { StoreContext } from '../../../pipeline/scale-out/object-store/store-context.ts';
import { markWriting } from '../../../pipeline/scale-out/object-store/writing-marks.ts';
import { memoryObjectStore } from '../../support/fakes/memory-object-store.ts';
import { naiveObservations } from '../../support/oracles/naive-observations.ts';
import { temporaryFolder } from '../../support/worlds/ingest.ts';
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
} from '../../support/worlds/observations.ts';
import { storedFolder } from '../../support/worlds/stored-folder.ts';

const observations = { stores: ['observations'] } as const;

/** A folder whose poller has flushed some segments and published them. */
async function publishedSegments(store: ObjectStore, count: number) {
  const machine = await openMachine(store);
  await machine.poll();
  for (let n = 0; n < count; n++) {
    await machine.append(report(60 * n));
    await machine.append(report(60 * n + 30));
    await machine.flush();
  }
  await machine.publish();
  return machine;
}

const idOf = async ({ dataDir }: StoreContext) => (await findWriter(dataDir, live))?.id;

describe('the id of a poller', () => {
  it('stays the same over restarts, and differs between machines that know nothing of each other', async () => {
    const [first, second] = [await publishedSegments(memoryObjectStore(), 1), await openMachine(memoryObjectStore())];
    const id = await idOf(first);
    expect(id).toMatch(/^[0-9a-f]{8}$/);
    await first.kill();
    await first.poll();
    expect(await idOf(first)).toBe(id);
    await second.poll();
    expect(await idOf(second)).not.toBe(id);
  });

  it('is renewed in a folder that was restored from a backup, whose rows then stay beside the newer ones', async () => {
    const first = await publishedSegments(memoryObjectStore(), 1);
    const id = await idOf(first);
    const backup = path.join(await temporaryFolder(), 'backup');
    await cp(first.dataDir, backup, { recursive: true, preserveTimestamps: true });
    for (const seconds of [300, 330, 360]) await first.append(report(seconds));
    await first.flush();
    await first.append(report(390));
    await first.flush();
    await first.publish();
    const published = first.naive.rows.map(String);
    await first.kill();
    await rm(first.dataDir, { recursive: true });
    await cp(backup, first.dataDir, { recursive: true, preserveTimestamps: true });
    await first.poll();
    expect(await idOf(first)).not.toBe(id);
    await first.append(report(600));
    await first.append(report(630));
    await first.flush(muchLater);
    await first.publish();
    const reader = await storedFolder(first.store);
    await fetchTrees(reader, observations);
    const rows = (await readRows(reader.dataDir)).map(String);
    expect(published.filter((row) => !rows.includes(row))).toEqual([]);
    expect(rows.filter((row) => row.endsWith('raw-600'))).toHaveLength(1);
  });
});

/** A machine that polls at times; what it has not published when it is killed waits. */
async function openMachine(store: ObjectStore) {
  const context = await storedFolder(store);
  const naive = naiveObservations();
  let polling: ObservationStore | null = null;
  const kill = async () => {
    if (!polling) return;
    await polling.close();
    polling = null;
    await (await markWriting(context.dataDir, 'poll-realtime', ['observations'], { clock: systemClock })).wait();
  };
  return {
    ...context,
    naive,
    poll: async () => {
      if (polling) return;
      await publishWaiting(context);
      await renewCopiedWriter(context, live);
      polling = await openStore(context.dataDir);
    },
    kill,
    append: async (batch: ObservationBatch) => {
      await polling!.append(batch);
      naive.append(batch);
    },
    flush: async (now = at(0)) => {
      await polling!.flush(now);
      naive.closeOver(now);
    },
    publish: () => publishTrees(context, observations),
  };
}

type Machine = Awaited<ReturnType<typeof openMachine>>;

/** On a separate machine. */
async function compactDays(jobs: StoreContext): Promise<void> {
  await fetchTrees(jobs, observations);
  for (const date of await listObservedDates(jobs.dataDir, live)) {
    await compactObservations(jobs.dataDir, live, date, lakeSettings);
  }
  await publishTrees(jobs, observations);
}

/** So that the day has one file, whose number is higher than the previous ones. */
async function pollAndCompact(machine: Machine, jobs: StoreContext): Promise<void> {
  await machine.poll();
  for (const seconds of [60, 90, 120]) {
    await machine.append(report(seconds));
    await machine.flush();
  }
  await machine.publish();
  await compactDays(jobs);
}

/** Leaves the journal as a crash before the removal of written data does. */
async function flushInVain(machine: Machine, isPublished: boolean): Promise<void> {
  const folder = observationStateFolder(machine.dataDir, live);
  const before = path.join(await temporaryFolder(), 'before');
  const isJournal = (file: string) => file === folder || file === before || file.endsWith('.journal');
  await cp(folder, before, { recursive: true, filter: isJournal });
  await machine.flush();
  if (isPublished) await machine.publish();
  await machine.kill();
  await cp(before, folder, { recursive: true, filter: isJournal });
}

/** Each machine returns, and all of its observations have ended. */
async function expectAllRows(machines: readonly Machine[]): Promise<void> {
  for (const machine of machines) {
    await machine.kill();
    await machine.poll();
    await machine.flush(muchLater);
    await machine.publish();
    await machine.kill();
  }
  const reader = await storedFolder(machines[0]!.store);
  await fetchTrees(reader, observations);
  // Not opened by any reader of the product.
  for (const date of await listObservedDates(reader.dataDir, live)) {
    const folder = observationPartition(reader.dataDir, live, date);
    for (const name of sortOut(await listNames(folder)).covered) await rm(path.join(folder, name));
  }
  expect(await readRows(reader.dataDir)).toEqual(machines.flatMap(({ naive }) => naive.rows).sort());
}

/** Closes the previous report. */
function report(seconds: number): ObservationBatch {
  return answer(seconds, { observations: [observation({ time: at(seconds) })] });
}

describe('all observations of pollers on several machines are in the lake once, if', () => {
  const open = async () => {
    const store = memoryObjectStore();
    return [await openMachine(store), await openMachine(store), await storedFolder(store)] as const;
  };

  it('another one takes over before the first has published', async () => {
    const [first, second] = await open();
    for (const [i, machine] of [first, second].entries()) {
      await machine.poll();
      await machine.append(report(i * 100));
      await machine.append(report(i * 100 + 30));
      await machine.kill();
    }
    await expectAllRows([second, first]);
  });

  it('three take over in turn, and none publishes', async () => {
    const [first, second] = await open();
    const third = await openMachine(first.store);
    await first.poll();
    await first.append(report(0));
    await first.flush(muchLater);
    await first.publish();
    await first.kill();
    for (const [i, machine] of [second, third].entries()) {
      await machine.poll();
      await machine.append(report(100 * i + 100));
      await machine.append(report(100 * i + 130));
      await machine.flush();
      await machine.kill();
    }
    await expectAllRows([third, second, first]);
  });

  it.each([
    ['in the journal', async () => {}],
    ['in the lake of the machine', (machine: Machine) => machine.flush()],
  ])('a machine returns after the day was compacted, with rows %s', async (_where, before) => {
    const [first, second, jobs] = await open();
    await first.poll();
    await first.append(report(0));
    await first.append(report(30));
    await before(first);
    await first.kill();
    await pollAndCompact(second, jobs);
    await first.poll();
    await first.append(report(150));
    await expectAllRows([first, second]);
  });

  it.each([
    ['after the takeover', true, true],
    ['before the takeover, its files being published', false, true],
    ['before the takeover, its files being on the machine alone', false, false],
  ])('a flush ends before its segment is removed, %s', async (_when, isAfter, isPublished) => {
    const [first, second, jobs] = await open();
    await first.poll();
    await first.append(report(0));
    await first.append(report(30));
    const flush = () => flushInVain(first, isPublished);
    if (!isAfter) await flush();
    await first.kill();
    await pollAndCompact(second, jobs);
    await first.poll();
    if (isAfter) await flush();
    await expectAllRows([first, second]);
  });

  it('they take turns, are killed, and days are compacted at any time', { timeout: 240_000 }, async () => {
    const anyStep = fc.record({
      kind: fc.constantFrom('answer', 'answer', 'answer', 'end', 'flush', 'publish', 'take over', 'kill', 'compact'),
      trip: fc.nat(1),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 5, maxLength: 25 }), async (steps) => {
        const [first, second, jobs] = await open();
        let machine: Machine = first;
        let seconds = 0;
        for (const { kind, trip } of steps) {
          seconds += 30;
          const reported = observation({ tripKey: BigInt(trip), tripId: `t${trip}`, time: at(seconds) });
          if (kind === 'compact') await compactDays(jobs);
          else if (kind === 'kill') await machine.kill();
          else if (kind === 'take over') {
            await machine.kill();
            machine = machine === first ? second : first;
          } else {
            await machine.poll();
            if (kind === 'answer') await machine.append(answer(seconds, { observations: [reported] }));
            else if (kind === 'end') await machine.append(answer(seconds, { ended: endOf(reported) }));
            else if (kind === 'flush') await machine.flush(at(seconds));
            else await machine.publish();
          }
        }
        await expectAllRows([first, second]);
      }),
      { numRuns: 25 },
    );
  });
});
