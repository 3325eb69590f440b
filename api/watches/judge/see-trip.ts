import { type Product, products } from '../../../pipeline/model/product.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import { placeRun } from '../../engine/news/notices.ts';
import { describeSubstitute } from '../../engine/news/trip-notices.ts';
import { getLabel, getStopName, getTripDirection, type TripView } from '../../engine/read/dated-trip.ts';
import type { EventTime } from '../../engine/read/event-times.ts';
import { findNotices } from '../../engine/read/news.ts';
import type { Published } from '../../engine/read/realtime.ts';
import { type JudgedLeg, judgeTrip } from '../../engine/rescue/judge-trip.ts';
import { type DatedRide, getBoarding } from '../../engine/trips/run.ts';
import type { ChangeState } from '../watch.ts';
import type { SeenDisruption, SeenLeg, SeenTime, SeenTrip } from './seen.ts';

/** A leg of a watch in the present snapshots. */
export interface FoundLeg {
  readonly journeyRef: string;
  readonly ride: DatedRide;
}

/** What realtime says of a trip at a moment. @param legs one at least, in travel order */
export function seeTrip(published: Published, legs: readonly FoundLeg[], moment: Instant): SeenTrip {
  const rides = legs.map(({ ride }) => ride);
  const judged = judgeTrip(published, rides, moment);
  return {
    state: judged.state,
    legs: judged.legs.map((leg, i) => seeLeg(leg, legs[i]!.journeyRef, moment)),
    disruptions: published.realtime && seeDisruptions(published, judged.legs, legs),
  };
}

const RAIL: ReadonlySet<Product> = new Set(['train', 'regionalTrain', 'sBahn', 'subway']);

const changeStates: Readonly<Record<NonNullable<JudgedLeg['risk']>, ChangeState>> = {
  ok: 'safe',
  guaranteed: 'safe',
  tight: 'atRisk',
  missed: 'missed',
};

function seeLeg({ ride, risk, isCancelled }: JudgedLeg, journeyRef: string, moment: Instant): SeenLeg {
  const { run, begin, end } = ride;
  const { view } = run;
  const { boardPosition, alightPosition } = run.ride;
  const call = getBoarding(run);
  return {
    journeyRef,
    name: nameTrip(view, boardPosition),
    isRail: RAIL.has(products[view.product]!),
    from: getStopName(view, boardPosition),
    to: getStopName(view, alightPosition),
    departure: seeTime(begin),
    arrival: seeTime(end),
    hasDeparted: begin.expected <= moment,
    isOver: end.expected <= moment,
    isCancelled,
    substitute: describeSubstitute(view),
    plannedPlatform: call.platform,
    platform: (call.announcedPlatform ?? call.platform) || null,
    change: risk && changeStates[risk],
  };
}

function seeTime({ scheduled, expected, prognosis }: EventTime): SeenTime {
  return { scheduled, expected, isLive: prognosis !== null };
}

function nameTrip(view: TripView, position: number): string {
  return [getLabel(view), 'nach', getTripDirection(view, position)].filter((part) => part !== '').join(' ');
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
    for (const { id, title } of findNotices(published.realtime!.news, place, begin.expected, end.expected)) {
      if (!seen.has(id)) seen.set(id, { id, title, journeyRef: legs[i]!.journeyRef });
    }
  }
  return [...seen.values()];
}
