import type { TripChoice } from '../../contract/trip-outlook.ts';
import type { Language } from '../texts/languages.ts';
import { tripsTexts } from '../texts/trips.ts';
import type { LegView } from './trip-view.ts';

export function describeDuration(minutes: number, language: Language): string {
  return tripsTexts[language].trip.hoursMinutes(Math.floor(minutes / 60), minutes % 60);
}

/** The number of trips on a page of the list; without trips, a hint. */
export function describeCount({ trips }: TripChoice, language: Language): string {
  const { list } = tripsTexts[language];
  return trips.length === 0 ? list.none : list.found(trips.length);
}

/** Duration and length of a walk; without a length it is within a station. */
export function describeWalk({ leg: { distanceMeters = 0 }, minutes }: LegView, language: Language): string {
  const texts = tripsTexts[language].trip;
  return distanceMeters > 0 ? texts.walk(Math.max(1, minutes), distanceMeters) : texts.transfer;
}
