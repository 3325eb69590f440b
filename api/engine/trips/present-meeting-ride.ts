import type { Leg } from '../../contract/definitions.ts';
import { shift } from '../read/event-times.ts';
import type { OnDemandUse } from '../read/open-times.ts';
import { describeStop } from './leg-stops.ts';
import { presentOnDemand, spanRide } from './present-on-demand.ts';
import { presentWalked } from './present-shared-ride.ts';
import { describeEnds, type Neighbours, type WalkContext } from './present-walk.ts';
import type { TimedWalk } from './timeline.ts';

/** The legs of an on-demand ride with walks to and from its stops. */
export async function presentMeetingRide(
  context: WalkContext,
  part: TimedWalk,
  use: OnDemandUse,
  beside: Neighbours,
): Promise<Leg[]> {
  const { timetable } = context;
  const { walkBefore, walkAfter } = use;
  const ends = describeEnds(context, part.walk, beside);
  const from = walkBefore ? describeStop(timetable, walkBefore.stop) : ends.from;
  const to = walkAfter ? describeStop(timetable, walkAfter.stop) : ends.to;
  const { dropOff } = spanRide(part.walk, use, part.begin, part.end);
  const legs = [await presentOnDemand(context, part, use, { from, to })];
  if (walkBefore) {
    const span = { from: ends.from, begin: part.begin, to: from, end: shift(part.begin, walkBefore.seconds) };
    legs.unshift(await presentWalked(context, span, walkBefore.meters));
  }
  if (walkAfter) {
    const span = { from: to, begin: dropOff, to: ends.to, end: shift(dropOff, walkAfter.seconds) };
    legs.push(await presentWalked(context, span, walkAfter.meters));
  }
  return legs;
}
