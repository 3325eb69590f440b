import type { SourceId } from '../../pipeline/model/ids.ts';
import type { Resource } from './job.ts';

/** Feeds in the lake, their versions, and the snapshot of the timetable. */
export const TIMETABLE: Resource = 'timetable';
/** The feed of the built-in sample. */
export const SAMPLE: Resource = 'sample';
/** Archives of its past. */
export const SAMPLE_PAST: Resource = 'sample-past';
/** Marts and the snapshot of the history. */
export const MARTS: Resource = 'marts';
/** Drawn network maps, and those of the operator. */
export const NETWORK_MAPS: Resource = 'network-maps';
/** Metrics of predictions compared with observed times. */
export const PREDICTION_METRICS: Resource = 'prediction-figures';

/** The Iceberg tables. */
export const ICEBERG: Resource = 'iceberg';

/** Contents of the object store that nothing refers to. */
export const OBJECT_STORE: Resource = 'object-store';

/** Resources that each source has separately. */
export function ofSources(
  what: 'observations' | 'stop-events' | 'features' | 'models',
  sources: readonly SourceId[],
): Resource[] {
  return sources.map((source) => `${what}/${source}`);
}

/** What a poller locks beside others on one database: the snapshot, which is of all sources of the one that made it. */
export function ofPoller(sources: readonly { readonly id: SourceId }[]): Resource[] {
  return ['realtime-snapshot', ...sources.map(({ id }) => polledSource(id))];
}

/** A source that one machine polls. */
export function polledSource(source: SourceId): Resource {
  return `poll-realtime/${source}`;
}

/** The units of a job that workers share now. */
export function distributionOf(job: string): Resource {
  return `backfill/${job}`;
}

/** Key of the run of a job whose workers share the locks of its outputs. */
export function nameShare(job: string, runArguments: string): string {
  return `${job} ${runArguments}`.trim();
}

/** A process that takes units of other runs. */
export const WORKERS = 'worker/';

/** The units of a job are recorded as separate runs. */
export function unitRuns(job: string): string {
  return `${job}/unit`;
}
