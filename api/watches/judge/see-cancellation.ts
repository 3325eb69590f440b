import { findSubstitute } from '../../engine/alerts/trip-notices.ts';
import { isSkipped, type JourneyCall } from '../../engine/read/calls.ts';
import { findServedEnds, getStopName, isCallSkipped } from '../../engine/read/dated-trip.ts';
import { hasFlag } from '../../engine/read/realtime.ts';
import { isAlightingCancelled, isBoardingCancelled, isCancelledRun, type Run } from '../../engine/trips/run.ts';
import type { NamedTrip, SeenCancellation } from './seen.ts';

/**
 * Why a traveller cannot ride a vehicle as planned.
 * @param runs of one vehicle, in travel order: passengers stay on board from one to the next
 * @param nameTrip returns the trip as which the vehicle would continue
 */
export function seeCancellation(runs: readonly Run[], nameTrip: (run: Run) => NamedTrip): SeenCancellation | null {
  const [first, ...continuations] = runs as [Run, ...Run[]];
  if (isCancelledRun(first)) return describeCancelled(first);
  if (isBoardingCancelled(first)) return describeBoarding(first);
  let before = first;
  for (const run of continuations) {
    if (isCancelledRun(run)) {
      return { kind: 'endsBetween', endsAt: before.calls.at(-1)!.stopName, continuation: nameTrip(run) };
    }
    before = run;
  }
  return isAlightingCancelled(before) ? describeAlighting(before) : null;
}

function describeCancelled({ view }: Run): SeenCancellation {
  const substitute = findSubstitute(view);
  const isReplaced = substitute !== null || hasFlag(view.flags, 'replaced');
  return isReplaced ? { kind: 'replaced', substitute } : { kind: 'trip' };
}

function describeBoarding(run: Run): SeenCancellation {
  const { view, ride, calls } = run;
  const { first, last } = findServedEnds(view);
  if (first > ride.boardPosition) return { kind: 'beginsLate', beginsAt: getStopName(view, first) };
  if (last < view.callCount - 1 && last <= ride.boardPosition) return endEarly(run, last);
  if (!isCallSkipped(view, ride.boardPosition)) return { kind: 'noBoarding' };
  return { kind: 'skipsOrigin', next: findServed(calls.slice(1))?.stopName ?? null };
}

function describeAlighting(run: Run): SeenCancellation {
  const { view, ride, calls } = run;
  const { last } = findServedEnds(view);
  if (last < ride.alightPosition) return endEarly(run, last);
  if (!isCallSkipped(view, ride.alightPosition)) return { kind: 'noAlighting' };
  return {
    kind: 'skipsDestination',
    last: findServed(calls.slice(1, -1).reverse())?.stopName ?? null,
    next: findNextName(run),
  };
}

/** @param last position of the last call that is served */
function endEarly({ view, ride, calls }: Run, last: number): SeenCancellation {
  const isReached = last > ride.boardPosition;
  const unserved = (isReached ? calls.at(-1)! : calls[0]!).stopName;
  return { kind: 'endsEarly', unserved, endsAt: getStopName(view, last) };
}

function findServed(calls: readonly JourneyCall[]): JourneyCall | undefined {
  return calls.find((call) => !isSkipped(call));
}

/** The next stop after the destination where the vehicle calls. */
function findNextName({ view, ride }: Run): string | null {
  for (let position = ride.alightPosition + 1; position < view.callCount; position++) {
    if (!isCallSkipped(view, position)) return getStopName(view, position);
  }
  return null;
}

/** Names of the stops that a vehicle passes between boarding and alighting, each once. */
export function listSkipped(runs: readonly Run[]): string[] {
  const between = runs.flatMap(({ calls }) => calls.slice(1, -1).filter(isSkipped));
  return [...new Set(between.map(({ stopName }) => stopName))];
}
