import type { RecordProblem } from '../../model/problem.ts';
import type { MergeDecision, PublicId } from './merge-rules.ts';

type RowPair = readonly [number, number];

interface Decisions {
  pairs(kind: MergeDecision['kind'], action: MergeDecision['action']): readonly RowPair[];
  readonly problems: readonly RecordProblem[];
}

/** The ids of all feeds, by row. */
interface FeedIds {
  readonly sourceIds: readonly string[];
  readonly stops: { readonly source: Uint16Array; readonly stopId: readonly string[] };
  readonly trips: { readonly source: Uint16Array; readonly tripId: readonly string[] };
}

/**
 * Finds the rows named in the operator's table. A source that is not among the feeds is not a problem: the table
 * applies to all days.
 */
export function resolveDecisions(feeds: FeedIds, decisions: readonly MergeDecision[]): Decisions {
  const problems: RecordProblem[] = [];
  const found: { readonly decision: MergeDecision; readonly pairs: readonly RowPair[] }[] = [];
  const stops = decisions.some(({ kind }) => kind === 'station')
    ? indexIds(feeds.stops.source, feeds.stops.stopId)
    : null;
  const trips = decisions.some(({ kind }) => kind === 'trip') ? indexIds(feeds.trips.source, feeds.trips.tripId) : null;
  for (const decision of decisions) {
    const { kind, one, other, row } = decision;
    const listRows = ({ sourceId, id }: PublicId) => {
      const source = feeds.sourceIds.indexOf(sourceId);
      const rows = (kind === 'station' ? stops : trips)!.get(`${source} ${id}`) ?? [];
      if (source >= 0 && rows.length === 0) problems.push(describeUnknown(kind, row, `${sourceId}:${id}`));
      return rows;
    };
    const others = listRows(other);
    found.push({ decision, pairs: listRows(one).flatMap((a) => others.map((b) => [a, b] as const)) });
  }
  return {
    pairs: (kind, action) =>
      found.flatMap(({ decision, pairs }) => (decision.kind === kind && decision.action === action ? pairs : [])),
    problems,
  };
}

function describeUnknown(kind: MergeDecision['kind'], row: number, id: string): RecordProblem {
  const code = kind === 'station' ? 'unknown_stop' : 'unknown_trip';
  return { code, source: 'the table of merges', place: `row ${row}`, detail: id };
}

/** Several versions of a source may have the same trip. */
function indexIds(source: Uint16Array, ids: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const rows = new Map<string, number[]>();
  for (const [row, id] of ids.entries()) {
    const name = `${source[row]} ${id}`;
    const list = rows.get(name);
    if (list) list.push(row);
    else rows.set(name, [row]);
  }
  return rows;
}
