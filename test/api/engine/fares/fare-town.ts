import { beforeAll, describe, expect, it } from 'vitest';
import type { FareLeg } from '../../../../api/engine/fares/fare-rides.ts';
import { findFares } from '../../../../api/engine/fares/find-fares.ts';
import type { Timetable } from '../../../../api/engine/read/timetable.ts';
import {
  type Instant,
  parseServiceTime,
  type ServiceDate,
  toInstant,
} from '../../../../pipeline/model/service-time.ts';
import { openWorld, type World } from '../../../support/worlds/board-world.ts';
import { mergeNothing } from '../../../support/worlds/ingest.ts';
import { feedFromText } from '../../../support/worlds/text-feed.ts';

/**
 * A network for fares: `bus` and `tram` of agency v, `rail` of agency w, all of which serve all stops. Zone 1 has a and
 * b, zone 2 c, zone 3 d; `e` has no zone. Platforms p and q belong to station s in zone 2.
 */
const town = feedFromText(`
  # agency.txt
  agency_id,agency_name,agency_timezone
  v,Verkehr,Europe/Vienna
  w,Weite,Europe/Vienna
  # stops.txt
  stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station,zone_id,stop_timezone
  a,Anger,48.0,16.0,,,1,
  b,Berg,48.0,16.1,,,1,
  c,Kirche,48.0,16.2,,,2,
  d,Dorf,48.0,16.3,,,3,
  e,Ende,48.0,16.4,,,,
  s,Bahnhof,48.0,16.5,1,,,
  p,Bahnhof P,48.0,16.5,,s,2,
  q,Bahnhof Q,48.0,16.5,,s,2,
  l,London,51.5,0,,,3,Europe/London
  # routes.txt
  route_id,agency_id,route_short_name,route_type
  bus,v,1,3
  tram,v,2,0
  rail,w,3,2
  # trips.txt
  trip_id,route_id,service_id
  by-bus,bus,daily
  by-tram,tram,daily
  by-rail,rail,daily
  # stop_times.txt
  trip_id,stop_id,stop_sequence,arrival_time,departure_time
  ${['bus', 'tram', 'rail'].flatMap((route) => ['a', 'b', 'c', 'd', 'e', 'p', 'q', 'l'].map((stop, i) => `by-${route},${stop},${i},08:0${i}:00,08:0${i}:00`)).join('\n')}
  # calendar.txt
  service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
  daily,1,1,1,1,1,1,1,20260302,20260329
  weekend,0,0,0,0,0,1,1,20260302,20260329
`);

/** The network with fares; a file given here replaces the default. */
export function withFares(fares: string): Map<string, string> {
  return new Map([...town, ...feedFromText(fares)]);
}

/** A Wednesday. */
const TOWN_DAY = '2026-03-04' as ServiceDate;

/** Source and day of rides that do not state them. */
interface RideDefaults {
  readonly source: string;
  readonly day?: ServiceDate;
}

/**
 * Fares of rides, e.g. `Single 2.50 EUR`.
 * @param rides `bus a b c 8:00-8:20`: the route, its stops, departure and arrival; `+` in front if the passenger stays
 * on board, `?` for an unknown stop or route, `de:` in front of a route of the source `de`
 */
export function describeFares(timetable: Timetable, rides: readonly string[], prices: RideDefaults): string[] {
  const legs = rides.map((ride) => readLeg(timetable, ride, prices));
  return findFares(timetable, legs).map(
    ({ name, amountCents, currency }) => `${name} ${(amountCents / 100).toFixed(2)} ${currency}`,
  );
}

function readLeg(
  { tables, sourceIds }: Timetable,
  ride: string,
  { source: prices, day = TOWN_DAY }: RideDefaults,
): FareLeg {
  const [, stay, sourceId, routeId, stops, from, to] = /^(\+?)(?:(\w+):)?(\S+) (.+) ([\d:]+)-([\d:]+)$/.exec(ride)!;
  const source = sourceIds.indexOf(sourceId ?? prices);
  return {
    trip: -1,
    route: findRow(tables.routes, 'routeId', source, routeId!),
    stops: stops!.split(' ').map((stop) => findRow(tables.stops, 'stopId', source, stop)),
    departure: readTime(day, from!),
    arrival: readTime(day, to!),
    isStaying: stay === '+',
  };
}

