import type { StopList } from '../../api/contract/definitions.ts';
import { listLegRefs } from '../../api/contract/leg-refs.ts';
import type { TripChoice } from '../../api/contract/trip-outlook.ts';
import { changeQuery } from '../../api/site/browser/page/use-query.ts';
import { tripsPath } from '../../api/site/view-model/trip-paths.ts';
import { emptyState, type TripEnd, type TripsState, writeState } from '../../api/site/view-model/trips-state.ts';
import { AUSTRIA, addDays, type Instant, localDate } from '../../pipeline/model/service-time.ts';

/** Ends of a trip through the country of the sample, with transfers between trains and to a tram. */
export const ends = ['Flughafen Wien Bahnhof', 'Linz Hauptplatz'] as const;

/** Path of the page with trips of tomorrow morning; `chosen`: with details of the first trip that has a transfer. */
export async function findTripPath(url: string, shown: 'list' | 'chosen'): Promise<string> {
  const [from, to] = await Promise.all(ends.map((name) => findEnd(url, name)));
  const tomorrow = addDays(localDate(Math.floor(Date.now() / 1000) as Instant, AUSTRIA), 1);
  const state: TripsState = {
    ...emptyState,
    from: from!,
    to: to!,
    when: { kind: 'departure', localTime: `${tomorrow}T06:30` },
  };
  if (shown === 'list') return pathOf(state);
  const { trips } = await get<TripChoice>(url + tripsPath(state));
  const trip = trips.find(({ transfers }) => transfers > 0);
  if (!trip) throw new Error('no trip of the sample has a transfer');
  return pathOf({ ...state, chosen: listLegRefs(trip) });
}

/** Path of the page in a state. */
export function pathOf(state: TripsState): string {
  const { pathname, search } = new URL(changeQuery('http://site.test/trips', writeState(state)));
  return pathname + search;
}

async function findEnd(url: string, name: string): Promise<TripEnd> {
  const { stops } = await get<StopList>(`${url}/site/data/stops?limit=1&query=${encodeURIComponent(name)}`);
  const [stop] = stops;
  if (!stop) throw new Error(`the sample has no stop ${name}`);
  return { place: stop.id, name: stop.name };
}

async function get<Answer>(address: string): Promise<Answer> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address}: ${await response.text()}`);
  return (await response.json()) as Answer;
}
