import type { PredictionModelState } from '../../../pipeline/model/prediction.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { RealtimeSourceState } from '../../../pipeline/snapshots/realtime-contract.ts';
import type { V1Status } from '../../contract/definitions.ts';
import type { Published } from '../read/realtime.ts';
import { hasBeenPolled, rateSource } from '../read/source-states.ts';
import { hasCurrentPrediction } from './predictions.ts';

interface PredictionFacts {
  /** By the configuration. */
  readonly isPaused: boolean;
  /** As last reported by the poller, for whichever timetable. */
  readonly sources: readonly RealtimeSourceState[];
  readonly models: readonly PredictionModelState[];
  /** When this process started. */
  readonly startedAt: Instant;
  /** The snapshots served; null while there is no timetable. */
  readonly published: Published | null;
}

interface PredictionState {
  readonly status: V1Status['components'][number]['status'];
  readonly state: V1Status['measurement']['state'];
  readonly reason: string | null;
}

/**
 * State of the predictions. They are `live` while there is at least one current prediction. Without a model the
 * status is `unknown`; with models, it is an `outage` when no source of these models is fresh, and `degraded` when some
 * are not. Sources that have not been polled since the start do not count.
 */
export function ratePredictions(facts: PredictionFacts, instant: Instant): PredictionState {
  const { isPaused, sources, models, startedAt, published } = facts;
  if (isPaused) return { status: 'paused', state: 'paused', reason: 'paused_by_configuration' };
  if (sources.length === 0) return { status: 'unknown', state: 'unavailable', reason: 'no_realtime' };
  const modelled = sources.filter(({ id }) => models.some(({ sourceId }) => sourceId === id));
  if (modelled.length === 0) return { status: 'unknown', state: 'unavailable', reason: 'no_model' };
  const status = rateEvidence(modelled, startedAt, instant);
  if (published && hasCurrentPrediction(published, instant)) {
    return { status: status === 'operational' ? status : 'degraded', state: 'live', reason: null };
  }
  if (status === 'unknown') return { status, state: 'unavailable', reason: 'sources_not_polled_yet' };
  if (status === 'paused') return { status, state: 'paused', reason: 'sources_on_standby' };
  // Realtime for another timetable than the served one is not shown.
  if (!published?.realtime) return { status: 'outage', state: 'unavailable', reason: 'no_realtime' };
  if (status === 'outage') return { status, state: 'unavailable', reason: 'no_fresh_source' };
  return { status, state: 'idle', reason: 'no_recent_observation' };
}

/** `paused` when all sources are on standby; of the others, `degraded` when some are stale, `outage` when all are. */
function rateEvidence(modelled: readonly RealtimeSourceState[], startedAt: Instant, instant: Instant) {
  const active = modelled.filter(({ isStandby }) => !isStandby);
  if (active.length === 0) return 'paused';
  const isFresh = (source: RealtimeSourceState) => rateSource(source, instant).status === 'fresh';
  const judged = active.filter((source) => isFresh(source) || hasBeenPolled(source, startedAt, instant));
  if (judged.length === 0) return 'unknown';
  const fresh = judged.filter(isFresh).length;
  if (fresh === judged.length) return 'operational';
  return fresh > 0 ? 'degraded' : 'outage';
}
