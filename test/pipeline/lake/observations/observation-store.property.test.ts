import { cp } from 'node:fs/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compactObservations } from '../../../../pipeline/lake/observations/compact-observations.ts';
import { listObservedDates } from '../../../../pipeline/lake/observations/partition-files.ts';
import type { CallObservation } from '../../../../pipeline/model/observation.ts';
import { toEpochDay } from '../../../../pipeline/model/service-time.ts';
import { describeRow, naiveObservations } from '../../../support/oracles/naive-observations.ts';
import { temporaryFolder } from '../../../support/worlds/ingest.ts';
import {
  answer,
  at,
  endOf,
  lakeSettings,
  listParquet,
  live,
  muchLater,
  observation,
  openStore,
  readRows,
  today,
} from '../../../support/worlds/observations.ts';

/** Few trips, calls and values, so that collisions are frequent. */
const anyObservation: fc.Arbitrary<CallObservation> = fc
  .record({
    trip: fc.nat(2),
    position: fc.nat(1),
    event: fc.constantFrom('arrival' as const, 'departure' as const),
    delay: fc.nat(2),
    recorded: fc.nat(1),
  })
  .map(({ trip, position, event, delay, recorded }) =>
    observation({
      tripKey: BigInt(trip),
      tripId: `t${trip}`,
      day: (toEpochDay(today) + (trip % 2)) as never,
      position,
      event,
      time: at(delay * 60),
      recordedAt: at(recorded),
    }),
  );

type Step =
  | {
      readonly kind: 'answer';
      readonly part: string;
      readonly observations: readonly CallObservation[];
      readonly ended: readonly CallObservation[];
    }
  | { readonly kind: 'flush' | 'restart' | 'crash' | 'compact' }
  | { readonly kind: 'wait'; readonly seconds: number };

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('answer' as const),
      part: fc.constantFrom('one', 'two'),
      observations: fc.array(anyObservation, { maxLength: 6 }),
      ended: fc.array(anyObservation, { maxLength: 1 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('flush', 'restart', 'crash', 'compact') }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), seconds: fc.integer({ min: -60, max: 50_000 }) }),
  },
);

it('for any responses and crashes, the table contains each observation once', {
  timeout: 240_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 1, maxLength: 25 }), async (steps) => {
      let dataDir = await temporaryFolder();
      let store = await openStore(dataDir);
      const naive = naiveObservations();
      let seconds = 0;
      for (const step of steps) {
        seconds += 30;
        if (step.kind === 'wait') seconds += step.seconds;
        else if (step.kind === 'answer') {
          const ended = step.ended.flatMap(endOf);
          const batch = answer(seconds, { part: step.part, observations: step.observations, ended });
          await store.append(batch);
          naive.append(batch);
        } else if (step.kind === 'flush') {
          await store.flush(at(seconds));
          naive.closeOver(at(seconds));
        } else if (step.kind === 'compact') {
          for (const date of await listObservedDates(dataDir, live)) {
            await compactObservations(dataDir, live, date, lakeSettings);
          }
        } else {
          // A crash leaves the disk as it is, with nothing closed.
          const next = step.kind === 'crash' ? await copyOf(dataDir) : dataDir;
          await store.close();
          dataDir = next;
          store = await openStore(dataDir);
          expect(listOpen(store)).toEqual(naive.listOpen().sort());
        }
      }
      expect(listOpen(store)).toEqual(naive.listOpen().sort());
      await store.flush(muchLater);
      naive.closeOver(muchLater);
      await store.close();
      expect(await readRows(dataDir)).toEqual(naive.rows.sort());
      expect(new Set(await listParquet(dataDir)).size).toBe((await listParquet(dataDir)).length);
    }),
    { numRuns: 40 },
  );
});

function listOpen(store: Awaited<ReturnType<typeof openStore>>): string[] {
  return [...store.listOpen()].map((open) => describeRow(open, open.firstSeenAt, open.lastSeenAt, open.rawId)).sort();
}

async function copyOf(folder: string): Promise<string> {
  const copy = await temporaryFolder();
  await cp(folder, copy, { recursive: true });
  return copy;
}
