import { toTimestamp } from '../times/local-time.ts';
import { listLegItems } from './leg-items.ts';
import type { TripEnd, TripsState } from './page-state.ts';

/** Address of the list of trips that a state shows; null while an end is missing or the time is none. */
export function requestTrips({ from, to, when, wheelchair, all, pageToken }: TripsState): string | null {
  if (from === null || to === null) return null;
  const parameters = nameEnds(from, to);
  if (when.kind === 'arrival') parameters.set('arriveBy', 'true');
  if (wheelchair) parameters.set('wheelchair', 'true');
  if (all) parameters.set('all', 'true');
  if (pageToken !== null) {
    parameters.set('pageToken', pageToken);
  } else if (when.kind !== 'now') {
    const time = toTimestamp(when.localTime);
    if (time === null) return null;
    parameters.set('time', time);
  }
  return toAddress('/site/data/trips', parameters);
}

/** Address of the chosen trip as it is now; null where none is chosen. */
export function fetchFollowed({ from, to, chosen }: TripsState): string | null {
  if (from === null || to === null || chosen.length === 0) return null;
  const parameters = nameEnds(from, to);
  parameters.set('legs', listLegItems(chosen));
  return toAddress('/site/data/trip', parameters);
}

/** Address of what to do when the chosen trip fails; null where none is chosen. */
export function fetchRescue({ to, chosen }: TripsState): string | null {
  if (to === null || chosen.length === 0) return null;
  const parameters = new URLSearchParams({ legs: listLegItems(chosen), to: to.place });
  if (isNamedPoint(to)) parameters.set('toName', to.name);
  return toAddress('/site/data/rescue', parameters);
}

function nameEnds(from: TripEnd, to: TripEnd): URLSearchParams {
  const parameters = new URLSearchParams({ from: from.place, to: to.place });
  if (isNamedPoint(from)) parameters.set('fromName', from.name);
  if (isNamedPoint(to)) parameters.set('toName', to.name);
  return parameters;
}

/** Whether a place needs its name in the address: stops are named by the API. */
function isNamedPoint({ place, name }: TripEnd): boolean {
  return /^-?[\d.]+,/.test(place) && name !== place;
}

/** To the service a plus is a plus. */
function toAddress(path: string, parameters: URLSearchParams): string {
  return `${path}?${parameters.toString().replaceAll('+', '%20')}`;
}
