import { type EpochDay, fromEpochDay } from '../../../pipeline/model/service-time.ts';
import { getPublicStop, getTimeRow, runsOn } from '../../../pipeline/snapshots/timetable-lookups.ts';
import type { LineColumn, LineDirection, LineTimetable } from '../../contract/site-lines.ts';
import type { References } from '../read/references.ts';
import { getStopId } from '../read/stop-ids.ts';
import type { Timetable } from '../read/timetable.ts';
import { formatClock } from './format-clock.ts';
import type { LineGroup } from './line-index.ts';

/** Maximum number of trips in each direction. */
const MAX_RUNS = 400;
/** GTFS pickup_type and drop_off_type: nobody boards, nobody alights. */
const NONE = 1;

interface LineQuestion {
  readonly day: EpochDay;
  /** First hour of the service date in which listed trips begin. */
  readonly fromHour: number;
  /** The hour before which they begin. */
  readonly untilHour: number;
}

/** A trip of the day with its pattern. */
interface Run {
  readonly trip: number;
  readonly pattern: number;
  /** Seconds from the start of the service date. */
  readonly begin: number;
}

/** The trips of a line on a day as one grid per direction: stops in travel order, and the times of each trip. */
export function buildLineTimetable(
  timetable: Timetable,
  references: References,
  { id, line, patterns }: LineGroup,
  question: LineQuestion,
): LineTimetable {
  const runs = listRuns(timetable, patterns, question);
  const directions = [...runs]
    .sort(([a], [b]) => a - b)
    .map(([, own]) => buildDirection(timetable, references, own, question.day));
  const { day, fromHour, untilHour } = question;
  return { id, line, date: fromEpochDay(day), fromHour, untilHour, directions };
}

/** The trips that begin within the hours, by published direction; 0 where none is published. */
function listRuns(
  { tables }: Timetable,
  ownPatterns: readonly number[],
  { day, fromHour, untilHour }: LineQuestion,
): Map<number, Run[]> {
  const { patterns, trips, times } = tables;
  const byDirection = new Map<number, Run[]>();
  for (const pattern of ownPatterns) {
    const first = patterns.firstTrip[pattern]!;
    for (let trip = first; trip < first + patterns.tripCount[pattern]!; trip++) {
      const begin = times.departure[getTimeRow(tables, pattern, trip)]!;
      const isWanted = begin >= fromHour * 3600 && begin < untilHour * 3600;
      if (!isWanted || !runsOn(tables, trips.service[trip]!, day)) continue;
      const direction = Math.max(0, trips.direction[trip]!);
      const known = byDirection.get(direction);
      if (known) known.push({ trip, pattern, begin });
      else byDirection.set(direction, [{ trip, pattern, begin }]);
    }
  }
  return byDirection;
}

function buildDirection(
  timetable: Timetable,
  references: References,
  runs: readonly Run[],
  day: EpochDay,
): LineDirection {
  const byCount = countPatterns(runs);
  const stops = mergeStops(byCount.map((pattern) => listStations(timetable, pattern)));
  const rowsOf = new Map(byCount.map((pattern) => [pattern, locate(listStations(timetable, pattern), stops)]));
  const typical = measureOffsets(timetable, byCount, rowsOf, stops.length);
  const begins = new Map(runs.map((run) => [run, run.begin - typical[rowsOf.get(run.pattern)![0]!]!]));
  const sorted = [...runs].sort((a, b) => begins.get(a)! - begins.get(b)! || a.trip - b.trip);
  const usual = listStations(timetable, byCount[0]!);
  const nameOf = (stop: number) => timetable.tables.stops.name.get(stop);
  return {
    from: nameOf(usual[0]!),
    to: nameOf(usual.at(-1)!),
    stops: stops.map((stop) => ({ id: getStopId(timetable, stop), name: nameOf(stop) })),
    runs: sorted
      .slice(0, MAX_RUNS)
      .map((run) => describeRun(timetable, references, run, rowsOf.get(run.pattern)!, stops.length, day)),
    isCut: sorted.length > MAX_RUNS,
  };
}

/** The patterns of trips: those with most trips first, then the longest. */
function countPatterns(runs: readonly Run[]): number[] {
  const counts = new Map<number, number>();
  for (const { pattern } of runs) counts.set(pattern, (counts.get(pattern) ?? 0) + 1);
  return [...counts].sort(([a, few], [b, many]) => many - few || a - b).map(([pattern]) => pattern);
}

/** Stations of a pattern in travel order; calls without a station are left out. */
function listStations({ tables }: Timetable, pattern: number): number[] {
  const { patterns, patternCalls, stops } = tables;
  const first = patterns.firstCall[pattern]!;
  return Array.from({ length: patterns.callCount[pattern]! }, (_, i) =>
    getPublicStop(tables, stops.station[patternCalls.stop[first + i]!]!),
  );
}

/** Merges lists into one that keeps the order of each: an added stop follows its predecessor in its own list. */
function mergeStops(lists: readonly (readonly number[])[]): number[] {
  const merged: number[] = [];
  for (const list of lists) {
    let at = -1;
    for (const stop of list) {
      const known = merged.indexOf(stop, at + 1);
      if (known < 0) merged.splice(at + 1, 0, stop);
      at = known < 0 ? at + 1 : known;
    }
  }
  return merged;
}

/** The row in the merged list of each stop of a list. */
function locate(list: readonly number[], merged: readonly number[]): number[] {
  let at = -1;
  return list.map((stop) => {
    at = merged.indexOf(stop, at + 1);
    return at;
  });
}

/** Typical seconds from the first row to each row; sorts trips that begin further along the line. */
function measureOffsets(
  { tables }: Timetable,
  byCount: readonly number[],
  rowsOf: ReadonlyMap<number, readonly number[]>,
  length: number,
): number[] {
  const offsets = new Array<number | undefined>(length);
  for (const pattern of byCount) {
    const rows = rowsOf.get(pattern)!;
    const first = getTimeRow(tables, pattern, tables.patterns.firstTrip[pattern]!);
    const shared = rows.findIndex((row) => offsets[row] !== undefined);
    const timeAt = (i: number) => tables.times.departure[first + i]!;
    const base = shared < 0 ? timeAt(0) : timeAt(shared) - offsets[rows[shared]!]!;
    for (const [i, row] of rows.entries()) offsets[row] ??= timeAt(i) - base;
  }
  return offsets.map((offset) => offset ?? 0);
}

function describeRun(
  { tables }: Timetable,
  references: References,
  { trip, pattern }: Run,
  rows: readonly number[],
  length: number,
  day: EpochDay,
): LineColumn {
  const { trips, texts, times, patterns, patternCalls } = tables;
  const first = getTimeRow(tables, pattern, trip);
  const clocks = new Array<string | null>(length).fill(null);
  for (const [i, row] of rows.entries()) {
    const call = patterns.firstCall[pattern]! + i;
    const isPassed = patternCalls.pickupType[call] === NONE && patternCalls.dropOffType[call] === NONE;
    const isLast = i === rows.length - 1;
    if (!isPassed) clocks[row] = formatClock((isLast ? times.arrival : times.departure)[first + i]!);
  }
  const number = trips.shortName[trip]!;
  return {
    journeyRef: references.sealJourney({ tripKey: trips.key[trip]!, day }),
    ...(number < 0 ? {} : { number: texts.text.get(number) }),
    times: clocks,
  };
}
