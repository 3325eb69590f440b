import { lowerBound } from '../../../pipeline/model/binary-search.ts';
import {
  OTHER_STOP_CHANGE_SECONDS,
  SAME_STOP_CHANGE_SECONDS,
  straightWalkMeters,
  walkSeconds,
} from '../../../pipeline/model/walking.ts';
import { runsOn } from '../../../pipeline/snapshots/timetable-lookups.ts';
import type { Trip } from '../../contract/definitions.ts';
import {
  computeTransferSeconds,
  findRequiredSeconds,
  NO_TRANSFER,
  TIMED,
  usualWalker,
  type WalkParameters,
} from '../planner/transfer-seconds.ts';
import type { Published } from '../read/realtime.ts';
import type { Timetable } from '../read/timetable.ts';
import type { TripsContext } from './plan-trips.ts';
import { presentTrip } from './present-trip.ts';
import type { DatedRide } from './run.ts';
import { computeTimeline, type Plan, type PlannedWalk } from './timeline.ts';
import { rememberPaths } from './walk-paths.ts';

/**
 * Presents the trip of some rides even if it can no longer be travelled: a transfer broken by realtime has the risk
 * `missed`, and a leg shows the cancellation of its vehicle.
 * @param rides one at least, in travel order
 */
export function presentLegs(
  { published, references, instant, walks }: Pick<TripsContext, 'published' | 'references' | 'instant' | 'walks'>,
  rides: readonly DatedRide[],
  walker: WalkParameters = usualWalker,
): Promise<Trip> {
  const timeline = computeTimeline(published, joinRides(published, rides, walker), instant);
  const paths = rememberPaths(walks, walker.wheelchair ? 'wheelchair' : 'foot');
  const context = { published, references, places: [], paths, wheelchair: walker.wheelchair, instant };
  return presentTrip(context, timeline);
}

/**
 * Rides in travel order, and the walks between them: by the timetable's transfers, else by the rules for stops without
 * any.
 */
export function joinRides(published: Published, rides: readonly DatedRide[], walker: WalkParameters): Plan {
  const parts: Plan['parts'][number][] = [];
  let transfers = 0;
  rides.forEach((ride, i) => {
    const before = rides[i - 1];
    const isStaying = before !== undefined && staysSeated(published, before, ride);
    if (before && !isStaying) {
      parts.push(findTransfer(published, before, ride, walker));
      transfers++;
    }
    parts.push({ kind: 'ride', ...ride, isStaying });
  });
  return { departure: null, transfers, parts };
}

/** Whether one ride may follow another: by staying on board, or by a transfer of the timetable. */
export function isConnected(published: Published, before: DatedRide, next: DatedRide, walker: WalkParameters): boolean {
  if (staysSeated(published, before, next)) return true;
  const [from, to] = [findEnd(published, before, 'alight'), findEnd(published, next, 'board')];
  return readTransfer(published.timetable, from.place, to.place, walker) !== null;
}

// ---- Staying on board --------------------------------------------------------------------------

/** Whether the vehicle of one ride continues as that of the other. */
function staysSeated({ timetable }: Published, before: DatedRide, next: DatedRide): boolean {
  const { trips, patterns, continuations } = timetable.tables;
  if (before.trip < 0 || next.trip < 0 || next.boardPosition !== 0) return false;
  if (before.alightPosition !== patterns.callCount[trips.pattern[before.trip]!]! - 1) return false;
  const first = lowerBound(continuations.fromTrip, before.trip);
  for (let row = first; continuations.fromTrip[row] === before.trip; row++) {
    const isNext = continuations.toTrip[row] === next.trip && before.day + continuations.dayOffset[row]! === next.day;
    if (isNext && runsOn(timetable.tables, continuations.service[row]!, before.day)) return true;
  }
  return false;
}

// ---- Transfers -----------------------------------------------------------------------------------

