import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { LegMemory, NewEvent, TransferState } from '../watch.ts';
import { type Emitting, emit, type LegContext, QUIET_SECONDS } from './emit-event.ts';
import { judgeDelay } from './judge-delay.ts';
import type { SeenLeg } from './seen.ts';

/** A transfer that was reported at risk is reported safe again after this long at the earliest. */
const CHANGE_QUIET_SECONDS = 600;
/** It is reported sooner where two polls show this probability and its vehicle departs within this time. */
const SURE_CHANCE = 0.95;
const SOON_SECONDS = 1800;

/** Result for one leg. */
export interface LegVerdict {
  readonly memory: LegMemory;
  readonly events: readonly NewEvent[];
  /** When an event that is held back may be reported; null: none is held back. */
  readonly recheckAt: Instant | null;
}

/**
 * The events of one leg, from the events reported so far and what realtime says now. A finished leg has no more events.
 * @param before null where it was never judged
 */
export function judgeLeg(before: LegMemory | null, leg: SeenLeg, context: LegContext): LegVerdict {
  if (leg.isOver) return { memory: before ?? {}, events: [], recheckAt: null };
  const isNew = before === null;
  const emitting: Emitting = { ...context, leg, isNew, memory: before ?? {}, events: [], recheckAt: Infinity };
  judgeCancellation(emitting);
  if (leg.cancellation === null) {
    judgeTransfer(emitting);
    judgeDelay(emitting);
    judgePlatform(emitting);
    judgeSkipped(emitting);
  }
  const { memory, events, recheckAt } = emitting;
  return { memory, events, recheckAt: Number.isFinite(recheckAt) ? (recheckAt as Instant) : null };
}

/** A cancellation of another kind is another event: a replacement was found, or the trip does not run at all. */
function judgeCancellation(emitting: Emitting): void {
  const { leg, memory, texts } = emitting;
  const { cancellation } = leg;
  const emitted = memory.cancelled?.value ?? false;
  if (cancellation === null) {
    if (emitted === false) return;
    emit(emitting, 'cancelled', false, { kind: 'recovered', text: texts.notCancelled(leg) }, QUIET_SECONDS);
    return;
  }
  if (emitted === true || emitted === cancellation.kind) return;
  const event = { kind: 'cancelled', text: texts.cancelled(leg, cancellation) } as const;
  emit(emitting, 'cancelled', cancellation.kind, event, emitted === false ? 0 : QUIET_SECONDS);
}

function judgeTransfer(emitting: Emitting): void {
  const { leg, memory, texts } = emitting;
  const before: TransferState = memory.change?.value ?? 'safe';
  const isSure = judgeSureness(emitting, before);
  if (leg.change === null || leg.change === before) return;
  const events = {
    missed: { kind: 'transferMissed', text: texts.transferMissed(leg) },
    atRisk: { kind: 'transferAtRisk', text: texts.transferAtRisk(leg) },
    safe: { kind: 'recovered', text: texts.transferSafe(leg) },
  } as const;
  const quietSeconds = { missed: 0, atRisk: QUIET_SECONDS, safe: isSure ? 0 : CHANGE_QUIET_SECONDS };
  emit(emitting, 'change', leg.change, events[leg.change], quietSeconds[leg.change]);
}

/** Whether a transfer that was reported at risk or missed is nearly certain in two polls, soon before its departure. */
function judgeSureness(emitting: Emitting, before: TransferState): boolean {
  const { leg, instant, polledAt } = emitting;
  const { sureSince, ...memory } = emitting.memory;
  const isLikely = leg.change === 'safe' && (leg.chance ?? 0) >= SURE_CHANCE;
  const isSoon = leg.departure.expected - instant <= SOON_SECONDS;
  if (before === 'safe' || !isLikely || !isSoon) {
    if (sureSince !== undefined) emitting.memory = memory;
    return false;
  }
  if (sureSince !== undefined && sureSince < polledAt) {
    emitting.memory = memory;
    return true;
  }
  emitting.memory = { ...memory, sureSince: polledAt };
  // The next poll counts even where it says the same.
  emitting.recheckAt = Math.min(emitting.recheckAt, instant + 1);
  return false;
}

/** A platform that is announced where none was planned is not a platform change. */
function judgePlatform(emitting: Emitting): void {
  const { leg, memory, instant, texts } = emitting;
  if (leg.platform === null || leg.hasDeparted) return;
  const before = memory.platform?.value ?? leg.plannedPlatform;
  if (before === leg.platform) return;
  if (before === null) {
    emitting.memory = { ...memory, platform: { value: leg.platform, at: instant } };
    return;
  }
  const event = { kind: 'platform', text: texts.platform(leg, leg.platform, before) } as const;
  emit(emitting, 'platform', leg.platform, event, QUIET_SECONDS);
}

/** Skipped stops on the way: harmless, but useful to know. */
function judgeSkipped(emitting: Emitting): void {
  const { leg, memory, texts } = emitting;
  const stops = leg.skipped.join(', ');
  if (stops === (memory.skipped?.value ?? '')) return;
  const event: NewEvent =
    stops === ''
      ? { kind: 'recovered', text: texts.notSkipped(leg) }
      : { kind: 'disruption', text: texts.skipped(leg, leg.skipped) };
  emit(emitting, 'skipped', stops, event, QUIET_SECONDS);
}
