import { distanceMeters, METERS_PER_DEGREE } from '../../model/geo.ts';
import { nameWords } from '../../model/stop-name.ts';
import type { MergedColumns } from './merged-columns.ts';
import type { StopNames, Town } from './name-stops.ts';
import type { FeedColumns } from './read-feeds.ts';
import type { OtherName, SearchEntry } from './search-index.ts';

export interface SearchableStops {
  readonly stops: MergedColumns['stops'];
  readonly translations: FeedColumns['stopTranslations'];
  /** Names shown to riders. */
  readonly names: StopNames;
  /** The row that represents each stop; stops with the same representative are one search result. */
  readonly groupOf: Int32Array;
  /** Weighted departures; for stations, those of their platforms. */
  readonly departures: Float64Array;
  readonly places: readonly Town[];
}

interface SearchEntries {
  /** The row that represents each entry. */
  readonly stop: Int32Array;
  readonly entries: readonly SearchEntry[];
}

/** GTFS location types that are searchable; others lead to their station. */
const STOP = 0;
const STATION = 1;

/**
 * One entry for each group of stops, with all names and codes of its stops. Groups without service are entries too: a
 * stop may be out of service for a while.
 */
export function listSearchEntries(input: SearchableStops): SearchEntries {
  const { stops, groupOf } = input;
  const members = new Map<number, number[]>();
  for (const [stop, group] of groupOf.entries()) {
    const rows = members.get(group);
    if (rows) rows.push(stop);
    else members.set(group, [stop]);
  }
  const translations: Translations = {
    translated: groupTranslations(input),
    translatedPlaces: input.places
      .filter(({ otherNames = [] }) => otherNames.length > 0)
      .map((place) => ({ place, words: nameWords(place.name).map(({ text }) => text) })),
  };
  const stop = Int32Array.from(members.keys())
    .filter((row) => stops.locationType[row] === STOP || stops.locationType[row] === STATION)
    .sort();
  return { stop, entries: Array.from(stop, (row) => makeEntry(input, row, members.get(row)!, translations)) };
}

function groupTranslations({ translations }: SearchableStops): ReadonlyMap<number, readonly string[]> {
  const byStop = new Map<number, string[]>();
  for (const [i, stop] of translations.stop.entries()) {
    const names = byStop.get(stop);
    if (names) names.push(translations.name[i]!);
    else byStop.set(stop, [translations.name[i]!]);
  }
  return byStop;
}

interface Translations {
  /** By stop. */
  readonly translated: ReadonlyMap<number, readonly string[]>;
  /** Places with names in other languages, with the words of the name itself. */
  readonly translatedPlaces: readonly { readonly place: Town; readonly words: readonly string[] }[];
}

function makeEntry(
  { stops, names, departures, places }: SearchableStops,
  row: number,
  members: readonly number[],
  { translated, translatedPlaces }: Translations,
): SearchEntry {
  const name = names.name[row]!;
  const town = names.town[row] ?? findPlace(places, stops.lat[row]!, stops.lon[row]!)?.name ?? null;
  const stations = members.filter((member) => stops.station[member] === member);
  return {
    name,
    place: town,
    placeNames: listPlaceNames(translatedPlaces, name, town),
    importance: Math.log2(1 + stations.reduce((sum, station) => sum + departures[station]!, 0)),
    otherNames: members.flatMap((member): OtherName[] => {
      // Each merged station is complete, with its own name.
      const isWhole = stops.publishedStation[member] === member;
      const own = [names.name[member]!, stops.name[member]!];
      return [
        ...own.map((text) => ({ kind: isWhole ? ('shown' as const) : ('part' as const), name: text })),
        ...(translated.get(member) ?? []).map((text) => ({
          kind: isWhole ? ('translated' as const) : ('part' as const),
          name: text,
        })),
        ...listCodes(stops.stopId[member]!, stops.stopCode[member]!).map((text) => ({
          kind: 'code' as const,
          name: text,
        })),
      ];
    }),
  };
}

/** Ids of public registers (IFOPT, EVA, DIVA) are long and contain digits; other ids mean nothing to riders. */
const REGISTER_ID = /^(?=.*\d.*\d).{5,}$/;
/** The Austrian railways' feed puts a letter before the IFOPT ids of stations: `Pat:49:1349`. */
const PREFIXED_IFOPT = /^P(?=[a-z]{2}:\d)/;

function listCodes(stopId: string, stopCode: string): string[] {
  const codes = stopCode === '' ? [] : [stopCode];
  return REGISTER_ID.test(stopId) ? [...codes, stopId.replace(PREFIXED_IFOPT, '')] : codes;
}

/** The names in other languages of the town, or of the towns that the name mentions ("Flughafen Wien"). */
function listPlaceNames(places: Translations['translatedPlaces'], name: string, town: string | null): string[] {
  const own = new Set(nameWords(name).map(({ text }) => text));
  return places
    .filter(({ place, words }) => place.name === town || words.every((word) => own.has(word)))
    .flatMap(({ place: { otherNames = [] } }) => otherNames);
}

function findPlace(places: readonly Town[], lat: number, lon: number): Town | null {
  let nearest: Town | null = null;
  let nearestMeters = Number.POSITIVE_INFINITY;
  for (const place of places) {
    // A degree of latitude is 111 km everywhere, which excludes most places without any trigonometry.
    if (Math.abs(place.lat - lat) * METERS_PER_DEGREE > place.radiusMeters) continue;
    const meters = distanceMeters(lat, lon, place.lat, place.lon);
    if (meters <= place.radiusMeters && meters < nearestMeters) {
      nearest = place;
      nearestMeters = meters;
    }
  }
  return nearest;
}
