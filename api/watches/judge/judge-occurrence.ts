import type { Instant, ServiceDate } from '../../../pipeline/model/service-time.ts';
import {
  DEFAULT_MIN_DELAY_MINUTES,
  type LegMemory,
  type LineSpec,
  type WatchMemory,
  type WatchStatus,
} from '../watch.ts';
import { judgeDisruptions } from './judge-disruptions.ts';
import { judgeLeg } from './judge-leg.ts';
import { earliest, type WatchVerdict } from './judge-watch.ts';
import type { SeenDisruption, SeenLeg } from './seen.ts';
import { textsOf } from './texts-by-language.ts';

/** The realtime state of the departures of a repeated watch on one date. */
interface SeenOccurrence {
  readonly date: ServiceDate;
  readonly polledAt: Instant;
  /** In order of time. */
  readonly departures: readonly { readonly name: string; readonly leg: SeenLeg }[];
  /** `null` without realtime, as disruptions are then unknown. */
  readonly disruptions: readonly SeenDisruption[] | null;
}

/** The verdict between two dates of a repeated watch: keeps the disruptions, so that they are not emitted every day. */
export function restUntilNext({ occurrence: _, ...before }: WatchMemory): WatchVerdict {
  return { memory: { ...before, status: 'unknown' }, events: [], recheckAt: null };
}

/** Judges each departure of one date separately, then the disruptions of the lines. */
export function judgeOccurrence(
  spec: Pick<LineSpec, 'language' | 'minDelayMinutes'>,
  before: WatchMemory,
  seen: SeenOccurrence,
  instant: Instant,
): WatchVerdict {
  // Without service there is nothing to report.
  if (seen.departures.length === 0) return restUntilNext(before);
  const { date, polledAt, departures } = seen;
  const texts = textsOf(spec);
  const known = before.occurrence?.date === date ? before.occurrence.departures : null;
  const minDelayMinutes = spec.minDelayMinutes ?? DEFAULT_MIN_DELAY_MINUTES;
  const context = { texts, minDelayMinutes, instant, polledAt };
  const judged = departures.map(({ name, leg }) => {
    return { name, leg, ...judgeLeg(known ? (known[name] ?? {}) : null, leg, context) };
  });
  const disrupted = seen.disruptions && judgeDisruptions(before.disruptions, seen.disruptions, instant, texts);
  const disruptions = disrupted?.disruptions ?? before.disruptions;
  const emitted = judged.filter(({ memory }) => Object.keys(memory).length > 0);
  const memories = Object.fromEntries(emitted.map(({ name, memory }): [string, LegMemory] => [name, memory]));
  return {
    memory: {
      ...before,
      status: findStatus(judged, disruptions),
      disruptions,
      occurrence: { date, departures: memories },
    },
    events: [...judged.flatMap(({ events }) => events), ...(disrupted?.events ?? [])],
    recheckAt: earliest([disrupted?.recheckAt ?? null, ...judged.map(({ recheckAt }) => recheckAt)]),
  };
}

interface JudgedDeparture {
  readonly leg: SeenLeg;
  readonly memory: LegMemory;
}

/** The status of the remaining departures. */
function findStatus(judged: readonly JudgedDeparture[], disruptions: WatchMemory['disruptions']): WatchStatus {
  const ahead = judged.filter(({ leg }) => !leg.isOver);
  const cancelled = ahead.filter(({ leg }) => leg.cancellation !== null);
  if (ahead.length > 0 && cancelled.length === ahead.length) return 'cancelled';
  if (ahead.some(({ memory }) => (memory.delay?.value ?? 0) !== 0)) return 'delayed';
  if (cancelled.length > 0 || Object.keys(disruptions).length > 0) return 'disrupted';
  return ahead.some(({ leg }) => leg.departure.isLive) ? 'onTrack' : 'unknown';
}
