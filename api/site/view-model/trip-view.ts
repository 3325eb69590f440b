import { parseTimestamp } from '../../../pipeline/model/service-time.ts';
import type { TransferOutlook } from '../../contract/trip-outlook.ts';
import type { Leg, Trip } from '../../contract/v2-trip.ts';
import { dateOf, expectedAt, minutesBetween } from './trip-times.ts';

/** A transfer between two vehicles. */
export interface TransferView {
  readonly risk: NonNullable<Leg['transferRisk']>;
  readonly outlook: TransferOutlook;
  /** Stop at which the next vehicle departs. */
  readonly stopName: string;
  /** Seconds between arrival and departure, and those that are recommended; null: not published. */
  readonly transferSeconds: number | null;
  readonly minTransferSeconds: number | null;
}

/** A leg of a trip with additional data for the page. */
export interface LegView {
  readonly leg: Leg;
  readonly minutes: number;
  /** Transfer that begins with this leg. */
  readonly transfer: TransferView | null;
}

/** The legs in travel order, each with the transfer that it begins. @param outlooks one for each leg with a risk */
export function viewLegs({ legs }: Trip, outlooks: readonly TransferOutlook[]): LegView[] {
  let next = 0;
  return legs.map((leg, i) => {
    const { transferRisk: risk } = leg;
    const outlook = risk === undefined ? undefined : outlooks[next++];
    const stopName = legs.slice(i).find(({ mode }) => mode === 'transit')?.origin.name ?? leg.destination.name;
    return {
      leg,
      minutes: countMinutes(leg),
      transfer: risk !== undefined && outlook ? { risk, outlook, stopName, ...readTransferTimes(leg) } : null,
    };
  });
}

function readTransferTimes({ attributes }: Leg): Pick<TransferView, 'transferSeconds' | 'minTransferSeconds'> {
  const read = (name: string) => {
    const found = attributes.find((attribute) => attribute.startsWith(`${name}:`));
    return found === undefined ? null : Number(found.slice(name.length + 1));
  };
  return { transferSeconds: read('transferSeconds'), minTransferSeconds: read('minTransferSeconds') };
}

export function listTransfers(views: readonly LegView[]): TransferView[] {
  return views.flatMap(({ transfer }) => transfer ?? []);
}

function countMinutes({ origin, destination }: Leg): number {
  const [begin, end] = [origin.departure, destination.arrival].map((time) => time?.realtime ?? time?.scheduled);
  return begin === undefined || end === undefined ? 0 : Math.max(0, minutesBetween(begin, end));
}

/** Duration from door to door, with realtime. */
export function countTripMinutes({ departure, arrival }: Trip): number {
  const [begin, end] = [departure, arrival].map((time) => (time.realtime ?? time.scheduled)!);
  return minutesBetween(begin!, end!);
}

/** Changes of vehicle. The planner does not count those to and from on-demand rides, which alone have no reference. */
export function countTransfers({ legs, transfers }: Trip): number {
  const rides = legs.filter(({ mode }) => mode === 'transit');
  const onDemand = rides.filter(({ journeyRef }) => journeyRef === undefined).length;
  return onDemand > 0 && onDemand === rides.length ? onDemand - 1 : transfers + onDemand;
}

/** Whether the trip cannot be made as planned: a trip or call is cancelled, or a transfer is missed. */
export function isBroken({ legs }: Trip): boolean {
  return legs.some((leg, i) => leg.transferRisk === 'missed' || isCancelledRide(leg, legs[i + 1]));
}

/** Who stays on board needs no stop where one vehicle continues as the next. */
function isCancelledRide(leg: Leg, next: Leg | undefined): boolean {
  const { cancellation, origin, destination } = leg;
  return (
    cancellation.fullyCancelled ||
    (origin.cancellation.fullyCancelled && !isStaying(leg)) ||
    (destination.cancellation.fullyCancelled && !(next && isStaying(next)))
  );
}

export function isStaying({ attributes }: Leg): boolean {
  return attributes.includes('staySeated:yes');
}

/** Attributes of a wheelchair trip for parts whose accessibility is not published. */
const UNKNOWN_ACCESS: readonly string[] = ['wheelchair:unknown', 'stopWheelchair:unknown'];

/** Whether the accessibility of a part of a wheelchair trip is unknown. */
export function hasUnknownAccess({ attributes }: Trip): boolean {
  return attributes.some((one) => UNKNOWN_ACCESS.includes(one));
}

/** Whether the vehicle continues as the next ride, in which the traveller stays on board. */
export function isContinued(views: readonly LegView[], i: number): boolean {
  const next = views[i + 1]?.leg;
  return next !== undefined && isStaying(next);
}

/** Seconds before its start from which a trip counts as under way. */
const MAX_AHEAD_SECONDS = 3600;

/** Whether the trip is under way at an instant, or about to begin. */
export function isUnderWay({ departure, arrival }: Trip, instant: string): boolean {
  const now = parseTimestamp(instant)!;
  const [begin, end] = [expectedAt(departure)!, expectedAt(arrival)!];
  return begin - MAX_AHEAD_SECONDS <= now && now < end;
}

/** Index of the leg that a rescue result refers to by its number among the rides; -1: none. */
export function findRideLeg({ legs }: Trip, atLeg: number | undefined): number {
  if (atLeg === undefined) return -1;
  const rides = legs.flatMap(({ mode }, i) => (mode === 'transit' ? i : []));
  return rides[atLeg] ?? -1;
}

/** Total of the tickets; null if none is known or the currencies differ. */
export function sumFares({ fares }: Trip): { readonly amountCents: number; readonly currency: string } | null {
  const [first] = fares;
  if (!first || fares.some(({ currency }) => currency !== first.currency)) return null;
  return { amountCents: fares.reduce((sum, fare) => sum + fare.amountCents, 0), currency: first.currency };
}

/** Shorter walks are not listed. */
const MIN_WALK_MINUTES = 2;

/** The rides, longer walks, and bicycle and car legs of a trip. */
export function listShownLegs(views: readonly LegView[]): readonly LegView[] {
  return views.filter(
    ({ leg: { mode }, minutes }) =>
      mode === 'transit' || mode === 'bike' || mode === 'car' || (mode === 'walk' && minutes >= MIN_WALK_MINUTES),
  );
}

/**
 * Whole percent of the probability that all transfers of a trip are made; null with fewer than two, where it says nothing
 * more than the transfer itself, and if one is unknown.
 */
export function findTripPercent(outlooks: readonly TransferOutlook[]): number | null {
  const probability = outlooks.length < 2 ? null : findTripProbability(outlooks);
  return probability === null ? null : Math.round(probability * 100);
}

/** Probability that all transfers are made, as if they were independent; null if it is unknown for one of them. */
export function findTripProbability(outlooks: readonly TransferOutlook[]): number | null {
  let made = 1;
  for (const { probability } of outlooks) {
    if (probability === undefined) return null;
    made *= probability;
  }
  return made;
}

/** Whether a trip is the first of its date in a list, which shows the date there. */
export function startsDay(trips: readonly Trip[], i: number): boolean {
  const [before, own] = [trips[i - 1], trips[i]!].map((trip) => trip && dateOf(trip.departure.scheduled!));
  return before !== own;
}
