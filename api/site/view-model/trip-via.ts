import type { LegStop, Trip } from '../../contract/v2-trip.ts';
import type { Language } from '../texts/languages.ts';
import { tripsTexts } from '../texts/trips.ts';
import { clockOf } from './shown-time.ts';
import type { TripEnd } from './trips-state.ts';

/** The call at each requested stop, in travel order; null where the traveller passes it on foot, or not. */
function findViaCalls(legs: Trip['legs'], via: readonly TripEnd[]): readonly (LegStop | null)[] {
  let calls = legs.flatMap(({ origin, intermediateStops, destination }) => [origin, ...intermediateStops, destination]);
  return via.map(({ place }) => {
    const found = calls.findIndex(({ id, placeId }) => id === place || placeId === place);
    if (found < 0) return null;
    const call = calls[found]!;
    // Later stops may be passed at the same call.
    calls = calls.slice(found);
    return call;
  });
}

/** The requested stops that the first legs do not pass. */
export function listViaAhead(via: readonly TripEnd[], passed: Trip['legs']): readonly TripEnd[] {
  const ahead = findViaCalls(passed, via).indexOf(null);
  return ahead < 0 ? [] : via.slice(ahead);
}

/** The requested stops of a trip with their times, in words; empty if none is requested. */
export function describeVia({ legs }: Trip, via: readonly TripEnd[], language: Language): string {
  if (via.length === 0) return '';
  const calls = findViaCalls(legs, via);
  const stops = via.map(({ name }, i) => {
    const time = calls[i]?.arrival ?? calls[i]?.departure;
    const expected = time?.realtime ?? time?.scheduled;
    return expected ? `${name} ${clockOf(expected)}` : name;
  });
  return tripsTexts[language].trip.via(stops.join(', '));
}
