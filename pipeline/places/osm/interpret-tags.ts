import type { Tags } from '../../osm/decode-block.ts';
import type { PlaceKind } from '../../snapshots/places-contract.ts';

/** An address as tagged. */
export interface TaggedAddress {
  /** Street, or the village of a house without one; null: neither is known. */
  readonly street: string | null;
  readonly number: string;
  readonly postcode: string;
  /** Empty where the map does not say it. */
  readonly town: string;
}

/** A named place as tagged. */
export interface TaggedPlace {
  readonly kind: PlaceKind;
  readonly name: string;
  /** In other languages, and other names in use. */
  readonly otherNames: readonly string[];
  /** 0..1. */
  readonly importance: number;
  readonly town: string;
}

/** What the tags of an object say; all null for an object that nobody searches. */
export interface TaggedObject {
  readonly address: TaggedAddress | null;
  readonly place: TaggedPlace | null;
  /** Name of a street. */
  readonly street: string | null;
}

/** By key and value, `*` for any: the first that an object has decides. */
const kindsByTag: readonly (readonly [key: string, values: string, kind: PlaceKind])[] = [
  ['railway', 'station halt tram_stop', 'station'],
  ['public_transport', 'station platform stop_position', 'station'],
  ['highway', 'bus_stop', 'station'],
  ['amenity', 'bus_station ferry_terminal', 'station'],
  ['aerialway', 'station', 'station'],
  ['place', 'city', 'city'],
  ['place', 'town', 'town'],
  ['place', 'village', 'village'],
  ['place', 'suburb quarter borough neighbourhood', 'suburb'],
  ['place', 'hamlet', 'hamlet'],
  ['place', 'isolated_dwelling farm locality island', 'locality'],
  ['place', 'square', 'street'],
  ['aeroway', 'aerodrome terminal', 'airport'],
  ['amenity', 'university college', 'university'],
  ['amenity', 'school kindergarten music_school language_school driving_school', 'school'],
  ['amenity', 'hospital clinic doctors dentist pharmacy veterinary nursing_home social_facility', 'health'],
  ['healthcare', '*', 'health'],
  ['amenity', 'townhall courthouse police embassy prison fire_station public_building', 'authority'],
  ['office', 'government diplomatic', 'authority'],
  [
    'amenity',
    'theatre cinema library arts_centre concert_hall community_centre events_venue nightclub conference_centre',
    'culture',
  ],
  ['tourism', 'museum gallery theme_park zoo aquarium', 'culture'],
  ['tourism', 'attraction viewpoint artwork', 'sight'],
  [
    'historic',
    'castle monument memorial ruins archaeological_site fort city_gate palace manor monastery church tower',
    'sight',
  ],
  ['tourism', 'hotel hostel guest_house motel alpine_hut wilderness_hut camp_site apartment chalet', 'lodging'],
  ['amenity', 'place_of_worship monastery', 'worship'],
  ['landuse', 'cemetery', 'worship'],
  ['amenity', 'grave_yard', 'worship'],
  ['leisure', 'park garden nature_reserve playground dog_park', 'park'],
  ['boundary', 'national_park', 'park'],
  [
    'leisure',
    'stadium sports_centre sports_hall swimming_pool water_park ice_rink golf_course pitch fitness_centre',
    'sport',
  ],
  ['natural', 'peak volcano saddle glacier cave_entrance', 'mountain'],
  ['natural', 'water beach spring', 'water'],
  ['waterway', 'waterfall', 'water'],
  ['shop', '*', 'shop'],
  ['amenity', 'marketplace', 'shop'],
  ['amenity', 'restaurant cafe bar pub fast_food biergarten ice_cream', 'food'],
  ['amenity', 'post_office bank parking bicycle_rental car_rental fuel toilets recycling animal_shelter', 'service'],
  ['office', '*', 'service'],
  ['building', 'school kindergarten', 'school'],
  ['building', 'university college', 'university'],
  ['building', 'hospital', 'health'],
  ['building', 'church chapel cathedral monastery', 'worship'],
  ['building', 'castle palace', 'sight'],
  ['building', 'hotel', 'lodging'],
];

const table: ReadonlyMap<string, readonly { readonly key: string; readonly kind: PlaceKind; readonly rank: number }[]> =
  makeTable();

