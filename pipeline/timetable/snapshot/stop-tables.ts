import { TextColumn } from '../../model/column.ts';
import { type Product, products } from '../../model/product.ts';
import { toSearchTables } from '../../snapshots/search-tables.ts';
import type { TimetableTables } from '../../snapshots/timetable-contract.ts';
import type { MergedColumns } from './merged-columns.ts';
import { nameStops, type Town } from './name-stops.ts';
import { listSearchEntries, type SearchableStops } from './search-entries.ts';
import { buildSearchIndex } from './search-index.ts';

type StopTables = Pick<
  TimetableTables,
  | 'stops'
  | 'members'
  | 'stopsById'
  | 'stopCalls'
  | 'searchEntries'
  | 'searchNames'
  | 'searchKeys'
  | 'searchTermLetters'
  | 'searchTermStarts'
  | 'searchTermShared'
  | 'searchPostings'
  | 'searchParts'
>;

interface Served {
  readonly patterns: TimetableTables['patterns'];
  readonly patternCalls: TimetableTables['patternCalls'];
  readonly trips: TimetableTables['trips'];
  readonly routes: TimetableTables['routes'];
}

/** Stops with their calls, the index of their ids, and the search index. */
export function buildStopTables(
  feeds: Pick<MergedColumns, 'stops' | 'stopTranslations'>,
  served: Served,
  serviceDays: Int32Array,
  places: readonly Town[],
): StopTables {
  const { stops } = feeds;
  const calls = buildStopCalls(served, stops.name.length);
  const members = buildMembers(stops, calls.stopCallCount);
  const traffic = measureTraffic(served, serviceDays, stops);
  const names = nameStops(stops, places);
  return {
    stops: {
      source: stops.source,
      stopId: TextColumn.from(stops.stopId),
      name: TextColumn.from(names.name),
      publishedName: TextColumn.from(stops.name),
      lat: stops.lat,
      lon: stops.lon,
      station: stops.station,
      publishedStation: stops.publishedStation,
      locationType: stops.locationType,
      platformCode: TextColumn.from(stops.platformCode),
      wheelchairBoarding: stops.wheelchairBoarding,
      productClasses: traffic.productClasses,
      firstStopCall: calls.firstStopCall,
      stopCallCount: calls.stopCallCount,
      firstMember: members.firstMember,
      memberCount: members.memberCount,
    },
    members: { stop: members.stop },
    stopsById: { stop: sortById(stops.source, stops.stopId) },
    stopCalls: { pattern: calls.pattern, position: calls.position },
    ...buildSearch({
      stops,
      translations: feeds.stopTranslations,
      names,
      groupOf: stops.station,
      departures: traffic.departures,
      places,
    }),
  };
}

/** The patterns that call at each stop, by counting first and distributing second. */
function buildStopCalls({ patterns, patternCalls }: Served, stopCount: number) {
  const stopCallCount = new Int32Array(stopCount);
  for (const stop of patternCalls.stop) stopCallCount[stop]!++;
  const firstStopCall = runningStarts(stopCallCount);
  const next = firstStopCall.slice();
  const pattern = new Int32Array(patternCalls.stop.length);
  const position = new Uint16Array(patternCalls.stop.length);
  for (let p = 0; p < patterns.route.length; p++) {
    for (let k = 0; k < patterns.callCount[p]!; k++) {
      const at = next[patternCalls.stop[patterns.firstCall[p]! + k]!]!++;
      pattern[at] = p;
      position[at] = k;
    }
  }
  return { stopCallCount, firstStopCall, pattern, position };
}

/**
 * The stops with calls that each stop represents: itself, and for a station all of its platforms. A merged station
 * keeps its own platforms, to which the rules of its feed apply.
 */
