import type { Notice } from '../../contract/definitions.ts';
import {
  findServedEnds,
  getLabel,
  getLine,
  getStopName,
  getTripDirection,
  isCallSkipped,
  openPlan,
  openTrip,
  type TripView,
} from '../read/dated-trip.ts';
import { presentTimestamp } from '../read/present.ts';
import { hasFlag } from '../read/realtime.ts';

/** As urgent as a publisher's alert of a cancellation. */
const PRIORITY = 10;
/** Stops named in a text; more are counted. */
const MAX_NAMED_STOPS = 4;

/**
 * Notices that follow from the state of a dated trip itself: it ends early, begins late, leaves out stops, or another
 * trip runs instead. Where it just does not run, `cancelled` says so.
 */
export function listTripNotices(view: TripView): Notice[] {
  const found = findSubstitute(view);
  if (found !== null) {
    const substitute = `${found.label} nach ${found.direction} um ${found.departure}`;
    const text = `Statt dieser Fahrt fährt ${substitute}.`;
    return [makeNotice(view, { kind: 'replacementService', title: `Ersatz: ${substitute}`, text, affectedStops: [] })];
  }
  const left = hasFlag(view.flags, 'partlyCancelled') ? listUnserved(view) : [];
  if (left.length === 0) return [];
  const [title, text] = [describeTitle(view, left), describeText(view, left)];
  return [makeNotice(view, { kind: 'cancellation', title, text, affectedStops: left })];
}

function makeNotice(view: TripView, about: Pick<Notice, 'kind' | 'title' | 'text' | 'affectedStops'>): Notice {
  const label = getLabel(view);
  const { operatorName } = getLine(view);
  return {
    id: `trip:${view.tripKey.toString(16)}.${view.day}`,
    priority: PRIORITY,
    affectedLines: label === '' ? [] : [label],
    lines: label === '' ? [] : [{ label, ...(operatorName === undefined ? {} : { operatorName }) }],
    ...about,
  };
}

/** The additional trip that runs instead of a cancelled one. */
export interface Substitute {
  readonly label: string;
  readonly direction: string;
  /** Planned local time at its first stop: `12:05`. */
  readonly departure: string;
}

/** @returns null where no other trip runs instead */
export function findSubstitute({ published, day, substitute }: TripView): Substitute | null {
  if (substitute < 0) return null;
  const other = openTrip(published, { trip: -1, addedTrip: substitute, day });
  const { departure, arrival } = openPlan(other)(0);
  const clock = presentTimestamp(departure || arrival).slice(11, 16);
  return { label: getLabel(other), direction: getTripDirection(other, 0), departure: clock };
}

/** Names of the stops that are not served, in travel order, each once. */
function listUnserved(view: TripView): string[] {
  const positions = Array.from({ length: view.callCount }, (_, position) => position);
  const names = positions.filter((position) => isCallSkipped(view, position)).map((k) => getStopName(view, k));
  return [...new Set(names)];
}

function describeTitle(view: TripView, left: readonly string[]): string {
  const { first, last } = findServedEnds(view);
  if (last < view.callCount - 1) return `Endet in ${getStopName(view, last)}`;
  if (first > 0) return `Beginnt in ${getStopName(view, first)}`;
  return left.length === 1 ? `Hält nicht in ${left[0]}` : `${left.length} Halte entfallen`;
}

function describeText(view: TripView, left: readonly string[]): string {
  const { first, last } = findServedEnds(view);
  const run = [
    ...(first > 0 ? [`erst ab ${getStopName(view, first)}`] : []),
    ...(last < view.callCount - 1 ? [`nur bis ${getStopName(view, last)}`] : []),
  ].join(' und ');
  const named = left.slice(0, MAX_NAMED_STOPS).join(', ');
  const more = left.length > MAX_NAMED_STOPS ? ` und ${left.length - MAX_NAMED_STOPS} weitere` : '';
  const halts = `${left.length === 1 ? 'Dieser Halt entfällt' : 'Diese Halte entfallen'}: ${named}${more}.`;
  return run === '' ? halts : `Diese Fahrt fährt ${run}. ${halts}`;
}
