import { ExternalError } from '../../effects/external-error.ts';
import { type TimetableTables, type TransferKind, transferKinds } from '../../snapshots/timetable-contract.ts';
import { type Relation, relations, type StopWays } from './stop-ways.ts';
import type { PlacedGroup } from './transfer-places.ts';
import {
  ANY_CALL,
  append,
  type CallGroup,
  decide,
  emptyList,
  findBranches,
  type Int32List,
  indexRules,
  type RuleIndex,
  type TransferRules,
  toArray,
  verdicts,
} from './transfer-rules.ts';

/** Rules between the trips of a large station multiply; more rows would not fit in memory. */
const MAX_TRANSFERS = 20_000_000;

type TransferTables = Pick<
  TimetableTables,
  'transferPlaces' | 'transfers' | 'transferStarts' | 'transfersBack' | 'transferBackStarts'
>;

/** Default without a rule. */
const kindOfRelation: Readonly<Record<Relation, TransferKind | null>> = {
  sameStop: 'sameStop',
  sameStation: 'sameStation',
  near: 'walk',
  named: null,
};

/** For a rule without a time: the default time, at any distance between the stops. */
const kindOfNamed: Readonly<Record<Relation, TransferKind>> = {
  sameStop: 'sameStop',
  sameStation: 'sameStation',
  near: 'sameStation',
  named: 'sameStation',
};

/**
 * Transfers with the rules applied: one row per pair of transfer places.
 * @param groups transfer places besides the stops, by stop, see `placeCalls`
 * @throws ExternalError `timetable_too_large` beyond `MAX_TRANSFERS`
 */
export function buildTransferTables(
  ways: StopWays,
  rules: TransferRules,
  groups: readonly PlacedGroup[],
  station: Int32Array,
): TransferTables {
  const stopCount = station.length;
  const placeCount = stopCount + groups.length;
  const maker: RowMaker = {
    ways,
    rules,
    index: indexRules(rules, station),
    ...indexBoarding(groups, stopCount),
    rows: emptyRows(),
  };
  for (let stop = 0; stop < stopCount; stop++) {
    if (ways.starts[stop] !== ways.starts[stop + 1]) addTransfersFrom(maker, stop, wholeStop(stop));
  }
  for (const [i, group] of groups.entries()) {
    if (group.side === 'alighting') addTransfersFrom(maker, stopCount + i, group);
  }
  const transfers = layOut(maker.rows, ways);
  const back = sortByPlace(transfers.to, placeCount);
  return {
    transferPlaces: { stop: Int32Array.from(groups, (group) => group.stop) },
    transfers,
    transferStarts: { transfer: countStarts(transfers.from, placeCount) },
    transfersBack: { transfer: back.order },
    transferBackStarts: { row: back.starts },
  };
}

interface Rows {
  readonly from: Int32List;
  readonly to: Int32List;
  /** Row of the pairs of stops. */
  readonly pair: Int32List;
  readonly kind: Int32List;
  readonly seconds: Int32List;
}

interface RowMaker {
  readonly ways: StopWays;
  readonly rules: TransferRules;
  readonly index: RuleIndex;
  /** Boarding places besides the stops, by stop. */
  readonly boarding: readonly { readonly place: number; readonly group: CallGroup }[];
  /** One more than there are stops. */
  readonly boardingStarts: Int32Array;
  readonly rows: Rows;
}

function emptyRows(): Rows {
  return { from: emptyList(), to: emptyList(), pair: emptyList(), kind: emptyList(), seconds: emptyList() };
}

function wholeStop(stop: number): CallGroup {
  return { stop, route: ANY_CALL, trip: ANY_CALL };
}

function indexBoarding(
  groups: readonly PlacedGroup[],
  stopCount: number,
): Pick<RowMaker, 'boarding' | 'boardingStarts'> {
  const boarding = groups.flatMap((group, i) => (group.side === 'boarding' ? [{ place: stopCount + i, group }] : []));
  const stopOfRow = Int32Array.from(boarding, ({ group }) => group.stop);
  return { boarding, boardingStarts: countStarts(stopOfRow, stopCount) };
}

/** Adds the rows of one alighting place, by boarding place. */
function addTransfersFrom(maker: RowMaker, place: number, from: CallGroup): void {
  const { ways, index, boarding, boardingStarts } = maker;
  const [first, end] = [ways.starts[from.stop]!, ways.starts[from.stop + 1]!];
  for (let way = first; way < end; way++) {
    const to = ways.to[way]!;
    const branches = findBranches(index, from, to);
    addTransfer(maker, place, to, way, branches ? decide(index, branches, wholeStop(to)) : NO_RULE);
  }
  // Places besides the stops follow all stops, ordered by stop.
  for (let way = first; way < end; way++) {
    const to = ways.to[way]!;
    const last = boardingStarts[to + 1]!;
    if (boardingStarts[to] === last) continue;
    const branches = findBranches(index, from, to);
    for (let row = boardingStarts[to]!; row < last; row++) {
      const target = boarding[row]!;
      addTransfer(maker, place, target.place, way, branches ? decide(index, branches, target.group) : NO_RULE);
    }
  }
}

const NO_RULE = -1;

function addTransfer({ ways, rules, rows }: RowMaker, from: number, to: number, way: number, rule: number): void {
  const pair = ways.pair[way]!;
  const kind = findKind(rules, rule, relations[ways.pairs.relation[pair]!]!);
  if (kind === null) return;
  if (rows.from.length === MAX_TRANSFERS) {
    throw new ExternalError(
      'timetable_too_large',
      `the transfer rules of the feeds expand to more than ${MAX_TRANSFERS} transfers`,
    );
  }
  append(rows.from, from);
  append(rows.to, to);
  append(rows.pair, pair);
  append(rows.kind, transferKinds.indexOf(kind));
  append(rows.seconds, kind === 'published' ? rules.seconds[rule]! : 0);
}

/** @returns null if no transfer is possible */
function findKind(rules: TransferRules, rule: number, relation: Relation): TransferKind | null {
  if (rule === NO_RULE) return kindOfRelation[relation];
  const verdict = verdicts[rules.verdict[rule]!]!;
  if (verdict === 'none') return null;
  return verdict === 'usual' ? kindOfNamed[relation] : verdict;
}

function layOut(rows: Rows, { pairs }: StopWays): TimetableTables['transfers'] {
  const pair = toArray(rows.pair);
  return {
    from: toArray(rows.from),
    to: toArray(rows.to),
    meters: pair.map((row) => pairs.meters[row]!),
    wheelchairMeters: pair.map((row) => pairs.wheelchairMeters[row]!),
    kind: Uint8Array.from(toArray(rows.kind)),
    seconds: toArray(rows.seconds),
  };
}

/** @returns first row of each place, one more than there are places */
function countStarts(placeOfRow: Int32Array, placeCount: number): Int32Array {
  const starts = new Int32Array(placeCount + 1);
  for (const place of placeOfRow) starts[place + 1]!++;
  for (let place = 0; place < placeCount; place++) starts[place + 1]! += starts[place]!;
  return starts;
}

/** Sorts rows by one of their places; stable. */
function sortByPlace(placeOfRow: Int32Array, placeCount: number): { order: Int32Array; starts: Int32Array } {
  const starts = countStarts(placeOfRow, placeCount);
  const next = starts.slice();
  const order = new Int32Array(placeOfRow.length);
  for (let row = 0; row < placeOfRow.length; row++) order[next[placeOfRow[row]!]!++] = row;
  return { order, starts };
}
