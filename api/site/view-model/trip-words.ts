import type { TripChoice } from '../../contract/trip-outlook.ts';
import type { Coord } from '../../contract/v2-basics.ts';
import type { Trip } from '../../contract/v2-trip.ts';
import type { Language } from '../texts/languages.ts';
import { tripsTexts } from '../texts/trips.ts';
import { findLegMode } from './leg-ways.ts';
import { countTransfers, type LegView } from './trip-view.ts';
import type { TripEnd } from './trips-state.ts';

export function describeDuration(minutes: number, language: Language): string {
  return tripsTexts[language].trip.hoursMinutes(Math.floor(minutes / 60), minutes % 60);
}

/** The number of trips on a page of the list; without trips, a hint. */
export function describeCount({ trips }: TripChoice, language: Language): string {
  const { list } = tripsTexts[language];
  return trips.length === 0 ? list.none : list.found(trips.length);
}

/** Duration and distance of a leg on streets; without a distance it is within a station. */
export function describeWay({ leg, minutes }: LegView, language: Language): string {
  const { distanceMeters = 0 } = leg;
  const texts = tripsTexts[language].trip;
  return distanceMeters > 0
    ? texts.ways[findLegMode(leg) ?? 'walk'].along(Math.max(1, minutes), distanceMeters)
    : texts.transfer;
}

/** Summary of a trip: the number of its transfers, or the mode of a trip without a ride. */
export function describeChanges(trip: Trip, language: Language): string {
  const { legs } = trip;
  const texts = tripsTexts[language].trip;
  if (legs.some(({ mode }) => mode === 'transit')) return texts.changes(countTransfers(trip));
  // A shared bicycle is reached on foot.
  const modes = legs.map(findLegMode);
  return texts.ways[modes.find((mode) => mode !== null && mode !== 'walk') ?? 'walk'].name;
}

/** Name of an end of the trip; for a coordinate without a name, "Location". */
export function describeEnd(end: TripEnd | null, language: Language): string {
  if (end === null) return '';
  return end.name === end.place && readCoordinate(end.place)
    ? tripsTexts[language].form.point(end.place.replace(',', ', '))
    : end.name;
}

/** No id of a stop or place looks like this, since each begins with that of its source. */
const COORDINATE = /^(-?\d+(?:\.\d+)?),(-?\d+(?:\.\d+)?)$/;

/** The point of a place that is `lat,lon`; null for an id. */
export function readCoordinate(place: string): Coord | null {
  const [, lat, lon] = COORDINATE.exec(place) ?? [];
  return lat === undefined ? null : { lat: Number(lat), lon: Number(lon) };
}
