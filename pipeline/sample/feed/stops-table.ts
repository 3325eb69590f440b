import { METERS_PER_DEGREE, RADIANS_PER_DEGREE } from '../../model/geo.ts';
import type { SampleTable } from './csv.ts';
import type { SampleLine, SampleLookups, SampleMode, SamplePlace } from './lookups.ts';
import { variationBelow } from './variation.ts';

/** A boarding place: a platform of a station, or a stop without a station. */
export interface SampleBoardingPlace {
  readonly stopId: string;
  readonly place: SamplePlace;
  readonly lat: number;
  readonly lon: number;
  /** Empty for trams and buses, whose platforms have no numbers. */
  readonly platformCode: string;
  readonly parentId: string;
}

export interface SampleStops {
  readonly boardingPlaces: readonly SampleBoardingPlace[];
  /** Ids of the places that are stations, in the order of the lookup. */
  readonly stations: readonly SamplePlace[];
  /** Ids of the interchanges, where several lines on tracks meet and vehicles dwell longer. */
  readonly hubs: ReadonlySet<string>;
  /** @throws RangeError if the line does not call there */
  getBoardingPlace(line: SampleLine, direction: 0 | 1, place: SamplePlace): SampleBoardingPlace;
}

const STANDALONE_MODES: readonly SampleMode[] = ['funicular', 'cableway', 'ship'];
const TRACK_MODES: readonly SampleMode[] = ['metro', 's_bahn', 'rail'];
const RAIL_TRACK_PAIRS = 3;

/** Assigns platforms to every line: one per direction, shared as in reality. */
export function buildSampleStops({ places, lines }: SampleLookups): SampleStops {
  const linesByPlace = groupLines(lines);
  const isStation = (place: SamplePlace) =>
    (linesByPlace.get(place.id) ?? []).some((line) => !STANDALONE_MODES.includes(line.mode));
  const boardingPlaces = new Map<string, SampleBoardingPlace>();
  const platformsByPlace = new Map<string, number>();

  for (const line of lines) {
    for (const direction of [0, 1] as const) {
      for (const { place } of line.calls) {
        const key = boardingKey(line, direction, place);
        if (boardingPlaces.has(key)) continue;
        if (!isStation(place)) {
          boardingPlaces.set(key, {
            stopId: place.id,
            place,
            lat: place.lat,
            lon: place.lon,
            platformCode: '',
            parentId: '',
          });
          continue;
        }
        const number = (platformsByPlace.get(place.id) ?? 0) + 1;
        platformsByPlace.set(place.id, number);
        boardingPlaces.set(key, buildPlatform(line, place, number));
      }
    }
  }

  const uniqueBoardingPlaces = new Map([...boardingPlaces.values()].map((stop) => [stop.stopId, stop]));
  return {
    boardingPlaces: [...uniqueBoardingPlaces.values()],
    stations: places.filter(isStation),
    hubs: new Set(places.filter(({ id }) => isHub(linesByPlace.get(id) ?? [])).map(({ id }) => id)),
    getBoardingPlace(line, direction, place) {
      const found = boardingPlaces.get(boardingKey(line, direction, place));
      if (!found) throw new RangeError(`line ${line.id} does not call at ${place.id}`);
      return found;
    },
  };
}

function groupLines(lines: readonly SampleLine[]): Map<string, SampleLine[]> {
  const linesByPlace = new Map<string, SampleLine[]>();
  for (const line of lines) {
    for (const { place } of line.calls) linesByPlace.set(place.id, [...(linesByPlace.get(place.id) ?? []), line]);
  }
  return linesByPlace;
}

function isHub(lines: readonly SampleLine[]): boolean {
  return lines.filter((line) => TRACK_MODES.includes(line.mode)).length >= 2;
}

function boardingKey(line: SampleLine, direction: 0 | 1, place: SamplePlace): string {
  return `${place.id} ${platformGroup(line)} ${direction}`;
}

function platformGroup(line: SampleLine): string {
  switch (line.mode) {
    case 'metro':
      return line.label;
    case 'rail':
      // Long-distance and regional trains spread over the tracks of a station.
      return `rail ${variationBelow(RAIL_TRACK_PAIRS, 0, line.id)}`;
    case 'night_bus':
      return 'bus';
    default:
      return line.mode;
  }
}

function buildPlatform(line: SampleLine, place: SamplePlace, number: number): SampleBoardingPlace {
  // Spread around the station's centre by the golden angle, so that no two platforms coincide.
  const angle = number * 2.399963;
  const meters = 18 + 6 * (number % 5);
  return {
    stopId: `${place.id}:0:${number}`,
    place,
    lat: place.lat + (meters * Math.sin(angle)) / METERS_PER_DEGREE,
    lon: place.lon + (meters * Math.cos(angle)) / (METERS_PER_DEGREE * Math.cos(place.lat * RADIANS_PER_DEGREE)),
    platformCode: TRACK_MODES.includes(line.mode) ? String(number) : '',
    parentId: place.id,
  };
}

/** Columns of stops.txt, in order; other parts of the sample append rows of the same width. */
const stopColumns = [
  'stop_id',
  'stop_code',
  'stop_name',
  'stop_lat',
  'stop_lon',
  'location_type',
  'parent_station',
  'platform_code',
  'wheelchair_boarding',
  'level_id',
] as const;

/** Every eleventh platform is not wheelchair accessible; for every seventh it is unknown. */
function wheelchairBoarding(stopId: string): number {
  if (variationBelow(11, 0, stopId) === 0) return 2;
  return variationBelow(7, 1, stopId) === 0 ? 0 : 1;
}

/** Stations before their platforms. @param levels level id by stop id, where known */
export function buildStopsTable(stops: SampleStops, levels: ReadonlyMap<string, string>): SampleTable {
  const rows = stops.stations.map((place) => [
    place.id,
    place.diva,
    place.name,
    formatDegrees(place.lat),
    formatDegrees(place.lon),
    1,
    '',
    '',
    1,
    '',
  ]);
  for (const stop of stops.boardingPlaces) {
    rows.push([
      stop.stopId,
      stop.place.diva,
      stop.place.name,
      formatDegrees(stop.lat),
      formatDegrees(stop.lon),
      0,
      stop.parentId,
      stop.platformCode,
      wheelchairBoarding(stop.stopId),
      levels.get(stop.stopId) ?? '',
    ]);
  }
  return { header: stopColumns, rows };
}

/** Six decimal places: a tenth of a metre. */
export function formatDegrees(degrees: number): string {
  return degrees.toFixed(6);
}
