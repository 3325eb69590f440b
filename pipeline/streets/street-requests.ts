import type { StreetEngine } from './street-engine.ts';
import type { StreetVehicle } from './vehicle-router.ts';
import type { Point, WalkLanguage, WalkProfile } from './walk-router.ts';
import { usualSpeedKmh } from './walk-router.ts';

/** A route of the engine; only the members that are read. */
export interface RouteAnswer {
  readonly trip: {
    /** Kilometres and seconds. */
    readonly summary: { readonly length: number; readonly time: number };
    readonly legs: readonly [RouteLeg];
  };
}

interface RouteLeg {
  /** An encoded polyline. */
  readonly shape: string;
  readonly maneuvers: readonly RouteManeuver[];
}

export interface RouteManeuver {
  readonly type: number;
  readonly instruction: string;
  /** Of the street that the step follows: its name, and its number, or its name in another language. */
  readonly street_names?: readonly string[];
  /** Names at the start of the step, if different. */
  readonly begin_street_names?: readonly string[];
  readonly begin_shape_index: number;
  readonly end_shape_index: number;
}

/** Kilometres and seconds, a row for each source; the locations are the snapped ones on streets. */
export interface MatrixAnswer {
  readonly sources: readonly Point[];
  readonly targets: readonly Point[];
  readonly sources_to_targets: readonly (readonly {
    readonly distance: number | null;
    readonly time: number | null;
  }[])[];
}

type LocateAnswer = readonly { readonly edges: readonly unknown[] | null }[];

/** `noWay`: between places on streets. `offStreets`: at least one place is away from all streets. */
type Refusal = 'noWay' | 'offStreets';

/** The engine distinguishes the two only by message. */
const refusals: readonly (readonly [message: RegExp, refusal: Refusal])[] = [
  [/No path could be found|Path distance exceeds the max distance limit/, 'noWay'],
  [/No suitable edges near location|No data found for location/, 'offStreets'],
];

const languageTags: Readonly<Record<WalkLanguage, string>> = { de: 'de-DE', en: 'en-US' };

export async function requestRoute(
  engine: StreetEngine,
  locations: readonly [Point, Point],
  costing: Costing,
  language: WalkLanguage,
): Promise<RouteAnswer | Refusal> {
  const options = { units: 'kilometers', language: languageTags[language] };
  return sendRequest(engine, 'route', { locations: locations.map(toLocation), ...costing, ...options });
}

export async function requestMatrix(
  engine: StreetEngine,
  sources: readonly Point[],
  targets: readonly Point[],
  costing: Costing,
): Promise<MatrixAnswer | Refusal> {
  const places = { sources: sources.map(toLocation), targets: targets.map(toLocation) };
  return sendRequest(engine, 'matrix', { ...places, ...costing, units: 'kilometers' });
}

/** Finds the places that have a usable street nearby. */
export async function findOnStreets(
  engine: StreetEngine,
  places: readonly Point[],
  costing: Costing,
): Promise<boolean[]> {
  const query = { locations: places.map(toLocation), ...costing };
  const answer = await sendRequest<LocateAnswer>(engine, 'locate', query);
  if (typeof answer === 'string') return places.map(() => false);
  return answer.map(({ edges }) => edges !== null && edges.length > 0);
}

/** Ferries are excluded, also as a starting point. */
function toLocation({ lat, lon }: Point) {
  return { lat, lon, search_filter: { exclude_ferry: true } };
}

/** How the engine weighs streets, as members of a request. */
interface Costing {
  readonly costing: 'pedestrian' | 'bicycle' | 'auto';
  readonly costing_options: Readonly<Record<string, object>>;
}

export function walkCosting(profile: WalkProfile): Costing {
  const pedestrian = { type: profile, walking_speed: usualSpeedKmh[profile], exclude_ferries: true };
  return { costing: 'pedestrian', costing_options: { pedestrian } };
}

/** A trekking bicycle prefers quiet streets; a car drives at the speeds of the map. */
export function vehicleCosting(vehicle: StreetVehicle): Costing {
  if (vehicle.mode === 'car') return { costing: 'auto', costing_options: { auto: { exclude_ferries: true } } };
  const bicycle = { bicycle_type: 'Hybrid', cycling_speed: vehicle.speedKmh, exclude_ferries: true };
  return { costing: 'bicycle', costing_options: { bicycle } };
}

async function sendRequest<Answer>(
  engine: StreetEngine,
  action: 'route' | 'matrix' | 'locate',
  query: object,
): Promise<Answer | Refusal> {
  try {
    return JSON.parse(await engine.request(action, JSON.stringify(query))) as Answer;
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    const known = refusals.find(([pattern]) => pattern.test(message));
    if (known) return known[1];
    throw error;
  }
}
