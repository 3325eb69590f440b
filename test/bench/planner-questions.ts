import type { TripRequest } from '../../api/contract/definitions.ts';
import { presentTimestamp } from '../../api/engine/read/present.ts';
import { getStopId } from '../../api/engine/read/stop-ids.ts';
import type { Timetable } from '../../api/engine/read/timetable.ts';
import { distanceMeters } from '../../pipeline/model/geo.ts';
import { type Instant, type ServiceDate, serviceDayStart } from '../../pipeline/model/service-time.ts';
import { makeRandom, pickFrom } from './made-up-stops.ts';

/** A Wednesday within the feed of Bydgoszcz. */
export const CITY_DAY = '2020-05-20' as ServiceDate;
export const CITY_DAY_START = serviceDayStart(CITY_DAY, 'Europe/Warsaw');
/** 07:30 there. */
export const CITY_NOW = (CITY_DAY_START + 27_000) as Instant;

/** Straight-line distances of trips, with their share of all questions. */
const distances = [
  { kind: 'near', share: 0.5, kilometres: [3, 30] },
  { kind: 'far', share: 0.3, kilometres: [30, 120] },
  { kind: 'anywhere', share: 0.2, kilometres: [0, Number.POSITIVE_INFINITY] },
] as const;

type Distance = (typeof distances)[number]['kind'];

export interface TripQuestion {
  readonly from: string;
  readonly to: string;
  readonly time: Instant;
  readonly distance: Distance;
}

/** From six to eight in the evening. */
const FIRST_SECOND = 6 * 3600;
const SECONDS = 14 * 3600;

/** @param dayStart midnight of the requested day */
export function listCityQuestions(
  timetable: Timetable,
  dayStart: number,
  count: number,
  seed = CITY_SEED,
): TripQuestion[] {
  const random = makeRandom(seed);
  const stations = listStations(timetable);
  return Array.from({ length: count }, () => {
    const from = pickFrom(stations, random);
    let to = from;
    while (to === from) to = pickFrom(stations, random);
    return makeQuestion(timetable, from, to, 'anywhere', pickTime(dayStart, random));
  });
}

/** Trips between any two stations, all at one time of the day: by day and at night they cost differently. */
export function listQuestionsAt(timetable: Timetable, time: Instant, count: number, seed = CITY_SEED): TripQuestion[] {
  return listCityQuestions(timetable, 0, count, seed).map((question) => ({ ...question, time }));
}

/** Questions like those of riders: most trips are short, few cross the whole country. */
export function listNationalQuestions(timetable: Timetable, dayStart: number, count: number): TripQuestion[] {
  const random = makeRandom(NATIONAL_SEED);
  const stations = listStations(timetable);
  const questions: TripQuestion[] = [];
  while (questions.length < count) {
    const { kind, kilometres } = pickDistance(questions.length);
    const from = pickFrom(stations, random);
    const [least, most] = kilometres;
    const within = stations.filter((to) => {
      const far = kilometresBetween(timetable, from, to);
      return to !== from && far >= least && far <= most;
    });
    if (within.length === 0) continue;
    questions.push(makeQuestion(timetable, from, pickFrom(within, random), kind, pickTime(dayStart, random)));
  }
  return questions;
}

const CITY_SEED = 11;
const NATIONAL_SEED = 12;

/** Every ten consecutive questions contain each distance by its share. */
function pickDistance(number: number): (typeof distances)[number] {
  const share = ((number % 10) + 0.5) / 10;
  let passed = 0;
  for (const distance of distances) {
    passed += distance.share;
    if (share < passed) return distance;
  }
  return distances[2];
}

function pickTime(dayStart: number, random: () => number): Instant {
  return (dayStart + FIRST_SECOND + Math.floor(random() * SECONDS)) as Instant;
}

/** Rows of stations with calls; a stop without a station counts as one. */
function listStations({ tables }: Timetable): number[] {
  const { station, stopCallCount } = tables.stops;
  const stations = new Set<number>();
  for (let stop = 0; stop < station.length; stop++) {
    if (stopCallCount[stop]! > 0) stations.add(station[stop]!);
  }
  return [...stations];
}

function kilometresBetween({ tables }: Timetable, a: number, b: number): number {
  const { lat, lon } = tables.stops;
  return distanceMeters(lat[a]!, lon[a]!, lat[b]!, lon[b]!) / 1000;
}

function makeQuestion(timetable: Timetable, from: number, to: number, distance: Distance, time: Instant): TripQuestion {
  return { from: getStopId(timetable, from), to: getStopId(timetable, to), time, distance };
}

/** A request for a page of trips with default options. */
export function toTripRequest({ from, to, time }: TripQuestion, limit = 4): TripRequest {
  return {
    from: { stopId: from },
    to: { stopId: to },
    time: presentTimestamp(time),
    timeMode: 'departure',
    limit,
    walkSpeedKmh: 4.7,
    maxWalkMeters: 1500,
    wheelchair: false,
  };
}
