import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { ChangeState, LegMemory, NewEvent } from '../watch.ts';
import { judgeDelay } from './judge-delay.ts';
import type { SeenLeg } from './seen.ts';
import { type LegContext, QUIET_SECONDS, type Telling, tell } from './telling.ts';

/** A change that was told to be at risk must have been so for this long before it is told to be safe again. */
export const CHANGE_QUIET_SECONDS = 600;
/** Unless it is all but certain in two polls, and its vehicle departs this soon: then there is no time to wait. */
const SURE_CHANCE = 0.95;
const SOON_SECONDS = 1800;

/** Result for one leg. */
export interface LegVerdict {
  readonly memory: LegMemory;
  readonly events: readonly NewEvent[];
  /** When something that is quiet now may be told; null: nothing waits. */
  readonly recheckAt: Instant | null;
}

/**
 * The events of one leg, from what was told of it and what is seen. A leg that is over is left alone.
 * @param before null where it was never judged
 */
export function judgeLeg(before: LegMemory | null, leg: SeenLeg, context: LegContext): LegVerdict {
  if (leg.isOver) return { memory: before ?? {}, events: [], recheckAt: null };
  const isNew = before === null;
  const telling: Telling = { ...context, leg, isNew, memory: before ?? {}, events: [], recheckAt: Infinity };
  judgeCancellation(telling);
  if (leg.cancellation === null) {
    judgeChange(telling);
    judgeDelay(telling);
    judgePlatform(telling);
    judgeSkipped(telling);
  }
  const { memory, events, recheckAt } = telling;
  return { memory, events, recheckAt: Number.isFinite(recheckAt) ? (recheckAt as Instant) : null };
}

/** Another kind of cancellation is told as well: a replacement that was found, a trip that does not run at all. */
function judgeCancellation(telling: Telling): void {
  const { leg, memory, texts } = telling;
  const { cancellation } = leg;
  const told = memory.cancelled?.value ?? false;
  if (cancellation === null) {
    if (told === false) return;
    tell(telling, 'cancelled', false, { kind: 'recovered', text: texts.notCancelled(leg) }, QUIET_SECONDS);
    return;
  }
  if (told === true || told === cancellation.kind) return;
  const event = { kind: 'cancelled', text: texts.cancelled(leg, cancellation) } as const;
  tell(telling, 'cancelled', cancellation.kind, event, told === false ? 0 : QUIET_SECONDS);
}

function judgeChange(telling: Telling): void {
  const { leg, memory, texts } = telling;
  const before: ChangeState = memory.change?.value ?? 'safe';
  const isSure = judgeSureness(telling, before);
  if (leg.change === null || leg.change === before) return;
  const events = {
    missed: { kind: 'transferMissed', text: texts.changeMissed(leg) },
    atRisk: { kind: 'transferAtRisk', text: texts.changeAtRisk(leg) },
    safe: { kind: 'recovered', text: texts.changeSafe(leg) },
  } as const;
  const quietSeconds = { missed: 0, atRisk: QUIET_SECONDS, safe: isSure ? 0 : CHANGE_QUIET_SECONDS };
  tell(telling, 'change', leg.change, events[leg.change], quietSeconds[leg.change]);
}

/** Whether a change that was told to be in danger is all but certain by two polls, soon before its departure. */
function judgeSureness(telling: Telling, before: ChangeState): boolean {
  const { leg, moment, polledAt } = telling;
  const { sureSince, ...memory } = telling.memory;
  const isLikely = leg.change === 'safe' && (leg.chance ?? 0) >= SURE_CHANCE;
  const isSoon = leg.departure.expected - moment <= SOON_SECONDS;
  if (before === 'safe' || !isLikely || !isSoon) {
    if (sureSince !== undefined) telling.memory = memory;
    return false;
  }
  if (sureSince !== undefined && sureSince < polledAt) {
    telling.memory = memory;
    return true;
  }
  telling.memory = { ...memory, sureSince: polledAt };
  // The next poll counts even where it says the same.
  telling.recheckAt = Math.min(telling.recheckAt, moment + 1);
  return false;
}

/** A platform that is announced where none was planned is no change of one. */
function judgePlatform(telling: Telling): void {
  const { leg, memory, moment, texts } = telling;
  if (leg.platform === null || leg.hasDeparted) return;
  const before = memory.platform?.value ?? leg.plannedPlatform;
  if (before === leg.platform) return;
  if (before === null) {
    telling.memory = { ...memory, platform: { value: leg.platform, at: moment } };
    return;
  }
  const event = { kind: 'platform', text: texts.platform(leg, leg.platform, before) } as const;
  tell(telling, 'platform', leg.platform, event, QUIET_SECONDS);
}

/** Stops on the way where the vehicle does not call: no harm to the traveller, but good to know. */
function judgeSkipped(telling: Telling): void {
  const { leg, memory, texts } = telling;
  const stops = leg.skipped.join(', ');
  if (stops === (memory.skipped?.value ?? '')) return;
  const event: NewEvent =
    stops === ''
      ? { kind: 'recovered', text: texts.notSkipped(leg) }
      : { kind: 'disruption', text: texts.skipped(leg, leg.skipped) };
  tell(telling, 'skipped', stops, event, QUIET_SECONDS);
}
