import path from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addDays, type ServiceDate } from '../../../../pipeline/model/service-time.ts';
import { hashFiles } from '../../../support/checks/folder-state.ts';
import { trials } from '../../../support/checks/trials.ts';
import { archiveFolder, importFile, writeArchive } from '../../../support/worlds/imported-world.ts';
import { at, type Call, csv, MAPPING, withColumns, withFacts } from '../../../support/worlds/made-up-archive.ts';

/** Around the clock change in Vienna, on the last of them. */
const DAYS: readonly ServiceDate[] = ['2025-10-24', '2025-10-25', '2025-10-26'] as ServiceDate[];
const times = ['01:59', '02:00', '02:30', '03:00', '08:00', '23:59'];

/** Few trips, positions and times, so that calls repeat, contradict each other, and lack required values. */
const call: fc.Arbitrary<Call> = fc
  .record({
    day: fc.constantFrom(...DAYS),
    later: fc.constantFrom(0, 0, 0, 1),
    trip: fc.constantFrom('t', 't', 'u', ''),
    stop: fc.constantFrom('A', 'B', 'C'),
    seq: fc.constantFrom(1, 2, 3, ''),
    arrives: fc.constantFrom(...times, ''),
    departs: fc.constantFrom(...times, ''),
    ad: fc.constantFrom(0, 1, 9999, '', 'x'),
    dd: fc.constantFrom(0, 2, ''),
    cancelled: fc.boolean(),
  })
  .map(({ later, arrives, departs, ...rest }) => {
    const day = addDays(rest.day, later);
    return { ...rest, arr: at(arrives, day), dep: at(departs, day) };
  });

const facts = fc.record({
  keep: fc.constantFrom('first', 'last'),
  repairs_days: fc.constantFrom('true', 'false'),
  placeholders: fc.constantFrom('always', 'after_last_other', 'never_other'),
  never_other_rows: fc.constantFrom('1', '3'),
  order: fc.constantFrom('position', 'scheduled_time'),
});

function toMapping({ order, ...rest }: { readonly order: string; readonly [name: string]: string }): string {
  const lines = Object.entries({ order, ...rest }).map(([name, value]) => `${name}: ${value}`);
  const mapping = withColumns(MAPPING, { arrival_is_placeholder: "ad = '0'" });
  // A position has no use if the order is another.
  return withFacts(order === 'position' ? mapping : mapping.replace(/^.* as position,\n/m, ''), ...lines);
}

const isOfDay = (file: string) => /lake\/(stop_events|manifests\/stop_events)\//.test(file.replaceAll(path.sep, '/'));

function sum(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const counts of all) for (const [name, n] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + n;
  return sums;
}

it('builds the same days in a batch as one by one', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(call, { minLength: 30, maxLength: 60 }), facts, async (calls, wanted) => {
      const mapping = toMapping(wanted);
      const [together, single] = [await archiveFolder(), await archiveFolder()];
      const request = { file: await writeArchive(together, 'days.csv', csv(calls)), mapping };
      const { record } = await importFile({ ...request, dataDir: together });
      const parts = [];
      for (const day of DAYS) parts.push(await importFile({ ...request, dataDir: single, from: day, to: day }));
      expect(await hashFiles(single, isOfDay)).toEqual(await hashFiles(together, isOfDay));
      expect(sum(parts.map((one) => one.record.refusedInDays))).toEqual(record.refusedInDays);
      expect(sum(parts.map((one) => one.record.notes))).toEqual(record.notes);
    }),
    { numRuns: trials(3), endOnFailure: true },
  );
});