function buildMembers({ station, publishedStation }: MergedColumns['stops'], stopCallCount: Int32Array) {
  const memberCount = new Int32Array(station.length);
  const eachMember = (add: (of: number, member: number) => void) => {
    for (let stop = 0; stop < station.length; stop++) {
      if (stopCallCount[stop] === 0) continue;
      for (const place of new Set([stop, publishedStation[stop]!, station[stop]!])) add(place, stop);
    }
  };
  eachMember((of) => {
    memberCount[of]!++;
  });
  const firstMember = runningStarts(memberCount);
  const next = firstMember.slice();
  const stop = new Int32Array(memberCount.reduce((sum, count) => sum + count, 0));
  eachMember((of, member) => {
    stop[next[of]!++] = member;
  });
  return { memberCount, firstMember, stop };
}

function runningStarts(counts: Int32Array): Int32Array {
  const starts = new Int32Array(counts.length);
  for (let i = 1; i < counts.length; i++) starts[i] = starts[i - 1]! + counts[i - 1]!;
  return starts;
}

/** Weight of a departure in the ranking of stops: a train attracts riders from further away than a bus. */
const productWeight: Record<Product, number> = {
  train: 12,
  regionalTrain: 5,
  sBahn: 3,
  subway: 2,
  tram: 1,
  cityBus: 1,
  regionalBus: 1,
  nightBus: 0.5,
  cableway: 1,
  ship: 1,
  other: 1,
};

/** Weighted calls over all service days, and the products, for stops and again for their stations. */
function measureTraffic(served: Served, serviceDays: Int32Array, stops: MergedColumns['stops']) {
  const departures = new Float64Array(stops.name.length);
  const productClasses = new Uint16Array(stops.name.length);
  for (let p = 0; p < served.patterns.route.length; p++) {
    const product = served.routes.product[served.patterns.route[p]!]!;
    const firstTrip = served.patterns.firstTrip[p]!;
    let runs = 0;
    for (let i = 0; i < served.patterns.tripCount[p]!; i++) runs += serviceDays[served.trips.service[firstTrip + i]!]!;
    const weight = runs * productWeight[products[product]!];
    for (let k = 0; k < served.patterns.callCount[p]!; k++) {
      const stop = served.patternCalls.stop[served.patterns.firstCall[p]! + k]!;
      for (const place of new Set([stop, stops.station[stop]!])) {
        departures[place]! += weight;
        productClasses[place]! |= 1 << product;
      }
    }
  }
  return { departures, productClasses };
}

function sortById(source: Uint16Array, stopId: readonly string[]): Int32Array {
  const order = Int32Array.from(stopId, (_, i) => i);
  return order.sort((a, b) => source[a]! - source[b]! || compareText(stopId[a]!, stopId[b]!));
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function buildSearch(searchable: SearchableStops) {
  const { stop, entries } = listSearchEntries(searchable);
  const { searchEntries, ...tables } = toSearchTables(buildSearchIndex(entries));
  return { searchEntries: { stop, ...searchEntries }, ...tables };
}

/**
 * Parses `data/lookups/places.csv`: name, lat, lon, radius_km, other_names (separated by bars); names contain no comma.
 * @throws RangeError naming the invalid line: the file is part of the project, so this is a bug
 */
export function parsePlaces(text: string): Town[] {
  const [header, ...lines] = text.split(/\r?\n/).filter((line) => line !== '');
  if (header !== 'name,lat,lon,radius_km,other_names') throw new RangeError(`places.csv begins with "${header}"`);
  return lines.map((line) => {
    const [name, lat, lon, radiusKm, otherNames, ...rest] = line.split(',');
    const numbers = [lat, lon, radiusKm];
    const isNumeric = numbers.every((n) => n !== undefined && n.trim() !== '' && Number.isFinite(Number(n)));
    if (!name || !isNumeric || otherNames === undefined || rest.length > 0) {
      throw new RangeError(`places.csv has a bad line: "${line}"`);
    }
    return {
      name,
      lat: Number(lat),
      lon: Number(lon),
      radiusMeters: Number(radiusKm) * 1000,
      otherNames: otherNames.split('|').filter((other) => other !== ''),
    };
  });
}
