import { SECONDS_PER_DAY } from '../../model/service-time.ts';
import { type TimetableTables, transferKinds } from '../../snapshots/timetable-contract.ts';
import { getTimeRow, runsOn } from '../../snapshots/timetable-lookups.ts';
import { assertInvariant, isWithin } from './assert-invariant.ts';
import { checkOnDemand } from './check-on-demand.ts';

/**
 * Asserts that rows of a table are sorted by one column, then by another, complete and with distinct pairs of values.
 * @param order rows of the table
 */
function checkSorted(order: Int32Array, first: Int32Array, second: Int32Array): void {
  assertInvariant(order.length === first.length && isWithin(order, first.length), 'sorted rows are complete');
  for (let i = 1; i < order.length; i++) {
    const [a, b] = [order[i - 1]!, order[i]!];
    // Since pairs rise strictly, no row occurs twice, and so every row occurs.
    const isAfter = first[a]! < first[b]! || (first[a] === first[b] && second[a]! < second[b]!);
    assertInvariant(isAfter, 'transfers and continuations are sorted, one for each pair, from either end');
  }
}

/**
 * Asserts what the planner relies on: transfer places of calls, and transfers between them.
 * @throws Error naming the first violated invariant
 */
function checkTransfers(tables: TimetableTables): void {
  const { transfers, transferPlaces, stops } = tables;
  const stopCount = stops.source.length;
  const placeCount = stopCount + transferPlaces.stop.length;
  assertInvariant(isWithin(transferPlaces.stop, stopCount), 'every transfer place is at a stop');
  assertInvariant(
    transferPlaces.stop.every((stop, i) => i === 0 || transferPlaces.stop[i - 1]! <= stop),
    'transfer places are sorted by stop',
  );
  checkPlacesOfCalls(tables);
  assertInvariant(isWithin(transfers.from, placeCount), 'every transfer begins at a place');
  assertInvariant(isWithin(transfers.to, placeCount), 'every transfer ends at a place');
  checkSorted(Int32Array.from(transfers.from.keys()), transfers.from, transfers.to);
  for (let row = 0; row < transfers.from.length; row++) checkTransfer(tables, row);
  checkStarts(tables.transferStarts.transfer, transfers.from, placeCount);
  checkSorted(tables.transfersBack.transfer, transfers.to, transfers.from);
  const toByBack = tables.transfersBack.transfer.map((row) => transfers.to[row]!);
  checkStarts(tables.transferBackStarts.row, toByBack, placeCount);
}

/** @returns the stop of a transfer place */
function getStop({ stops, transferPlaces }: TimetableTables, place: number): number {
  const stopCount = stops.source.length;
  return place < stopCount ? place : transferPlaces.stop[place - stopCount]!;
}

const NOT_AVAILABLE = 1;

function checkPlacesOfCalls(tables: TimetableTables): void {
  const { patterns, patternCalls } = tables;
  for (let pattern = 0; pattern < patterns.firstCall.length; pattern++) {
    const first = patterns.firstCall[pattern]!;
    const last = first + patterns.callCount[pattern]! - 1;
    for (let call = first; call <= last; call++) {
      const mayBoard = call !== last && patternCalls.pickupType[call] !== NOT_AVAILABLE;
      const mayAlight = call !== first && patternCalls.dropOffType[call] !== NOT_AVAILABLE;
      checkPlace(tables, call, patternCalls.boardAt[call]!, mayBoard);
      checkPlace(tables, call, patternCalls.alightAt[call]!, mayAlight);
    }
  }
}

function checkPlace(tables: TimetableTables, call: number, place: number, isOpen: boolean): void {
  assertInvariant(place >= 0 === isOpen, 'calls have transfer places exactly where boarding and alighting are allowed');
  const isThere = place < 0 || getStop(tables, place) === tables.patternCalls.stop[call];
  assertInvariant(isThere, 'the transfer places of a call are at its stop');
}

