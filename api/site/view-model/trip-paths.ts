import { toDataPath } from './data-path.ts';
import { listLegItems } from './leg-items.ts';
import { toTimestamp } from './local-time.ts';
import { type TripEnd, type TripsState, viaNames } from './trips-state.ts';

/** Path of the trip list of a state; null if an end is missing or the time is invalid. */
export function tripsPath({ from, to, via, when, wheelchair, mode, all, pageToken }: TripsState): string | null {
  if (from === null || to === null) return null;
  const parameters = endsQuery(from, to);
  for (const [i, { place }] of via.entries()) parameters.set(viaNames[i]!, place);
  if (when.kind === 'arrival') parameters.set('arriveBy', 'true');
  if (wheelchair) parameters.set('wheelchair', 'true');
  if (mode !== 'walk') parameters.set('mode', mode);
  if (all) parameters.set('all', 'true');
  if (pageToken !== null) {
    parameters.set('pageToken', pageToken);
  } else if (when.kind !== 'now') {
    const time = toTimestamp(when.localTime);
    if (time === null) return null;
    parameters.set('time', time);
  }
  return toDataPath('/site/data/trips', parameters);
}

/** Path of the current state of the chosen trip; null if none is chosen. */
export function followedTripPath({ from, to, mode, chosen }: TripsState): string | null {
  if (from === null || to === null || chosen.length === 0) return null;
  const parameters = endsQuery(from, to);
  parameters.set('legs', listLegItems(chosen));
  if (mode !== 'walk') parameters.set('mode', mode);
  return toDataPath('/site/data/trip', parameters);
}

/** Path of the rescue options for the chosen trip; null if none is chosen. */
export function rescuePath({ to, chosen }: TripsState): string | null {
  if (to === null || chosen.length === 0) return null;
  const parameters = new URLSearchParams({ legs: listLegItems(chosen), to: to.place });
  if (isNamedPoint(to)) parameters.set('toName', to.name);
  return toDataPath('/site/data/rescue', parameters);
}

function endsQuery(from: TripEnd, to: TripEnd): URLSearchParams {
  const parameters = new URLSearchParams({ from: from.place, to: to.place });
  if (isNamedPoint(from)) parameters.set('fromName', from.name);
  if (isNamedPoint(to)) parameters.set('toName', to.name);
  return parameters;
}

/** Whether the URL must contain the name of a place; the API returns the names of stops. */
function isNamedPoint({ place, name }: TripEnd): boolean {
  return /^-?[\d.]+,/.test(place) && name !== place;
}
