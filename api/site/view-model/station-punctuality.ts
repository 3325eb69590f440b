import type { StationPunctuality } from '../../contract/site-stations.ts';
import type { Language } from '../texts/languages.ts';
import { stationTexts } from '../texts/stations.ts';
import { MIN_OBSERVED, rateShare } from './plain-punctuality.ts';

/** How the map colours a station, in the order of its legend. */
export const stationClasses = ['good', 'warn', 'bad', 'few'] as const;

export type StationClass = (typeof stationClasses)[number];

/** With few calls the share says nothing, so it is not coloured. */
export function classifyStation(station: StationPunctuality): StationClass {
  // By the percentage as it is shown, so that it is in the range of its colour.
  return station.observed < MIN_OBSERVED ? 'few' : rateShare(percentOnTime(station) / 100);
}

const [MIN_RADIUS_PIXELS, MAX_RADIUS_PIXELS] = [3.5, 17];

/** The area of a circle grows with the number of observed calls. @param most number of the station with the most */
export function stationRadius({ observed }: StationPunctuality, most: number): number {
  return MIN_RADIUS_PIXELS + (MAX_RADIUS_PIXELS - MIN_RADIUS_PIXELS) * Math.sqrt(observed / Math.max(1, most));
}

/** Share on time as whole percent. */
export function percentOnTime({ observed, onTime }: StationPunctuality): number {
  return Math.round((onTime / observed) * 100);
}

/** Counts of a station in words, with their denominators. */
export function describeStation(station: StationPunctuality, language: Language): readonly [string, string] {
  const texts = stationTexts[language];
  const { expected, observed, onTime } = station;
  const isFew = classifyStation(station) === 'few';
  return [
    isFew ? texts.few(onTime, observed) : texts.share(percentOnTime(station), onTime, observed),
    texts.coverage(observed, expected),
  ];
}
