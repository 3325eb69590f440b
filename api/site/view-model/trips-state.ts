import type { LegRef } from '../../contract/v2-leg-ref.ts';
import { listLegItems, readLegItems } from './leg-items.ts';
import { isLocalTime } from './local-time.ts';
import { readTripMode, type TripMode } from './trip-modes.ts';

/** Origin or destination of a trip, or a stop on its way. */
export interface TripEnd {
  /** A Stop.id, or `lat,lon`. */
  readonly place: string;
  /** Chosen name; the place itself if the URL had no name. */
  readonly name: string;
}

/** Requested time of a trip; `localTime` is Austrian, `YYYY-MM-DDThh:mm`. */
export type When = { readonly kind: 'now' } | { readonly kind: 'departure' | 'arrival'; readonly localTime: string };

/** Parameters of the stops on the way: as many as the planner accepts. */
export const viaNames = ['via', 'via2'] as const;
/** Parameters of all places of a trip. */
export const endNames = ['from', ...viaNames, 'to'] as const;
export type EndName = (typeof endNames)[number];

/** State of the page, stored in the URL so that each state has a link. */
export interface TripsState {
  readonly from: TripEnd | null;
  readonly to: TripEnd | null;
  /** Stops on the way, in travel order. */
  readonly via: readonly TripEnd[];
  readonly when: When;
  readonly wheelchair: boolean;
  readonly mode: TripMode;
  /** Whether inferior trips are shown, too. */
  readonly all: boolean;
  /** Token of an earlier or later page of the list; null: the first page. */
  readonly pageToken: string | null;
  /** Rides of the trip that is shown in detail; empty: none. */
  readonly chosen: readonly LegRef[];
}

export const emptyState: TripsState = {
  from: null,
  to: null,
  via: [],
  when: { kind: 'now' },
  wheelchair: false,
  mode: 'walk',
  all: false,
  pageToken: null,
  chosen: [],
};

/** @param parameters of the URL; missing or invalid ones get their initial values */
export function readState(parameters: URLSearchParams): TripsState {
  return {
    from: readEnd(parameters, 'from'),
    to: readEnd(parameters, 'to'),
    via: viaNames.flatMap((name) => readEnd(parameters, name) ?? []),
    when: readWhen(parameters),
    wheelchair: parameters.get('wheelchair') === 'true',
    mode: readTripMode(parameters.get('mode')),
    all: parameters.get('all') === 'true',
    pageToken: parameters.get('page') || null,
    chosen: readLegItems(parameters.get('legs') ?? ''),
  };
}

/** Query parameters of a state. */
export function writeState({
  from,
  to,
  via,
  when,
  wheelchair,
  mode,
  all,
  pageToken,
  chosen,
}: TripsState): Readonly<Record<string, string | null>> {
  return {
    ...writeEnd('from', from),
    ...writeEnd('to', to),
    ...Object.assign({}, ...viaNames.map((name, i) => writeEnd(name, via[i] ?? null))),
    departure: when.kind === 'departure' ? when.localTime : null,
    arrival: when.kind === 'arrival' ? when.localTime : null,
    wheelchair: wheelchair ? 'true' : null,
    mode: mode === 'walk' ? null : mode,
    all: all ? 'true' : null,
    page: pageToken,
    legs: chosen.length > 0 ? listLegItems(chosen) : null,
  };
}

/** A place of the address; null if it has none. */
export function readEnd(parameters: URLSearchParams, end: EndName): TripEnd | null {
  const place = parameters.get(end);
  return place ? { place, name: parameters.get(`${end}Name`) || place } : null;
}

function writeEnd(end: EndName, value: TripEnd | null): Readonly<Record<string, string | null>> {
  const name = value === null || value.name === value.place ? null : value.name;
  return { [end]: value?.place ?? null, [`${end}Name`]: name };
}

function readWhen(parameters: URLSearchParams): When {
  for (const kind of ['departure', 'arrival'] as const) {
    const localTime = parameters.get(kind) ?? '';
    if (isLocalTime(localTime)) return { kind, localTime };
  }
  return { kind: 'now' };
}

/** Address of a state of the page. @param query of the current address, whose other parameters stay */
export function tripsAddress(state: TripsState, query: URLSearchParams): string {
  const changed = new URLSearchParams(query);
  for (const [name, value] of Object.entries(writeState(state))) {
    if (value === null) changed.delete(name);
    else changed.set(name, value);
  }
  return `/trips?${changed}`;
}
