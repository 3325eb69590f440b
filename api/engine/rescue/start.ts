import { walkSeconds } from '../../../pipeline/model/walking.ts';
import { forEachContinuation, locate } from '../planner/continuations.ts';
import { NEVER } from '../planner/int-list.ts';
import { listGates } from '../planner/places.ts';
import type { ProfileScope } from '../planner/profile-scope.ts';
import { createRouteView, getEnterTime, openRoute, type RouteView } from '../planner/route-view.ts';
import type { SearchTask } from '../planner/search.ts';
import { findEgressEnd, findGateEnd } from '../planner/timed-gates.ts';
import { findWay } from '../planner/trace.ts';
import { NO_TRANSFER } from '../planner/transfer-seconds.ts';
import type { Timetable } from '../read/timetable.ts';
import type { DatedRide } from '../trips/run.ts';
import { findLeaveTime } from './boardings.ts';
import type { Start, StartGate } from './option-search.ts';
import type { Traveller } from './traveller.ts';

/**
 * The start of a search: the vehicle that the traveller is on, or the places that he reaches on foot.
 * @param scope of a query from where he is
 * @param now from the base of the routes, as all times
 * @param isElsewhere the traveller is at a known position, not where the previous leg ended
 */
export function openStart(
  timetable: Timetable,
  scope: ProfileScope,
  traveller: Exclude<Traveller, { kind: 'arrived' }>,
  now: number,
  isElsewhere: boolean,
): Start {
  const { task } = scope;
  if (traveller.kind === 'aboard') {
    return {
      now,
      aboard: findInRoutes(timetable, task, traveller.ride, traveller.position),
      gates: [],
      walkSeconds: null,
    };
  }
  const gates = new Map<number, StartGate>();
  const { places, query } = scope;
  const times = { sign: 1, base: task.raptorRoutes.base } as const;
  for (const gate of listGates(places, query.from, query.walkSpeedKmh, times)) {
    const { place, seconds, way } = gate;
    const ready = findGateEnd(gate, now);
    if (ready === NEVER) continue;
    const { meters } = way ?? findWay(query.from, places.stopOf(place));
    keepEarlier(gates, { place, ready, walkSeconds: seconds, meters, ...(way ? { ride: way } : {}) });
  }
  const { alighted } = traveller;
  if (alighted && !isElsewhere) {
    const arrival = alighted.at - task.raptorRoutes.base;
    for (const gate of listTransfers(timetable, scope, alighted.ride, arrival)) {
      // The rule replaces the bare walk to the same place.
      gates.set(gate.place, { ...gate, ready: Math.max(now, gate.ready) });
    }
  }
  const direct = query.stretchMeters[0] ?? null;
  const walk = direct === null ? null : walkSeconds(direct, query.walkSpeedKmh);
  return { now, aboard: null, gates: [...gates.values()], walkSeconds: walk };
}

/** @returns null for a trip that the routes do not have: it does not run */
function findInRoutes(timetable: Timetable, task: SearchTask, ride: DatedRide, position: number): Start['aboard'] {
  const found = ride.trip >= 0 ? locate(timetable, task, ride.trip, ride.day) : locateAdded(task, ride.addedTrip);
  if (!found) return null;
  const view = openRoute(createRouteView(), timetable.tables, task, found.route);
  return { route: found.route, index: found.entry - view.origin, position };
}

function locateAdded({ live }: SearchTask, addedTrip: number) {
  const liveTrip = live?.liveTrips.findIndex((trip) => trip.addedTrip === addedTrip) ?? -1;
  if (!live || liveTrip < 0) return null;
  return { route: live.liveTripRoute[liveTrip]!, entry: live.liveTripEntry[liveTrip]! };
}