/** Total price of rides of a source in cents; times are seconds from any common start. */
export function priceInCents(
  { tables, sourceIds }: Timetable,
  sourceId: string,
  rides: readonly {
    readonly route: string;
    readonly stops: readonly string[];
    readonly departure: number;
    readonly arrival: number;
  }[],
): number {
  const source = sourceIds.indexOf(sourceId);
  const begin = readTime(TOWN_DAY, '8:00');
  const legs = rides.map(({ route, stops, departure, arrival }) => ({
    trip: -1,
    route: findRow(tables.routes, 'routeId', source, route),
    stops: stops.map((stop) => findRow(tables.stops, 'stopId', source, stop)),
    departure: (begin + departure) as Instant,
    arrival: (begin + arrival) as Instant,
    isStaying: false,
  }));
  return findFares({ tables }, legs).reduce((sum, { amountCents }) => sum + amountCents, 0);
}

type IdTable<Name extends string> = { readonly source: Uint16Array } & {
  readonly [name in Name]: { get(row: number): string };
};

function findRow<Name extends string>(table: IdTable<Name>, column: Name, source: number, id: string): number {
  if (id === '?') return -1;
  const row = table.source.findIndex((of, i) => of === source && table[column].get(i) === id);
  if (row < 0) throw new Error(`there is no ${id}`);
  return row;
}

function readTime(day: ServiceDate, time: string): Instant {
  return toInstant(day, parseServiceTime(/:\d+:/.test(time) ? time : `${time}:00`)!, 'Europe/Vienna');
}

// The files of Fares V2; the other required files are in `products` unless given here.

export interface ProductCase {
  readonly rule: string;
  /** The files of Fares V2; the other required files are in `products` unless given here. */
  readonly fares: string;
  readonly prices: readonly (readonly [rides: readonly string[], fares: readonly string[], day?: ServiceDate])[];
}

/** Products and where they are valid. */
const products = `
  # networks.txt
  network_id
  city
  far
  # route_networks.txt
  network_id,route_id
  city,bus
  city,tram
  far,rail
  # areas.txt
  area_id
  west
  middle
  east
  # stop_areas.txt
  area_id,stop_id
  west,a
  west,b
  middle,c
  middle,s
  east,d
  # fare_products.txt
  fare_product_id,fare_product_name,amount,currency
  single,Single,2.50,EUR
  long,Long,4,EUR
  far,Far,7,EUR
  less,Less,-1,EUR
  more,More,0.70,EUR
  both,Both,5.50,EUR
  free,Free,0,EUR
`;

/** Each network is its own leg group. */
export const byNetwork = `
  # fare_leg_rules.txt
  leg_group_id,network_id,fare_product_id
  city,city,single
  far,far,far
`;

/** All cases side by side, as sources `case-0` and so on. */
function openCases(cases: readonly ProductCase[]): Promise<World> {
  return openWorld(Object.fromEntries(cases.map(({ fares }, i) => [`case-${i}`, withFares(`${products}\n${fares}`)])), {
    settings: { merging: mergeNothing },
  });
}

/** The rides of a case, with the fares found. */
function answerCase({ timetable }: World, { prices }: ProductCase, source: string): ProductCase['prices'] {
  return prices.map(([rides, , day]) => {
    const fares = describeFares(timetable, rides, { source, day: day ?? TOWN_DAY });
    return day ? [rides, fares, day] : [rides, fares];
  });
}

/** One test per case, all in one timetable. */
export function describeCases(title: string, cases: readonly ProductCase[]): void {
  describe(title, () => {
    let world: World;

    beforeAll(async () => {
      world = await openCases(cases);
    });

    it.each(cases.map((one, i) => ({ ...one, source: `case-${i}` })))('$rule', ({ source, ...one }) => {
      expect(answerCase(world, one, source)).toEqual(one.prices);
    });
  });
}
