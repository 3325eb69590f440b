import { type Product, products } from '../../../pipeline/model/product.ts';
import { type Instant, parseTimestamp } from '../../../pipeline/model/service-time.ts';
import { placeRun } from '../../engine/alerts/notices.ts';
import { findNotices } from '../../engine/read/alerts.ts';
import { getLabel, getTripDirection } from '../../engine/read/dated-trip.ts';
import type { EventTime } from '../../engine/read/event-times.ts';
import { getDirection } from '../../engine/read/present.ts';
import type { Published } from '../../engine/read/realtime.ts';
import { type JudgedLeg, judgeTrip } from '../../engine/rescue/judge-trip.ts';
import { type DatedRide, getAlighting, getBoarding, type Run } from '../../engine/trips/run.ts';
import type { TransferState } from '../watch.ts';
import { listSkipped, seeCancellation } from './see-cancellation.ts';
import type { NamedTrip, SeenDisruption, SeenLeg, SeenTime, SeenTrip } from './seen.ts';

/** A leg of a watch in the present snapshots. */
export interface FoundLeg {
  readonly journeyRef: string;
  readonly ride: DatedRide;
}

/** What realtime says of a trip at an instant. @param legs one at least, in travel order */
export function seeTrip(published: Published, legs: readonly FoundLeg[], instant: Instant): SeenTrip {
  const rides = legs.map(({ ride }) => ride);
  const judged = judgeTrip(published, rides, instant);
  return {
    state: judged.state,
    polledAt: (published.realtime && parseTimestamp(published.realtime.manifest.createdAt)) ?? (0 as Instant),
    legs: groupByVehicle(judged.legs).map((positions) => {
      const ends = [positions[0]!, positions.at(-1)!].map((i) => legs[i]!.journeyRef);
      return {
        leg: positions[0]!,
        ...seeVehicle(
          positions.map((i) => judged.legs[i]!),
          ends,
          instant,
        ),
      };
    }),
    disruptions: published.realtime && seeDisruptions(published, judged.legs, legs),
  };
}

/** The realtime state of one departure, for any destination: once the vehicle has left, the leg is over. */
export function seeDeparture(
  published: Published,
  found: FoundLeg,
  instant: Instant,
): { readonly leg: SeenLeg; readonly polledAt: Instant } {
  const { legs, polledAt } = seeTrip(published, [found], instant);
  const leg = legs[0]!;
  return { leg: { ...leg, arrival: leg.departure, isOver: leg.hasDeparted }, polledAt };
}

/** Positions of the legs of each vehicle that is boarded. */
function groupByVehicle(legs: readonly JudgedLeg[]): number[][] {
  const groups: number[][] = [];
  for (const [i, { ride }] of legs.entries()) {
    if (ride.isStaying) groups.at(-1)!.push(i);
    else groups.push([i]);
  }
  return groups;
}

const RAIL: ReadonlySet<Product> = new Set(['train', 'regionalTrain', 'sBahn', 'subway']);

const transferStates: Readonly<Record<NonNullable<JudgedLeg['risk']>, TransferState>> = {
  ok: 'safe',
  guaranteed: 'safe',
  tight: 'atRisk',
  missed: 'missed',
};

/** @param legs of one vehicle @param refs of the trips that are boarded and left */
function seeVehicle(legs: readonly JudgedLeg[], refs: readonly string[], instant: Instant): Omit<SeenLeg, 'leg'> {
  const [first, last] = [legs[0]!, legs.at(-1)!];
  const { run, begin } = first.ride;
  const { end } = last.ride;
  const runs = legs.map(({ ride }) => ride.run);
  const call = getBoarding(run);
  const cancellation = seeCancellation(runs, nameTrip);
  return {
    journeyRef: refs[0]!,
    lastJourneyRef: refs[1]!,
    trip: cancellation ? namePlannedTrip(run) : nameTrip(run),
    isRail: RAIL.has(products[run.view.product]!),
    from: call.stopName,
    to: getAlighting(runs.at(-1)!).stopName,
    departure: seeTime(begin),
    arrival: seeTime(end),
    hasDeparted: begin.expected <= instant,
    isOver: end.expected <= instant,
    cancellation,
    skipped: cancellation ? [] : listSkipped(runs),
    plannedPlatform: call.platform,
    platform: (call.announcedPlatform ?? call.platform) || null,
    change: first.risk && transferStates[first.risk],
    chance: first.risk === 'guaranteed' ? 1 : (first.change?.transfer?.chance ?? null),
  };
}

function seeTime({ scheduled, expected, prognosis }: EventTime): SeenTime {
  return { scheduled, expected, isLive: prognosis !== null };
}

function nameTrip({ view, ride }: Run): NamedTrip {
  return { label: getLabel(view), direction: getTripDirection(view, ride.boardPosition) };
}

/** By its planned direction: a trip that ends early announces another one. */
function namePlannedTrip(run: Run): NamedTrip {
  const { view, ride } = run;
  if (view.basedOn < 0) return nameTrip(run);
  const { timetable } = view.published;
  const position = view.trip < 0 ? 0 : ride.boardPosition;
  const pattern = timetable.tables.trips.pattern[view.basedOn]!;
  return { label: getLabel(view), direction: getDirection(timetable, pattern, position, view.basedOn) };
}

/** The notices of the legs as they are shown with a trip, each once. */
function seeDisruptions(
  published: Published,
  judged: readonly JudgedLeg[],
  legs: readonly FoundLeg[],
): readonly SeenDisruption[] {
  const seen = new Map<string, SeenDisruption>();
  for (const [i, { ride }] of judged.entries()) {
    const { run, begin, end } = ride;
    const stops = run.calls.map(({ stop }) => stop);
    const place = placeRun(run.view, stops);
    for (const { id, title } of findNotices(published.realtime!.alertIndex, place, begin.expected, end.expected)) {
      if (!seen.has(id)) seen.set(id, { id, title, journeyRef: legs[i]!.journeyRef });
    }
  }
  return [...seen.values()];
}
