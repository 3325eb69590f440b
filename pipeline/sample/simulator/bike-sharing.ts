import { METERS_PER_DEGREE, RADIANS_PER_DEGREE } from '../../model/geo.ts';
import { type Instant, zoneOffsetSeconds } from '../../model/service-time.ts';
import { findCityArea } from '../feed/fare-zones.ts';
import type { SampleLookups, SamplePlace } from '../feed/lookups.ts';
import { variation, variationBelow } from '../feed/variation.ts';
import { SAMPLE_ZONE } from './service-day.ts';

/** A station of the made-up sharing system. */
export interface BikeStation {
  readonly id: string;
  readonly name: string;
  readonly lat: number;
  readonly lon: number;
  /** Number of docks. */
  readonly capacity: number;
  /** Web page of the station, for renting. */
  readonly url: string;
}

/** Stock of a station at an instant. Bicycles and free docks add up to the capacity. */
interface BikeStock {
  readonly bikes: number;
  readonly docks: number;
  /** Whether the station is out of order: nothing can be rented or returned there. */
  readonly isClosed: boolean;
}

/** One stop of this many in a city has no sharing station; main stations always have one. */
const STOPS_PER_GAP = 3;

/** Stations beside stops of the cities. @param hubs ids of the places that always have one */
export function listBikeStations({ places }: SampleLookups, hubs: ReadonlySet<string>): BikeStation[] {
  return places
    .filter(({ id }) => findCityArea(id) !== null)
    .filter(({ id }) => hubs.has(id) || variationBelow(STOPS_PER_GAP, 0, `sharing ${id}`) > 0)
    .map(toStation);
}

/** Places the station 50 to 100 m from the stop, in a direction derived from the id of the stop. */
function toStation({ id, name, lat, lon }: SamplePlace): BikeStation {
  const angle = 2 * Math.PI * variation(0, `sharing side ${id}`);
  const meters = 50 + variationBelow(50, 0, `sharing distance ${id}`);
  return {
    id: `rad-${id.replaceAll(':', '-')}`,
    name,
    lat: lat + (meters * Math.sin(angle)) / METERS_PER_DEGREE,
    lon: lon + (meters * Math.cos(angle)) / (METERS_PER_DEGREE * Math.cos(lat * RADIANS_PER_DEGREE)),
    capacity: 12 + 3 * variationBelow(7, 0, `sharing capacity ${id}`),
    url: `https://example.org/taktgeber-sample/rad/${encodeURIComponent(id)}`,
  };
}

/** Interval at which bicycles are taken and returned. */
const STEP_SECONDS = 300;
const DAY_SECONDS = 86_400;

/**
 * The stock of a station: full in the morning and empty at noon where people live, the reverse where they work, with
 * random rides. Some stations are empty or full at any time of the day, and one of sixty is out of order.
 */
export function simulateBikeStock({ id, capacity }: BikeStation, instant: Instant): BikeStock {
  const local = instant + zoneOffsetSeconds(SAMPLE_ZONE, instant);
  const day = Math.floor(local / DAY_SECONDS);
  const share = (local - day * DAY_SECONDS) / DAY_SECONDS;
  const isCentral = variation(0, `sharing use ${id}`) < 0.5;
  // At 13:00 the most bicycles are away from home.
  const tide = Math.cos(2 * Math.PI * (share - 13 / 24)) * (isCentral ? 0.4 : -0.4);
  const base = 0.2 + 0.6 * variation(0, `sharing base ${id} ${day}`);
  const rides = 0.3 * (variation(0, `sharing rides ${id} ${Math.floor(local / STEP_SECONDS)}`) - 0.5);
  const bikes = Math.min(capacity, Math.max(0, Math.round(capacity * (base + tide + rides))));
  return { bikes, docks: capacity - bikes, isClosed: variationBelow(60, 0, `sharing closed ${id} ${day}`) === 0 };
}
