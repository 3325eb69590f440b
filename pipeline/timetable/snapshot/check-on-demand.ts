import type { TimetableTables } from '../../snapshots/timetable-contract.ts';
import { assertInvariant, isWithin } from './assert-invariant.ts';

/**
 * Asserts that zones, groups, trips and calls of on-demand service exist, and that windows do not end before they begin.
 * @throws Error naming the first violated invariant
 */
export function checkOnDemand(tables: TimetableTables): void {
  const { onDemandZones, onDemandRings, onDemandGroups, onDemandTrips, onDemandCalls, bookingRules } = tables;
  const { zone, group, stop, windowStart, windowEnd, pickupRule, dropOffRule } = onDemandCalls;
  checkRanges(onDemandZones.firstRing, onDemandZones.ringCount, onDemandRings.firstPoint.length);
  checkRanges(onDemandRings.firstPoint, onDemandRings.pointCount, tables.onDemandPoints.lat.length);
  checkRanges(onDemandGroups.firstStop, onDemandGroups.stopCount, tables.onDemandGroupStops.stop.length);
  checkRanges(onDemandTrips.firstCall, onDemandTrips.callCount, zone.length);
  assertInvariant(isWithin(tables.onDemandGroupStops.stop, tables.stops.source.length), 'the stops of groups exist');
  assertInvariant(isWithin(onDemandTrips.route, tables.routes.source.length), 'every on-demand trip has a route');
  assertInvariant(
    isWithin(onDemandTrips.service, tables.services.firstDay.length),
    'every on-demand trip has a service',
  );
  const limits = [onDemandZones.south.length, onDemandGroups.source.length, tables.stops.source.length];
  for (let call = 0; call < zone.length; call++) {
    const places = [zone[call]!, group[call]!, stop[call]!];
    const isOne = places.filter((row) => row >= 0).length === 1;
    assertInvariant(isOne && places.every((row, i) => row < limits[i]!), 'every on-demand call has one place');
    assertInvariant(windowStart[call]! <= windowEnd[call]!, 'no window ends before it begins');
    const rules = [pickupRule[call]!, dropOffRule[call]!];
    assertInvariant(
      rules.every((rule) => rule >= -1 && rule < bookingRules.type.length),
      'the booking rules of on-demand calls exist',
    );
  }
}

function checkRanges(first: Int32Array, count: Int32Array, length: number): void {
  let end = 0;
  for (let row = 0; row < first.length; row++) {
    // A group may have no stops: some feeds name meeting points without a place.
    assertInvariant(first[row] === end && count[row]! >= 0, 'ranges of on-demand tables follow one another');
    end += count[row]!;
  }
  assertInvariant(end === length, 'ranges of on-demand tables cover them');
}
