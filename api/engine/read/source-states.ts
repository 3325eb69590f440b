import { isTextAhead } from '../../../pipeline/model/clock-tolerance.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { RealtimeArea, RealtimeSourceState } from '../../../pipeline/realtime/snapshot/realtime-contract.ts';

type SourceStatus = 'fresh' | 'stale' | 'standby' | 'never';

/** How a source is doing at a moment: a poller that has died shows by the age of what it left. */
interface SourceAge {
  readonly status: SourceStatus;
  /** Seconds since it last said something that could be used; null: never. */
  readonly ageSeconds: number | null;
}

/** @param area measured on what the source says of it; left out: on anything that it says */
export function rateSource(source: RealtimeSourceState, moment: Instant, area?: RealtimeArea): SourceAge {
  const { isStandby, maxAgeSeconds, lastSuccessByArea } = source;
  const ofArea = area === undefined ? undefined : lastSuccessByArea[area];
  const lastSuccessAt = ofArea === undefined ? source.lastSuccessAt : ofArea;
  const ageSeconds = findAgeSeconds(lastSuccessAt, moment);
  if (isStandby) return { status: 'standby', ageSeconds };
  if (ageSeconds === null) return { status: 'never', ageSeconds };
  return { status: ageSeconds > maxAgeSeconds ? 'stale' : 'fresh', ageSeconds };
}

/** @returns null for what never was, or was dated by a clock that was ahead */
export function findAgeSeconds(isoTime: string | null, moment: Instant): number | null {
  if (isoTime === null || isTextAhead(isoTime, moment * 1000)) return null;
  return Math.max(0, moment - Math.floor(Date.parse(isoTime) / 1000));
}

/** A realtime source that the configuration names, before anything of it is published. */
export interface AwaitedSource {
  readonly id: string;
  readonly provides: readonly RealtimeArea[];
  readonly isStandby: boolean;
}

/** The realtime sources as this process knows them. */
interface KnownSources {
  /** By the newest publication of the poller, whatever timetable it belongs to. */
  readonly published: readonly RealtimeSourceState[];
  readonly awaited: readonly AwaitedSource[];
  /** When this process started. */
  readonly startedAt: Instant;
}

/** How an area of the service is doing that depends on some sources. */
type AreaStatus = 'operational' | 'degraded' | 'outage' | 'paused' | 'unknown';

/**
 * No source, or all on standby, is a pause. A source that has not been asked since the start does not count; where no
 * source counts, the state is unknown. Of the others, one that is stale degrades the area, all of them are an outage.
 * @param shown those whose reports reach the answers
 */
export function rateArea(
  { published, awaited, startedAt }: KnownSources,
  shown: readonly RealtimeSourceState[],
  area: RealtimeArea,
  moment: Instant,
): AreaStatus {
  const isActive = (source: AwaitedSource) => source.provides.includes(area) && !source.isStandby;
  const active = published.filter(isActive);
  const isPublished = ({ id }: AwaitedSource) => published.some((source) => source.id === id);
  const unpublished = awaited.filter((source) => isActive(source) && !isPublished(source));
  if (active.length + unpublished.length === 0) return 'paused';
  const fresh = listFresh(shown, area, moment);
  const judged = active.filter((source) => fresh.includes(source) || wasAsked(source, startedAt, moment, area));
  if (judged.length === 0) return 'unknown';
  if (fresh.length === judged.length) return 'operational';
  return fresh.length > 0 ? 'degraded' : 'outage';
}

/**
 * Whether the silence of a source means anything: it was asked since this process started, or something keeps the poller
 * from asking it (a spent budget). What an earlier poller left behind is judged once its maximum age has passed without
 * a newer publication, because the poller is gone then.
 * @param area whose own requests count; left out: any request
 */
export function wasAsked(
  { lastAttemptAt, askedAreas, trouble, maxAgeSeconds }: RealtimeSourceState,
  startedAt: Instant,
  moment: Instant,
  area?: RealtimeArea,
): boolean {
  if (lastAttemptAt === null) return trouble !== null;
  if (Math.floor(Date.parse(lastAttemptAt) / 1000) < startedAt) return moment - startedAt > maxAgeSeconds;
  return area === undefined || askedAreas.includes(area);
}

/** Sources of an area that are fresh at a moment. */
export function listFresh(
  sources: readonly RealtimeSourceState[],
  area: RealtimeArea,
  moment: Instant,
): RealtimeSourceState[] {
  const isFresh = (source: RealtimeSourceState) => rateSource(source, moment, area).status === 'fresh';
  return sources.filter((source) => source.provides.includes(area) && isFresh(source));
}