function checkTransfer(tables: TimetableTables, row: number): void {
  const { from, to, meters, wheelchairMeters, seconds } = tables.transfers;
  const kind = transferKinds[tables.transfers.kind[row]!];
  assertInvariant(kind !== undefined, 'every transfer is of a known kind');
  assertInvariant(meters[row]! >= 0 && wheelchairMeters[row]! >= -1, 'no way has a negative length');
  assertInvariant(
    kind === 'published' ? seconds[row]! >= 0 : seconds[row] === 0,
    'only published transfers have a time',
  );
  const isSameStop = getStop(tables, from[row]!) === getStop(tables, to[row]!);
  assertInvariant(kind !== 'sameStop' || isSameStop, 'a transfer at one stop leads to no other');
  const isElsewhere = kind === 'sameStation' || kind === 'walk';
  assertInvariant(!(isSameStop && isElsewhere), 'a transfer between stops leads to another');
  assertInvariant(
    !isSameStop || (meters[row] === 0 && wheelchairMeters[row] === 0),
    'no way leads from a stop to itself',
  );
}

/** @param places by row, rising */
function checkStarts(starts: Int32Array, places: Int32Array, placeCount: number): void {
  assertInvariant(starts.length === placeCount + 1, 'every place has a start among the transfers');
  assertInvariant(
    starts[0] === 0 && starts[placeCount] === places.length,
    'the transfers of all places cover the table',
  );
  for (let place = 0; place < placeCount; place++) {
    assertInvariant(starts[place]! <= starts[place + 1]!, 'transfers of places follow one another');
    for (let row = starts[place]!; row < starts[place + 1]!; row++) {
      assertInvariant(places[row] === place, 'transfers are listed at their own places');
    }
  }
}

/** Asserts that calls with booking rules are sorted, and that their rules and services exist. */
function checkBookings({ bookedCalls, bookingRules, patternCalls, services }: TimetableTables): void {
  const { call, pickup, dropOff } = bookedCalls;
  const isRule = (rule: number) => rule >= -1 && rule < bookingRules.type.length;
  const isService = (service: number) => service >= -1 && service < services.firstDay.length;
  assertInvariant(isWithin(call, patternCalls.stop.length), 'booking rules belong to calls');
  assertInvariant(
    call.every((row, i) => i === 0 || call[i - 1]! < row),
    'calls with booking rules are sorted',
  );
  assertInvariant(pickup.every(isRule) && dropOff.every(isRule), 'the booking rules of calls exist');
  assertInvariant(bookingRules.service.every(isService), 'the services of booking rules exist');
}

/**
 * Asserts what the planner relies on: trips that continue as other trips.
 * @throws Error naming the first violated invariant
 */
function checkContinuations(tables: TimetableTables): void {
  const { continuations, continuationsBack, trips, services } = tables;
  const { fromTrip, toTrip, service } = continuations;
  assertInvariant(
    isWithin(fromTrip, trips.service.length) && isWithin(toTrip, trips.service.length),
    'continuations are between trips',
  );
  assertInvariant(isWithin(service, services.firstDay.length), 'every continuation has a service');
  checkSorted(Int32Array.from(fromTrip.keys()), fromTrip, toTrip);
  checkSorted(continuationsBack.continuation, toTrip, fromTrip);
  for (let row = 0; row < fromTrip.length; row++) checkContinuation(tables, row);
}

function checkContinuation(tables: TimetableTables, row: number): void {
  const { continuations, trips, services } = tables;
  const [from, to] = [continuations.fromTrip[row]!, continuations.toTrip[row]!];
  const offset = continuations.dayOffset[row]!;
  assertInvariant(offset === 0 || offset === 1, 'trips continue on the same day or the next');
  assertInvariant(trips.frequencyStart[from] === -1 && trips.frequencyStart[to] === -1, 'frequencies do not continue');
  const begins = tables.times.departure[getTimeRow(tables, trips.pattern[to]!, to)]! + offset * SECONDS_PER_DAY;
  const lastTime =
    getTimeRow(tables, trips.pattern[from]!, from) + tables.patterns.callCount[trips.pattern[from]!]! - 1;
  assertInvariant(tables.times.arrival[lastTime]! <= begins, 'no trip continues before it has arrived');
  const service = continuations.service[row]!;
  assertInvariant(services.firstDay[service]! <= services.lastDay[service]!, 'every continuation has a day');
  for (let day = services.firstDay[service]!; day <= services.lastDay[service]!; day++) {
    if (!runsOn(tables, service, day)) continue;
    const bothRun = runsOn(tables, trips.service[from]!, day) && runsOn(tables, trips.service[to]!, day + offset);
    assertInvariant(bothRun, 'trips continue only on days on which both run');
  }
}

