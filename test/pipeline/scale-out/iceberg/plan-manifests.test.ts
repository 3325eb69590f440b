import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { DataFile } from '../../../../pipeline/scale-out/iceberg/data-file.ts';
import { ADDED, DELETED, EXISTING, type ManifestEntry } from '../../../../pipeline/scale-out/iceberg/manifest.ts';
import type { ManifestFile } from '../../../../pipeline/scale-out/iceberg/manifest-list.ts';
import {
  type CurrentManifest,
  DAYS_APART,
  planManifests,
} from '../../../../pipeline/scale-out/iceberg/plan-manifests.ts';

const byDay = {
  'spec-id': 0,
  fields: [{ 'source-id': 1, 'field-id': 1000, name: 'service_date', transform: 'identity' }],
};
const byMonth = {
  'spec-id': 0,
  fields: [{ 'source-id': 1, 'field-id': 1000, name: 'service_date_month', transform: 'month' }],
};

function dataFile(day: number, name: string): DataFile {
  const none = new Map();
  const counts = { columnBytes: none, valueCounts: none, nullCounts: none, lowerBounds: none, upperBounds: none };
  return { path: `${day}/${name}`, partition: [day], rows: 1, bytes: 1, splitOffsets: [], ...counts };
}

let written = 0;

/** The manifests after a plan, as the next commit reads them. */
function commit(current: readonly CurrentManifest[], wanted: readonly DataFile[], snapshotId: number, spec = byDay) {
  const plan = planManifests(spec, current, wanted, snapshotId);
  const kept = current.filter(({ manifest }) => plan.kept.includes(manifest));
  const made = plan.written.map((entries): CurrentManifest => {
    const alive = entries.filter(({ status }) => status !== DELETED);
    return {
      manifest: { path: `m${written++}` } as ManifestFile,
      entries: alive.map((entry) => ({ ...entry, sequenceNumber: entry.sequenceNumber ?? snapshotId })),
    };
  });
  return { plan, next: [...kept, ...made] };
}

const pathsOf = (manifests: readonly CurrentManifest[]) =>
  manifests.flatMap(({ entries }) => entries.map(({ file }) => file.path)).sort();

const summary = (entries: readonly ManifestEntry[]) =>
  entries.map(({ status, snapshotId, sequenceNumber, file }) => [file.path, status, snapshotId, sequenceNumber]);

it('writes one manifest per day, and only those of changed days', () => {
  const files = [dataFile(20_000, 'a'), dataFile(20_001, 'b'), dataFile(20_001, 'c')];
  const first = commit([], files, 1);
  expect(first.plan.written).toHaveLength(2);
  const rebuilt = [files[0]!, files[1]!, dataFile(20_001, 'd')];
  const { plan } = commit(first.next, rebuilt, 2);
  expect(plan.kept).toEqual([first.next[0]!.manifest]);
  expect(plan.written.map(summary)).toEqual([
    [
      ['20001/b', EXISTING, 1, 1],
      ['20001/d', ADDED, 2, null],
      ['20001/c', DELETED, 2, 1],
    ],
  ]);
  expect([plan.added, plan.removed].map((all) => all.map(({ path }) => path))).toEqual([['20001/d'], ['20001/c']]);
});

it('names a day whose files are all gone once, and drops it with the next change', () => {
  const first = commit([], [dataFile(20_000, 'a'), dataFile(20_001, 'b')], 1);
  const second = commit(first.next, [dataFile(20_000, 'a')], 2);
  expect(second.plan.written.map(summary)).toEqual([[['20001/b', DELETED, 2, 1]]]);
  const third = commit(second.next, [dataFile(20_000, 'a'), dataFile(20_002, 'c')], 3);
  expect(third.plan.written.map(summary)).toEqual([[['20002/c', ADDED, 3, null]]]);
});

it('merges the days of past months', () => {
  const days = Array.from({ length: 365 }, (_, i) => 20_000 + i);
  const { next } = commit(
    [],
    days.map((day) => dataFile(day, 'a')),
    1,
  );
  expect(next.length).toBeLessThanOrEqual(DAYS_APART + 31 + 12);
  const sizes = next.map(({ entries }) => entries.length);
  expect(sizes.filter((size) => size > 1).length).toBeGreaterThan(8);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(365);
});

it('gives each month of a mart one', () => {
  const { next } = commit([], [dataFile(672, 'a'), dataFile(673, 'b')], 1, byMonth);
  expect(next).toHaveLength(2);
});

it('contains the planned files after any changes, and does not touch manifests of unchanged days', () => {
  const file = fc.tuple(fc.integer({ min: 20_000, max: 20_200 }), fc.constantFrom('a', 'b', 'c'));
  const state = fc.uniqueArray(file, { selector: (one) => one.join('/'), maxLength: 30 });
  fc.assert(
    fc.property(fc.array(state, { minLength: 1, maxLength: 6 }), (states) => {
      let current: CurrentManifest[] = [];
      for (const [i, files] of states.entries()) {
        const wanted = files.map(([day, name]) => dataFile(day, name));
        const { next } = commit(current, wanted, i + 1);
        expect(pathsOf(next)).toEqual(wanted.map(({ path }) => path).sort());
        const { plan: again } = commit(next, wanted, i + 2);
        expect([again.written, again.added, again.removed]).toEqual([[], [], []]);
        expect(again.kept.length).toBe(next.filter(({ entries }) => entries.length > 0).length);
        for (const { entries } of next) {
          for (const { file: kept, snapshotId, sequenceNumber } of entries) {
            const before = current.flatMap((one) => one.entries).find((one) => one.file.path === kept.path);
            expect([snapshotId, sequenceNumber]).toEqual(
              before ? [before.snapshotId, before.sequenceNumber] : [i + 1, i + 1],
            );
          }
        }
        current = next;
      }
    }),
  );
});