function makeTable() {
  const byKey = new Map<string, { key: string; kind: PlaceKind; rank: number }[]>();
  for (const [rank, [tag, values, kind]] of kindsByTag.entries()) {
    for (const value of values.split(' ')) byKey.set(tag, [...(byKey.get(tag) ?? []), { key: value, kind, rank }]);
  }
  return byKey;
}

/** How much each kind is asked for; a settlement ranks by its size. */
const importances: Readonly<Record<PlaceKind, number>> = {
  city: 1,
  town: 0.8,
  village: 0.6,
  suburb: 0.5,
  airport: 0.7,
  sight: 0.45,
  culture: 0.45,
  university: 0.5,
  health: 0.4,
  authority: 0.4,
  hamlet: 0.35,
  street: 0.3,
  school: 0.35,
  station: 0.35,
  mountain: 0.3,
  park: 0.3,
  sport: 0.3,
  water: 0.25,
  worship: 0.3,
  shop: 0.25,
  lodging: 0.25,
  food: 0.2,
  locality: 0.2,
  service: 0.15,
};
/** An object that an encyclopedia describes. */
const KNOWN_BONUS = 0.2;

/** Of these kinds, those of private people are nobody's destination; a private castle is. */
const privateKinds: readonly PlaceKind[] = ['sport', 'park', 'water', 'service'];

/** Keys of other names; of languages, those of Austria, its minorities and its neighbours. */
const otherNameKeys: readonly string[] = [
  ...['alt_name', 'official_name', 'short_name', 'old_name', 'loc_name', 'int_name', 'operator:short'],
  ...['de', 'en', 'fr', 'it', 'sl', 'hr', 'hu', 'cs', 'sk', 'rm'].map((language) => `name:${language}`),
];
const MAX_OTHER_NAMES = 8;
/** Longer names are descriptions. */
const MAX_NAME_LETTERS = 120;

export function interpretTags(tags: Tags): TaggedObject {
  return { address: readAddress(tags), place: readPlace(tags), street: readStreet(tags) };
}

function readAddress(tags: Tags): TaggedAddress | null {
  const number = tags.get('addr:housenumber')?.trim();
  if (number === undefined) return null;
  const town = readTown(tags);
  const street = clean(tags.get('addr:street') ?? tags.get('addr:place') ?? tags.get('addr:hamlet'));
  return { street: street || town || null, number, postcode: clean(tags.get('addr:postcode')), town };
}

function readTown(tags: Tags): string {
  return clean(tags.get('addr:city') ?? tags.get('addr:town') ?? tags.get('addr:village'));
}

function readPlace(tags: Tags): TaggedPlace | null {
  const name = clean(tags.get('name'));
  const kind = name === '' || name.length > MAX_NAME_LETTERS ? null : findKind(tags);
  if (kind === null || (privateKinds.includes(kind) && tags.get('access') === 'private')) return null;
  const isKnown = tags.has('wikidata') || tags.has('wikipedia');
  return {
    kind,
    name,
    otherNames: listOtherNames(tags, name),
    importance: Math.min(1, importances[kind] + (isKnown ? KNOWN_BONUS : 0)),
    town: readTown(tags),
  };
}

function findKind(tags: Tags): PlaceKind | null {
  let best: { readonly kind: PlaceKind; readonly rank: number } | null = null;
  for (const [key, value] of tags) {
    for (const one of table.get(key) ?? []) {
      const isSame = one.key === value || (one.key === '*' && value !== 'no' && value !== 'vacant');
      if (isSame && (best === null || one.rank < best.rank)) best = one;
    }
  }
  return best?.kind ?? null;
}

function listOtherNames(tags: Tags, name: string): string[] {
  const names = otherNameKeys.flatMap((key) => tags.get(key)?.split(';') ?? []).map(clean);
  const good = names.filter((other) => other !== '' && other !== name && other.length <= MAX_NAME_LETTERS);
  return [...new Set(good)].slice(0, MAX_OTHER_NAMES);
}

/** Highways whose name is not that of a street. */
const NO_STREETS: ReadonlySet<string> = new Set(['bus_stop', 'platform', 'proposed', 'construction', 'motorway']);

function readStreet(tags: Tags): string | null {
  const highway = tags.get('highway');
  if (highway === undefined || NO_STREETS.has(highway)) return null;
  const name = clean(tags.get('name'));
  return name === '' || name.length > MAX_NAME_LETTERS ? null : name;
}

function clean(text: string | undefined): string {
  return text === undefined ? '' : text.replace(/\s+/g, ' ').trim();
}