/**
 * Asserts that merged stations and duplicates lead to the stations and trips shown for them.
 * @throws Error naming the first violated invariant
 */
function checkMerges(tables: TimetableTables): void {
  const { stops, mergedStops, trips, duplicates } = tables;
  const stopCount = stops.source.length;
  assertInvariant(isWithin(stops.publishedStation, stopCount), 'every stop has a published station or is one');
  assertInvariant(
    stops.station.every((station, stop) => station === stops.station[stops.publishedStation[stop]!]),
    'the platforms of a station stay together',
  );
  const merged = stops.station.filter((station, stop) => stops.publishedStation[stop] === stop && station !== stop);
  assertInvariant(merged.length === mergedStops.stop.length, 'every merged station has its rule');
  for (let row = 0; row < duplicates.trip.length; row++) checkDuplicate(tables, row);
  const isHidden = new Set(duplicates.trip);
  for (let trip = 0; trip < trips.service.length; trip++) {
    const isAsPublished = trips.service[trip] === trips.publishedService[trip];
    assertInvariant(isAsPublished || isHidden.has(trip), 'a trip runs on its published days unless it is a duplicate');
  }
}

function checkDuplicate(tables: TimetableTables, row: number): void {
  const { duplicates, trips, services } = tables;
  const [trip, shown, service] = [duplicates.trip[row]!, duplicates.shownTrip[row]!, duplicates.service[row]!];
  assertInvariant(row === 0 || duplicates.trip[row - 1]! <= trip, 'duplicates are sorted');
  for (let day = services.firstDay[service]!; day <= services.lastDay[service]!; day++) {
    if (!runsOn(tables, service, day)) continue;
    assertInvariant(runsOn(tables, trips.publishedService[trip]!, day), 'a duplicate is published on its days');
    assertInvariant(!runsOn(tables, trips.service[trip]!, day), 'a duplicate is hidden');
    const shownDay = day + duplicates.dayOffset[row]!;
    assertInvariant(runsOn(tables, trips.service[shown]!, shownDay), 'the trip that is shown for a duplicate runs');
  }
  const callCountOf = (of: number) => tables.patterns.callCount[trips.pattern[of]!]!;
  assertInvariant(callCountOf(shown) >= callCountOf(trip), 'the trip that is shown has all calls of the other');
}

/**
 * Asserts the order of the fare tables that are accessed by row, or by binary search.
 * @throws Error naming the first violated invariant
 */
function checkFares(tables: TimetableTables): void {
  const { fareClasses, fareRules, fareLegRules, fareJoinRules, fareTransferRules } = tables;
  assertInvariant(tables.fareStops.zone.length === tables.stops.source.length, 'every stop has its row of fares');
  assertInvariant(tables.fareRoutes.network.length === tables.routes.source.length, 'every route has its row of fares');
  assertInvariant(
    fareRules.fareClass.every((row) => row < fareClasses.feed.length),
    'every fare rule has a class',
  );
  const sorted: Readonly<Record<string, readonly ArrayLike<number>[]>> = {
    fareClasses: [fareClasses.feed],
    fareRules: [fareRules.feed, fareRules.route, fareRules.origin, fareRules.destination],
    fareTimeframes: [tables.fareTimeframes.timeframe],
    fareProducts: [tables.fareProducts.product],
    fareLegRules: [fareLegRules.feed, fareLegRules.network, fareLegRules.fromArea, fareLegRules.toArea],
    fareJoinRules: [fareJoinRules.feed, fareJoinRules.fromNetwork, fareJoinRules.toNetwork],
    fareTransferRules: [fareTransferRules.feed, fareTransferRules.fromGroup, fareTransferRules.toGroup],
  };
  for (const [table, columns] of Object.entries(sorted)) assertInvariant(isSorted(columns), `${table} is sorted`);
}

