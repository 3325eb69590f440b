import type { ConfiguredSource } from '../../pipeline/config/configured-source.ts';
import type { Config } from '../../pipeline/config/load-config.ts';
import { UsageError } from '../../pipeline/effects/usage-error.ts';
import type { SourceId } from '../../pipeline/model/ids.ts';
import type { JobOptions } from '../job/job.ts';
import { sampleRealtimeIds } from './sample-sources.ts';

/**
 * Returns the realtime sources of a run.
 * @throws UsageError for one that is not configured
 */
export function chooseRealtime({ realtime }: Config, { sourceIds }: JobOptions): readonly ConfiguredSource[] {
  const ids = realtime.map(({ id }) => id);
  for (const id of sourceIds ?? []) assertKnown(id, ids);
  return sourceIds === null ? realtime : realtime.filter(({ id }) => sourceIds.includes(id));
}

/** Whether no source is configured, so that everything comes from the sample. */
export function isSample({ sources, realtime }: Config): boolean {
  return sources.length === 0 && realtime.length === 0;
}

/** The sources whose record is read: the configured ones, or those of the sample with an address never polled. */
export async function listRecorded(config: Config): Promise<readonly ConfiguredSource[]> {
  return isSample(config) ? makeSampleRealtime('http://sample.invalid') : config.realtime;
}

/** Imported on demand: the definitions of all kinds load their schemas. */
export async function makeSampleRealtime(baseUrl: string): Promise<readonly ConfiguredSource[]> {
  const { sampleRealtime } = await import('./sample-realtime.ts');
  return sampleRealtime(baseUrl);
}

/** Ids of all realtime sources, those of the sample where nothing is configured. */
export function listRealtimeIds(config: Config): readonly SourceId[] {
  return isSample(config) ? sampleRealtimeIds : config.realtime.map(({ id }) => id);
}

/** @throws UsageError that lists the sources */
export function assertKnown(id: SourceId, ids: readonly SourceId[]): void {
  if (ids.includes(id)) return;
  const known = ids.length > 0 ? `there are ${ids.join(', ')}` : 'none is configured';
  throw new UsageError(`there is no realtime source "${id}"; ${known}`);
}
