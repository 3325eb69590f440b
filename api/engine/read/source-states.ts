import { isTextAhead } from '../../../pipeline/model/clock-tolerance.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { RealtimeArea, RealtimeSourceState } from '../../../pipeline/snapshots/realtime-contract.ts';

type SourceStatus = 'fresh' | 'stale' | 'standby' | 'never';

/** State of a source at an instant: a dead poller shows by the age of its last publication. */
interface SourceAge {
  readonly status: SourceStatus;
  /** Seconds since its last usable answer; null: never. */
  readonly ageSeconds: number | null;
}

/** @param area whose answers count; left out: any answer of the source */
export function rateSource(source: RealtimeSourceState, instant: Instant, area?: RealtimeArea): SourceAge {
  const { isStandby, maxAgeSeconds, lastSuccessByArea } = source;
  const ofArea = area === undefined ? undefined : lastSuccessByArea[area];
  const lastSuccessAt = ofArea === undefined ? source.lastSuccessAt : ofArea;
  const ageSeconds = findAgeSeconds(lastSuccessAt, instant);
  if (isStandby) return { status: 'standby', ageSeconds };
  if (ageSeconds === null) return { status: 'never', ageSeconds };
  return { status: ageSeconds > maxAgeSeconds ? 'stale' : 'fresh', ageSeconds };
}

/** @returns null for no time, or one from a clock that was ahead */
export function findAgeSeconds(isoTime: string | null, instant: Instant): number | null {
  if (isoTime === null || isTextAhead(isoTime, instant * 1000)) return null;
  return Math.max(0, instant - Math.floor(Date.parse(isoTime) / 1000));
}

/** A configured realtime source, of which nothing may be published yet. */
export interface AwaitedSource {
  readonly id: string;
  readonly provides: readonly RealtimeArea[];
  readonly isStandby: boolean;
}

/** The realtime sources configured in this process. */
interface KnownSources {
  /** From the newest publication of the poller, whatever timetable it belongs to. */
  readonly published: readonly RealtimeSourceState[];
  readonly awaited: readonly AwaitedSource[];
  /** When this process started. */
  readonly startedAt: Instant;
}

/** State of an area of the service that depends on sources. */
type AreaStatus = 'operational' | 'degraded' | 'outage' | 'paused' | 'unknown';

/**
 * Without a source, or with all on standby, the area is paused. A source without a request since the start does not
 * count; when none counts, the state is unknown. Of the others, one stale source degrades the area, and all are an
 * outage.
 * @param shown sources whose reports reach the answers
 */
export function rateArea(
  { published, awaited, startedAt }: KnownSources,
  shown: readonly RealtimeSourceState[],
  area: RealtimeArea,
  instant: Instant,
): AreaStatus {
  const isActive = (source: AwaitedSource) => source.provides.includes(area) && !source.isStandby;
  const active = published.filter(isActive);
  const isPublished = ({ id }: AwaitedSource) => published.some((source) => source.id === id);
  const unpublished = awaited.filter((source) => isActive(source) && !isPublished(source));
  if (active.length + unpublished.length === 0) return 'paused';
  const fresh = listFresh(shown, area, instant);
  const counted = active.filter((source) => fresh.includes(source) || hasBeenPolled(source, startedAt, instant, area));
  if (counted.length === 0) return 'unknown';
  if (fresh.length === counted.length) return 'operational';
  return fresh.length > 0 ? 'degraded' : 'outage';
}

/**
 * Whether missing answers of a source count: it was polled since this process started, or an obstacle keeps the poller
 * from it (a spent budget). The state that an earlier poller left counts once its maximum age has passed without a
 * newer publication, because the poller is gone then.
 * @param area whose own requests count; left out: any request
 */
export function hasBeenPolled(
  { lastAttemptAt, requestedAreas, trouble, maxAgeSeconds }: RealtimeSourceState,
  startedAt: Instant,
  instant: Instant,
  area?: RealtimeArea,
): boolean {
  if (lastAttemptAt === null) return trouble !== null;
  if (Math.floor(Date.parse(lastAttemptAt) / 1000) < startedAt) return instant - startedAt > maxAgeSeconds;
  return area === undefined || requestedAreas.includes(area);
}

/** Sources of an area that are fresh at an instant. */
export function listFresh(
  sources: readonly RealtimeSourceState[],
  area: RealtimeArea,
  instant: Instant,
): RealtimeSourceState[] {
  const isFresh = (source: RealtimeSourceState) => rateSource(source, instant, area).status === 'fresh';
  return sources.filter((source) => source.provides.includes(area) && isFresh(source));
}
