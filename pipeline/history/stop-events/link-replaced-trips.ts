import { type Duckdb, readSql } from '../../effects/duckdb.ts';
import { readColumns } from '../../effects/read-columns.ts';

const SQL = 'pipeline/history/stop-events/sql';

/**
 * Finds the cancelled calls of the day that another trip serves in their place, as table `replaced_calls`. A cancelled
 * trip and an additional one are linked, the nearest pairs first; each replaces or is replaced by one trip at most.
 * Reads the results of all reports.
 * @returns number of cancelled trips that an additional one replaces
 */
export async function linkReplacedTrips(db: Duckdb): Promise<number> {
  for (const table of ['cancelled_calls', 'additional_calls', 'replacement_pairs']) {
    await db.run(`create temp table ${table} as ${await readSql(`${SQL}/${table}.sql`)}`);
  }
  const links = choosePairs(await readPairs(db));
  await db.run('create temp table linked_pairs (trip_row integer, additional_row integer)');
  await db.insertColumns('linked_pairs', [
    Int32Array.from(links, ({ trip }) => trip),
    Int32Array.from(links, ({ additional }) => additional),
  ]);
  await db.run(`create temp table replaced_calls as ${await readSql(`${SQL}/replaced_calls.sql`)}`);
  return links.length;
}

interface Pair {
  readonly trip: number;
  readonly additional: number;
}

/** The nearest first; of equal ones in an order that does not depend on the engine. */
async function readPairs(db: Duckdb): Promise<readonly Pair[]> {
  const [row] = await db.query('select count(*)::int as n from replacement_pairs');
  const pairs = await readColumns(
    db,
    { trip: ['i32', 'trip_row'], additional: ['i32', 'additional_row'] },
    'from replacement_pairs order by apart, trip_row, additional_row',
    Number(row!.n),
  );
  return Array.from(pairs.trip, (trip, pair) => ({ trip, additional: pairs.additional[pair]! }));
}

function choosePairs(pairs: readonly Pair[]): Pair[] {
  const [replaced, replacing] = [new Set<number>(), new Set<number>()];
  return pairs.filter(({ trip, additional }) => {
    if (replaced.has(trip) || replacing.has(additional)) return false;
    replaced.add(trip);
    replacing.add(additional);
    return true;
  });
}