/** Whether rows are sorted by these columns, the first of them first. */
function isSorted(columns: readonly ArrayLike<number>[]): boolean {
  for (let row = 1; row < columns[0]!.length; row++) {
    const different = columns.find((column) => column[row - 1] !== column[row]);
    if (different && different[row - 1]! > different[row]!) return false;
  }
  return true;
}

/**
 * Asserts all invariants of a snapshot, on the files as read back from disk.
 * @throws Error naming the first violated invariant: a bug, so nothing is published
 */
export function checkTimetable(tables: TimetableTables): void {
  const { patterns, patternCalls, trips, times, stops } = tables;
  const stopCount = stops.source.length;
  const hasOnDemand = tables.onDemandTrips.route.length > 0;
  assertInvariant(patterns.route.length > 0 || hasOnDemand, 'there are patterns');
  assertInvariant(trips.service.length > 0 || hasOnDemand, 'there are trips');
  assertInvariant(isWithin(patternCalls.stop, stopCount), 'every call is at a stop');
  assertInvariant(isWithin(patterns.route, tables.routes.source.length), 'every pattern has a route');
  assertInvariant(
    patterns.route.every((route, p) => p === 0 || patterns.route[p - 1]! <= route),
    'patterns are sorted by route',
  );
  assertInvariant(isWithin(trips.service, tables.services.firstDay.length), 'every trip has a service');
  assertInvariant(isWithin(stops.station, stopCount), 'every stop has a station or is one');
  assertInvariant(
    stops.station.every((station) => stops.station[station] === station),
    'a station is its own station',
  );
  assertInvariant(times.arrival.length === times.departure.length, 'arrivals and departures pair up');
  for (let p = 0; p < patterns.route.length; p++) checkPattern(tables, p);
  assertInvariant(tables.stopCalls.pattern.length === patternCalls.stop.length, 'every call is listed at its stop');
  checkFares(tables);
  checkTransfers(tables);
  checkBookings(tables);
  checkOnDemand(tables);
  checkContinuations(tables);
  checkMerges(tables);
}

function checkPattern(tables: TimetableTables, p: number): void {
  const { patterns, trips, times } = tables;
  const callCount = patterns.callCount[p]!;
  const tripCount = patterns.tripCount[p]!;
  const first = patterns.firstTime[p]!;
  assertInvariant(callCount >= 2 && tripCount >= 1, 'a pattern has two calls and a trip');
  assertInvariant(first + callCount * tripCount <= times.arrival.length, 'times lie within their table');
  assertInvariant(trips.pattern[patterns.firstTrip[p]! + tripCount - 1] === p, 'trips know their pattern');
  for (let trip = 0; trip < tripCount; trip++) {
    checkSequences(tables, patterns.firstTrip[p]! + trip, callCount);
    const row = first + trip * callCount;
    for (let k = 0; k < callCount; k++) {
      const at = row + k;
      assertInvariant(times.arrival[at]! <= times.departure[at]!, 'no call departs before it arrives');
      if (k > 0) assertInvariant(times.departure[at - 1]! <= times.arrival[at]!, 'times rise along a trip');
      if (trip === 0) continue;
      assertInvariant(times.arrival[at - callCount]! <= times.arrival[at]!, 'no trip of a pattern overtakes another');
      assertInvariant(
        times.departure[at - callCount]! <= times.departure[at]!,
        'no trip of a pattern overtakes another',
      );
    }
  }
}

/** Neighbours mostly share a list, which is checked once. */
function checkSequences(
  { trips, stopSequences: { sequence } }: TimetableTables,
  trip: number,
  callCount: number,
): void {
  const first = trips.firstSequence[trip]!;
  if (trip > 0 && trips.firstSequence[trip - 1] === first && trips.pattern[trip - 1] === trips.pattern[trip]) return;
  assertInvariant(first >= 0 && first + callCount <= sequence.length, 'every call has its sequence');
  for (let k = first + 1; k < first + callCount; k++) {
    // A call that only a duplicate has repeats the stop_sequence of the previous call.
    assertInvariant(sequence[k - 1]! <= sequence[k]!, 'sequences never fall along a trip');
  }
}
