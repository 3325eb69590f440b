import { expect, test } from 'vitest';
import { openPlanner } from '../../../../api/engine/planner/open-planner.ts';
import { localTables, type SharedTables } from '../../../../api/engine/planner/shared-tables.ts';
import { computeTransferSeconds, usualWalker } from '../../../../api/engine/planner/transfer-seconds.ts';
import { buildTown, mergeFeeds } from '../../../support/oracles/naive-plan-town.ts';
import { openWorld } from '../../../support/worlds/board-world.ts';
import { mergeNothing } from '../../../support/worlds/ingest.ts';

const trips = ['t1: a 08:00, b 08:10, d 08:30', 't2: b 08:20, c 08:40'];
const world = await openWorld({ at: mergeFeeds([buildTown({ trips }, 0)]) }, { settings: { merging: mergeNothing } });
const { tables } = world.timetable;

/** Tables that are built once, as between threads. */
function shareInMap(): SharedTables {
  const known = new Map<string, object>();
  return {
    share<Table extends object>(name: string, build: Parameters<typeof localTables.share<Table>>[1]): Table {
      const table = (known.get(name) as Table | undefined) ?? localTables.share(name, build);
      known.set(name, table);
      return table;
    },
  };
}

test('planners share the transfers of a request without parameters', () => {
  const sharedTables = shareInMap();
  const [one, other] = [openPlanner(world.timetable, sharedTables), openPlanner(world.timetable, sharedTables)];
  const seconds = one.getTransferSeconds({ ...usualWalker });
  expect(other.getTransferSeconds({ ...usualWalker })).toBe(seconds);
  expect(seconds).toEqual(computeTransferSeconds(tables, usualWalker));
  for (const direction of ['ahead', 'back'] as const) {
    const pairs = one.directions[direction].listTransfers(seconds);
    expect(other.directions[direction].listTransfers(seconds)).toBe(pairs);
    expect(pairs).toHaveLength(2 * seconds.length);
  }
});

test.each([
  ['of a slow walker', { ...usualWalker, walkSpeedKmh: 2 }],
  ['with closed stops', { ...usualWalker, closedStops: [0] }],
])('transfers %s are those of one planner, and remembered', (_, walker) => {
  const sharedTables = shareInMap();
  const [one, other] = [openPlanner(world.timetable, sharedTables), openPlanner(world.timetable, sharedTables)];
  const seconds = one.getTransferSeconds(walker);
  expect(seconds).toEqual(computeTransferSeconds(tables, walker));
  expect(one.getTransferSeconds({ ...walker })).toBe(seconds);
  expect(other.getTransferSeconds(walker)).not.toBe(seconds);
  const pairs = one.directions.ahead.listTransfers(seconds);
  expect(one.directions.ahead.listTransfers(seconds)).toBe(pairs);
  expect(Array.from(seconds.keys(), (row) => pairs[2 * row + 1])).toEqual([...seconds]);
});
