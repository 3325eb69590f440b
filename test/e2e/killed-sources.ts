import { sampleRealtime } from '../../jobs/sample-realtime.ts';
import type { ConfiguredSource } from '../../pipeline/sources/configured-source.ts';

/** Two publishers whose answers and sightings are kept, one request each. */
export function listKilledSources(upstreamUrl: string): readonly ConfiguredSource[] {
  return sampleRealtime(upstreamUrl).flatMap((one): ConfiguredSource[] => {
    if (one.kind === 'gtfs-rt') return [{ ...one, vehiclePositions: [], alerts: [] }];
    return one.kind === 'trias' ? [{ ...one, stops: ['at:46:graz'] }] : [];
  });
}
