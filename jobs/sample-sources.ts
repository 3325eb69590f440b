import type { Config } from '../pipeline/config/load-config.ts';
import { type SourceId, toSourceId } from '../pipeline/model/ids.ts';
import { type SamplePublisher, samplePublishers } from '../pipeline/sample/feed/publishers.ts';

/** Each made-up publisher of GTFS-Realtime is a source of its own, live and in the record. */
export function sampleSourceOf(publisher: SamplePublisher): SourceId {
  return toSourceId(`${publisher}_gtfs_rt`);
}

/** All of the sample's realtime speaks of its timetable. */
export const sampleTimetableId = toSourceId('sample');

export const sampleIds = {
  wienerLinien: toSourceId('city_transit'),
  trias: toSourceId('trias'),
  hafas: toSourceId('vao'),
};

export const sampleRealtimeIds: readonly SourceId[] = [
  ...samplePublishers.map(sampleSourceOf),
  ...Object.values(sampleIds),
];

/**
 * Of the made-up country and all that is said of it. What it has of the real city goes with every name of a stop, so it is
 * told wherever a stop may be: see data/lookups/sample/README.md.
 */
export const sampleCredit = {
  attribution:
    "made up, timetable and reports simulated by Taktgeber; real are names and places of Vienna's stops and their order " +
    'along its city lines (Stadt Wien - data.wien.gv.at, CC BY 4.0)',
  licence: 'CC0 1.0',
} as const;

/** The configuration for who serves: without a configured feed there is the sample. */
export type ServedConfig = Omit<Config, 'sources'> & {
  readonly sources: readonly (Config['sources'][number] & { readonly isMadeUp?: boolean })[];
};

/** What is served without a configured feed is the sample, unless somebody types another. */
export function withSampleCredit(config: Config): ServedConfig {
  if (config.sources.length > 0) return config;
  const sample = { id: sampleTimetableId, gtfs: '', name: null, ...sampleCredit, headers: {}, isMadeUp: true };
  return { ...config, sources: [sample] };
}