/** A traveller who has just alighted needs the time of the transfer, counted from the arrival. */
function listTransfers(
  { tables }: Timetable,
  { task, query }: ProfileScope,
  ride: DatedRide,
  arrival: number,
): StartGate[] {
  const { transfers, transferStarts } = tables;
  const from = findAlightPlace(tables, ride);
  if (from < 0) return [];
  const gates: StartGate[] = [];
  for (let row = transferStarts.transfer[from]!; row < transferStarts.transfer[from + 1]!; row++) {
    const seconds = task.transferSeconds[row]!;
    if (seconds === NO_TRANSFER) continue;
    const meters = transfers.meters[row]!;
    const walk = Math.min(walkSeconds(meters, query.walkSpeedKmh), seconds);
    const place = transfers.to[row]!;
    gates.push({ place, ready: arrival + seconds, walkSeconds: walk, meters });
  }
  return gates;
}

/** Transfer place where a ride ends; -1 if it is not one. */
function findAlightPlace(tables: Timetable['tables'], { trip, alightPosition }: DatedRide): number {
  if (trip < 0) return -1;
  const { trips, patterns, patternCalls } = tables;
  return patternCalls.alightAt[patterns.firstCall[trips.pattern[trip]!]! + alightPosition]!;
}

function keepEarlier(gates: Map<number, StartGate>, gate: StartGate): void {
  const known = gates.get(gate.place);
  if (!known || gate.ready < known.ready) gates.set(gate.place, gate);
}

// ---- Earliest arrival --------------------------------------------------------------------------

/**
 * Entries of a search for the earliest arrival, one for each place: the gates, or the transfers from all calls at which
 * the vehicle can be left.
 * @param alightings of the vehicle that the traveller is on
 */
export function listEntries(
  { tables, task }: ProfileScope,
  { now, gates, aboard }: Start,
  alightings: readonly StartAlighting[],
): ProfileScope['entries'] {
  if (!aboard) return gates.map(({ place, ready }) => ({ place, seconds: ready - now, isMember: true, layer: 0 }));
  const { transfers, transferStarts } = tables;
  const seconds = new Map<number, number>();
  for (const { place, time } of alightings) {
    for (let row = transferStarts.transfer[place]!; row < transferStarts.transfer[place + 1]!; row++) {
      const transfer = task.transferSeconds[row]!;
      if (transfer === NO_TRANSFER) continue;
      const to = transfers.to[row]!;
      seconds.set(to, Math.min(seconds.get(to) ?? Number.POSITIVE_INFINITY, time - now + transfer));
    }
  }
  return Array.from(seconds, ([place, least]) => ({ place, seconds: least, isMember: true, layer: 0 }));
}

/** Earliest arrival without any further vehicle; infinite where it is too far. */
export function findDirectEnd({ task }: ProfileScope, start: Start, alightings: readonly StartAlighting[]): number {
  const ends = start.walkSeconds === null ? [] : [start.now + start.walkSeconds];
  for (const { place, time } of alightings) {
    const seconds = task.egress[place]!;
    if (seconds >= 0) ends.push(findEgressEnd(task.timedEgress, place, time, seconds));
  }
  return Math.min(Number.POSITIVE_INFINITY, ...ends);
}

/** Where and when the vehicle that the traveller is on can be left. */
interface StartAlighting {
  readonly place: number;
  readonly time: number;
}

/**
 * The later calls of the vehicle that the traveller is on, and of the trips as which it continues.
 * @param latest of continuing trips that begin later none is listed
 */
export function listAlightings(
  timetable: Timetable,
  { task }: ProfileScope,
  { aboard, now }: Start,
  latest: number,
): StartAlighting[] {
  const alightings: StartAlighting[] = [];
  const ride = (view: RouteView, index: number, from: number) => {
    for (let position = from; position < view.callCount; position++) {
      const place = view.leaveAt[view.firstCall + position]!;
      const time = findLeaveTime(view, index, position, now);
      if (place >= 0 && time >= now) alightings.push({ place, time });
    }
    const next = createRouteView();
    forEachContinuation(timetable, task, view, index, next, (_trip, nextIndex) => {
      if (getEnterTime(next, nextIndex, 0) <= latest) ride(next, nextIndex, 1);
    });
  };
  if (aboard) {
    ride(openRoute(createRouteView(), timetable.tables, task, aboard.route), aboard.index, aboard.position + 1);
  }
  return alightings;
}
