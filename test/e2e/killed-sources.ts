import { sampleRealtime } from '../../jobs/definitions/sample-realtime.ts';
import type { ConfiguredSource } from '../../pipeline/config/configured-source.ts';

/** Two sources whose responses and observations are archived, with one request each. */
export function listKilledSources(upstreamUrl: string): readonly ConfiguredSource[] {
  return sampleRealtime(upstreamUrl).flatMap((one): ConfiguredSource[] => {
    if (one.kind === 'gtfs-rt' && one.id === 'stmk_gtfs_rt')
      return [{ ...one, options: { ...one.options, vehiclePositions: [], alerts: [] } }];
    return one.kind === 'trias' ? [{ ...one, options: { ...one.options, stops: ['at:46:graz'] } }] : [];
  });
}