function findTransfer(published: Published, before: DatedRide, next: DatedRide, walker: WalkParameters): PlannedWalk {
  const { timetable } = published;
  const [from, to] = [findEnd(published, before, 'alight'), findEnd(published, next, 'board')];
  const known =
    readTransfer(timetable, from.place, to.place, walker) ?? guessTransfer(timetable, from.stop, to.stop, walker);
  return { kind: 'walk', role: 'transfer', fromStop: from.stop, toStop: to.stop, fromPlace: -1, toPlace: -1, ...known };
}

type TransferFacts = Pick<PlannedWalk, 'meters' | 'seconds' | 'transferSeconds' | 'requiredSeconds' | 'isGuaranteed'>;

/** The transfer of the timetable; null where it has none for this traveller. */
function readTransfer({ tables }: Timetable, from: number, to: number, walker: WalkParameters): TransferFacts | null {
  const row = findTransferRow(tables, from, to);
  if (row < 0) return null;
  const cut = Object.fromEntries(
    Object.entries(tables.transfers).map(([name, column]) => [name, column.subarray(row, row + 1)]),
  );
  const transferSeconds = computeTransferSeconds({ ...tables, transfers: cut as typeof tables.transfers }, walker)[0]!;
  if (transferSeconds === NO_TRANSFER) return null;
  const meters = (walker.wheelchair ? tables.transfers.wheelchairMeters : tables.transfers.meters)[row]!;
  const seconds = walkSeconds(meters, walker.walkSpeedKmh);
  return {
    meters,
    seconds,
    transferSeconds,
    requiredSeconds: findRequiredSeconds(tables, row, walker.minTransferSeconds),
    isGuaranteed: tables.transfers.kind[row] === TIMED,
  };
}

/** @returns row of `transfers`, or -1 */
function findTransferRow({ transfers, transferStarts }: Timetable['tables'], from: number, to: number): number {
  if (from < 0 || to < 0) return -1;
  for (let row = transferStarts.transfer[from]!; row < transferStarts.transfer[from + 1]!; row++) {
    if (transfers.to[row] === to) return row;
  }
  return -1;
}

function guessTransfer({ tables }: Timetable, from: number, to: number, walker: WalkParameters): TransferFacts {
  const { lat, lon } = tables.stops;
  const { minTransferSeconds, walkSpeedKmh } = walker;
  const straight = from < 0 || to < 0 ? 0 : straightWalkMeters(lat[from]!, lon[from]!, lat[to]!, lon[to]!);
  const meters = straight || 0;
  const seconds = walkSeconds(meters, walkSpeedKmh);
  const least =
    from === to ? SAME_STOP_CHANGE_SECONDS : Math.max(OTHER_STOP_CHANGE_SECONDS, seconds + SAME_STOP_CHANGE_SECONDS);
  const transferSeconds = Math.max(least, minTransferSeconds);
  return { meters, seconds, transferSeconds, requiredSeconds: minTransferSeconds, isGuaranteed: false };
}

interface TransferEnd {
  /** Transfer place, see `transfers`; -1 where boarding or alighting is not allowed. */
  readonly place: number;
  /** Row of the timetable's stops, or -1. */
  readonly stop: number;
}

function findEnd({ timetable, realtime }: Published, ride: DatedRide, end: 'board' | 'alight'): TransferEnd {
  const position = end === 'board' ? ride.boardPosition : ride.alightPosition;
  if (ride.trip < 0) {
    const { addedTrips, addedCalls } = realtime!.tables;
    const stop = addedCalls.stop[addedTrips.firstCall[ride.addedTrip]! + position]!;
    return { place: stop, stop };
  }
  const { trips, patterns, patternCalls } = timetable.tables;
  const call = patterns.firstCall[trips.pattern[ride.trip]!]! + position;
  const place = (end === 'board' ? patternCalls.boardAt : patternCalls.alightAt)[call]!;
  return { place, stop: patternCalls.stop[call]! };
}
