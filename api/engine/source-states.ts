import type { Instant } from '../../pipeline/model/service-time.ts';
import type { RealtimeArea, RealtimeSourceState } from '../../pipeline/snapshots/realtime-contract.ts';

export type SourceStatus = 'fresh' | 'stale' | 'standby' | 'never';

/** How a source is doing at a moment: a poller that has died shows by the age of what it left. */
export interface SourceAge {
  readonly status: SourceStatus;
  /** Seconds since it last said something that could be used; null: never. */
  readonly ageSeconds: number | null;
}

/** @param area measured on what the source says of it; left out: on anything that it says */
export function rateSource(source: RealtimeSourceState, moment: Instant, area?: RealtimeArea): SourceAge {
  const { isStandby, maxAgeSeconds, lastSuccessByArea } = source;
  const ofArea = area === undefined ? undefined : lastSuccessByArea[area];
  const lastSuccessAt = ofArea === undefined ? source.lastSuccessAt : ofArea;
  const ageSeconds = lastSuccessAt === null ? null : Math.max(0, moment - Math.floor(Date.parse(lastSuccessAt) / 1000));
  if (isStandby) return { status: 'standby', ageSeconds };
  if (ageSeconds === null) return { status: 'never', ageSeconds };
  return { status: ageSeconds > maxAgeSeconds ? 'stale' : 'fresh', ageSeconds };
}

/** How an area of the service is doing that lives on some sources. */
export type AreaStatus = 'operational' | 'degraded' | 'outage' | 'paused';

/**
 * Nobody configured, or all on standby, is a pause; of the others, one that is silent is a flaw, all an outage.
 * @param shown those whose words reach the answers
 */
export function rateArea(
  sources: readonly RealtimeSourceState[],
  shown: readonly RealtimeSourceState[],
  area: RealtimeArea,
  moment: Instant,
): AreaStatus {
  const active = sources.filter(({ provides, isStandby }) => provides.includes(area) && !isStandby);
  if (active.length === 0) return 'paused';
  const fresh = listFresh(shown, area, moment).length;
  if (fresh === active.length) return 'operational';
  return fresh > 0 ? 'degraded' : 'outage';
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
