import { AUSTRIA, formatTimestamp, type Instant } from '../../../pipeline/model/service-time.ts';
import { tripFlags } from '../../../pipeline/snapshots/realtime-contract.ts';
import { getTimeRow } from '../../../pipeline/snapshots/timetable-lookups.ts';
import type { Coord, Platform, Stop } from '../../contract/definitions.ts';
import { getStopId } from './stop-ids.ts';
import { hasCoordinates, type Timetable } from './timetable.ts';

/** Ten centimetres: further digits of publishers are noise. */
const COORDINATE_FACTOR = 1e6;

export function presentTimestamp(instant: Instant): string {
  return formatTimestamp(instant, AUSTRIA);
}

export function presentCoord(lat: number, lon: number): Coord {
  return {
    lat: Math.round(lat * COORDINATE_FACTOR) / COORDINATE_FACTOR,
    lon: Math.round(lon * COORDINATE_FACTOR) / COORDINATE_FACTOR,
  };
}

export function findStopCoord({ tables }: Timetable, stop: number): { coord?: Coord } {
  if (!hasCoordinates(tables, stop)) return {};
  return { coord: presentCoord(tables.stops.lat[stop]!, tables.stops.lon[stop]!) };
}

export function presentStop(timetable: Timetable, stop: number, distanceMeters?: number): Stop {
  const { stops } = timetable.tables;
  return {
    id: getStopId(timetable, stop),
    name: stops.name.get(stop),
    extId: stops.stopId.get(stop),
    ...findStopCoord(timetable, stop),
    ...(distanceMeters === undefined ? {} : { distanceMeters }),
    kind: 'station',
    productClasses: stops.productClasses[stop]!,
  };
}

/** @param scheduled platform of the timetable @param announced live platform; null for either: unknown */
export function presentPlatform(scheduled: string | null, announced: string | null): Platform {
  const text = announced ?? scheduled;
  const changed = announced !== null && scheduled !== null && announced !== scheduled;
  // Literals, because every row of a board has one, and spreads take ten times as long.
  if (scheduled === null) return text ? { text, changed } : { changed };
  return text ? { text, scheduledText: scheduled, changed } : { scheduledText: scheduled, changed };
}

/** @param flags bits of `tripFlags` */
export function presentServiceKind(flags: number): { serviceKind?: 'additional' | 'special' } {
  // A special service is mostly additional as well.
  if ((flags & tripFlags.special) !== 0) return { serviceKind: 'special' };
  return (flags & tripFlags.additional) !== 0 ? { serviceKind: 'additional' } : {};
}

/** The headsign at a call: that of the call, else of the trip, else its last stop. */
export function getDirection({ tables }: Timetable, pattern: number, position: number, trip: number): string {
  const { patterns, patternCalls, trips, texts, stops } = tables;
  const first = patterns.firstCall[pattern]!;
  const ownSign = patternCalls.headsign[first + position]!;
  const sign = ownSign >= 0 ? ownSign : trips.headsign[trip]!;
  return sign >= 0
    ? texts.text.get(sign)
    : stops.name.get(patternCalls.stop[first + patterns.callCount[pattern]! - 1]!);
}

/** Attributes of a trip: `tripNumber:RJX 162`, `time:headway`, `wheelchair:yes|no`, `bikes:yes|no`. */
export function listTripAttributes({ tables }: Timetable, trip: number): string[] {
  const { trips, texts } = tables;
  const attributes: string[] = [];
  if (trips.shortName[trip]! >= 0) attributes.push(`tripNumber:${texts.text.get(trips.shortName[trip]!)}`);
  if (trips.isHeadway[trip] === 1) attributes.push('time:headway');
  addYesNo(attributes, 'wheelchair', trips.wheelchairAccessible[trip]!);
  addYesNo(attributes, 'bikes', trips.bikesAllowed[trip]!);
  return attributes;
}

/** GTFS: 0 is unknown, 1 is yes, 2 is no. */
function addYesNo(attributes: string[], name: string, value: number): void {
  if (value === 1) attributes.push(`${name}:yes`);
  if (value === 2) attributes.push(`${name}:no`);
}

const boardingRules: Readonly<Record<number, string>> = { 2: 'phone', 3: 'driver' };

/**
 * Attributes of one call beside those of its trip: `time:interpolated` where the publisher gives no time,
 * `pickup:phone|driver` and `dropOff:phone|driver` where riders must ask.
 */
export function listCallAttributes(timetable: Timetable, pattern: number, position: number, trip: number): string[] {
  const { patterns, patternCalls } = timetable.tables;
  const call = patterns.firstCall[pattern]! + position;
  const attributes = listTripAttributes(timetable, trip);
  if (isInterpolated(timetable, pattern, position, trip)) attributes.push('time:interpolated');
  const pickup = boardingRules[patternCalls.pickupType[call]!];
  const dropOff = boardingRules[patternCalls.dropOffType[call]!];
  if (pickup) attributes.push(`pickup:${pickup}`);
  if (dropOff) attributes.push(`dropOff:${dropOff}`);
  return attributes;
}

function isInterpolated({ tables }: Timetable, pattern: number, position: number, trip: number): boolean {
  const { bits } = tables.interpolated;
  if (bits.length === 0) return false;
  const row = getTimeRow(tables, pattern, trip) + position;
  return ((bits[row >> 3]! >> (row & 7)) & 1) === 1;
}
