import type { Product } from '../../model/product.ts';
import { getAgencyName } from '../feed/agencies.ts';
import type { SampleLine, SampleLookups, SampleMode } from '../feed/lookups.ts';
import { listSampleDirections, type SampleDirection } from '../feed/sample-trips.ts';
import { buildSampleStops, type SampleBoardingPlace } from '../feed/stops-table.ts';
import { isLongDistance, type PunctualityProfile, profileOf } from './punctuality-profile.ts';
import type { SimulatedStop } from './simulated-state.ts';

/** A line in one direction, as operated. */
export interface SimulatedLine {
  readonly timetable: SampleDirection;
  readonly product: Product;
  readonly operatorName: string;
  readonly profile: PunctualityProfile;
  /** One per call, in travel order, like the two below. */
  readonly stops: readonly SimulatedStop[];
  readonly platforms: readonly (string | null)[];
  /** Alternative platforms of the line's trains in the same station; empty off the railway. */
  readonly otherPlatforms: readonly (readonly SampleBoardingPlace[])[];
}

/**
 * All lines that upstreams report. Lines with a headway and no timetable are left out, because they have no departure
 * times.
 */
export function buildNetwork(lookups: SampleLookups, seed: number): readonly SimulatedLine[] {
  const directions = listSampleDirections(lookups, buildSampleStops(lookups), seed).filter(
    ({ pattern }) => pattern.writtenAs !== 'headway',
  );
  const tracks = groupTracks(directions);
  return directions.map((timetable) => ({
    timetable,
    product: productOf(timetable.line),
    operatorName: getAgencyName(timetable.line.agency),
    profile: profileOf(timetable.line),
    stops: timetable.boardingPlaces.map(toSimulatedStop),
    platforms: timetable.boardingPlaces.map(({ platformCode }) => platformCode || null),
    otherPlatforms: timetable.boardingPlaces.map((own) =>
      isOnRailway(timetable.line) ? (tracks.get(own.parentId) ?? []).filter(({ stopId }) => stopId !== own.stopId) : [],
    ),
  }));
}

function isOnRailway({ mode }: SampleLine): boolean {
  return mode === 'rail' || mode === 's_bahn';
}

/** Platforms used by trains, by station. */
function groupTracks(directions: readonly SampleDirection[]): Map<string, SampleBoardingPlace[]> {
  const tracks = new Map<string, Map<string, SampleBoardingPlace>>();
  for (const { line, boardingPlaces } of directions) {
    if (!isOnRailway(line)) continue;
    for (const place of boardingPlaces) {
      const known = tracks.get(place.parentId) ?? new Map<string, SampleBoardingPlace>();
      tracks.set(place.parentId, known.set(place.stopId, place));
    }
  }
  return new Map([...tracks].map(([station, places]) => [station, [...places.values()]]));
}

function toSimulatedStop({ stopId, place, lat, lon, parentId }: SampleBoardingPlace): SimulatedStop {
  return { stopId, stationId: parentId || null, name: place.name, lat, lon, diva: place.diva || null };
}

const products: Readonly<Record<SampleMode, Product>> = {
  metro: 'subway',
  tram: 'tram',
  bus: 'cityBus',
  night_bus: 'nightBus',
  s_bahn: 'sBahn',
  rail: 'regionalTrain',
  funicular: 'cableway',
  cableway: 'cableway',
  ship: 'ship',
};

function productOf(line: SampleLine): Product {
  return isLongDistance(line) ? 'train' : products[line.mode];
}
