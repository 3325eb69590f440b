import { walkSeconds } from '../../../pipeline/model/walking.ts';
import { openRoute, type RouteView } from '../planner/route-view.ts';
import { NO_TRANSFER, TIMED, usualWalker } from '../planner/transfer-seconds.ts';
import type { ReportedEvent } from '../predictions/recent-delays.ts';
import { findNeededSeconds } from '../predictions/transfer-estimates.ts';
import { forEachBoarding, forEachTripFrom } from './boardings.ts';
import { both, certain } from './chances.ts';
import { arriveOnFoot } from './on-foot.ts';
import {
  type Alighting,
  type Boarding,
  type Exit,
  judgeTransfer,
  type OptionSearch,
  type OptionTransfer,
} from './option-search.ts';
import { addRide, enqueueStep, mayContinue, toMinute } from './option-steps.ts';
import { toDecisionStep } from './undominated.ts';

// Changing vehicles is three steps on the queue: leave one, transfer, board another. Options that were found in the
// meantime rule out most of them before their turn, so that few transfers have to be estimated.

/** Lists the transfers from where a vehicle is left. @param view to be opened for its route */
export function listTransfers(search: OptionSearch, view: RouteView, exit: Exit): void {
  const { network, found } = search;
  const { task, limit, latest, timetable } = network;
  const { transfers, transferStarts } = timetable.tables;
  const { after, decideBy } = exit;
  const { chance: before, rideCount, route, grade, isKnown } = after.ride;
  if (found.isBeaten(exit.earliestEnd, before, decideBy)) return;
  const ridesLeft = network.maxRides - rideCount;
  openRoute(view, timetable.tables, task, route);
  const arrival = foreseeAlighting(search, view, after);
  const label = { time: 0, walked: 0, grade, isKnown, decisionStep: toDecisionStep(decideBy), rideCount };
  for (let row = transferStarts.transfer[after.place]!; row < transferStarts.transfer[after.place + 1]!; row++) {
    const seconds = task.transferSeconds[row]!;
    const place = transfers.to[row]!;
    if (seconds === NO_TRANSFER || task.isBlocked?.[place] === 1) continue;
    const ready = after.time + seconds;
    const end = ready + task.bounds.readySeconds[place]!;
    const earliestEnd = Math.max(end, latest.boundBoarding(place, ready, ridesLeft));
    if (earliestEnd > limit || found.isBeaten(earliestEnd, before, decideBy)) continue;
    // It decides whether a vehicle is caught; the published minimum decides which vehicles are tried.
    const neededSeconds = findNeededSeconds(walkSeconds(transfers.meters[row]!, usualWalker.walkSpeedKmh), seconds);
    // As in `listVehicles`: most of them are dominated already and need no place on the queue.
    label.time = ready;
    label.walked = after.time + neededSeconds;
    if (!isGuaranteed(search, row) && search.ready.dominates(place, label)) continue;
    const ends = { earliestEnd, leastEnd: end };
    enqueueStep(search, { kind: 'transfer', exit, row, place, ready, arrival, neededSeconds, ...ends });
  }
}

/** A traveller on a vehicle that is at the stop already alights now, for certain. */
function foreseeAlighting(
  { getExpectedEvent, network }: OptionSearch,
  view: RouteView,
  { ride, position, time }: Alighting,
): ReportedEvent {
  const arrival = getExpectedEvent(view, ride.index, position, 'arrival');
  const alights = time + network.task.raptorRoutes.base;
  return alights > arrival.expected ? arriveOnFoot(alights) : arrival;
}

/** Lists the vehicles that can be boarded after a transfer, the first one of each route. */
export function listVehicles(search: OptionSearch, transfer: OptionTransfer): void {
  const { network, found, boardView } = search;
  const { exit, place, ready, neededSeconds, row } = transfer;
  const { after, decideBy } = exit;
  const { chance: before, grade, isKnown, rideCount } = after.ride;
  if (found.isBeaten(transfer.earliestEnd, before, decideBy)) return;
  const decisionStep = toDecisionStep(decideBy);
  const label = { time: ready, walked: after.time + neededSeconds, grade, isKnown, decisionStep, rideCount };
  // A guaranteed transfer beats an earlier one that is not.
  if (!isGuaranteed(search, row) && !search.ready.add(place, label)) return;
  forEachBoarding(
    network,
    boardView,
    place,
    ready,
    network.maxRides - rideCount,
    (at, index, departure, earliestEnd) => {
      if (!found.isBeaten(earliestEnd, before, decideBy)) {
        const leastEnd = departure + at.leftSeconds;
        enqueueStep(search, { kind: 'boarding', transfer, at, index, departure, earliestEnd, leastEnd });
      }
      return false;
    },
  );
}

function isGuaranteed({ network }: OptionSearch, row: number): boolean {
  return network.timetable.tables.transfers.kind[row] === TIMED;
}

/** Boards a vehicle, and later ones of its route until one is reached for certain. */
export function board(search: OptionSearch, { transfer, at, index: first }: Boarding): void {
  const { network, found, getExpectedEvent, boardView, queue, start } = search;
  const { exit, row, arrival, neededSeconds } = transfer;
  const { after, decideBy } = exit;
  const { chance: before, grade, isKnown } = after.ride;
  const from = at.position;
  const rideCount = after.ride.rideCount + 1;
  const best = {
    grade,
    isKnown,
    decisionStep: toDecisionStep(decideBy),
    index: 0,
    from,
    rideCount,
    mayContinue: false,
  };
  const entry = { kind: 'transfer', transfer: row, after } as const;
  openRoute(boardView, network.timetable.tables, network.task, at.route);
  forEachTripFrom(network, boardView, at, first, (_at, index, departs, earliestEnd) => {
    // Beaten even if the transfer were certain, as are all later vehicles of the route: no estimate is needed.
    if (found.isBeaten(earliestEnd, before, decideBy)) return false;
    best.index = index;
    if (search.rides.dominates(at.route, best)) return mayContinue(network, boardView);
    if (at.route === after.ride.route && index === after.ride.index) return true;
    const leastEnd = departs + at.leftSeconds;
    if (toMinute(start, earliestEnd, grade) > queue.minute()) {
      enqueueStep(search, { kind: 'boarding', transfer, at, index, departure: departs, earliestEnd, leastEnd });
      return false;
    }
    const departure = getExpectedEvent(boardView, index, from, 'departure');
    const made = isGuaranteed(search, row) ? certain : judgeTransfer(search, arrival, departure, neededSeconds);
    addRide(search, { index, from, earliestEnd, leastEnd }, { chance: both(before, made), decideBy, rideCount }, entry);
    // A later vehicle may have a probability that is shown.
    return made.grade < 1 || !made.isKnown;
  });
}
