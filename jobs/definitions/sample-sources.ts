import type { Config } from '../../pipeline/config/load-config.ts';
import { plainFeed } from '../../pipeline/config/source-config.ts';
import { type SourceId, toSourceId } from '../../pipeline/model/ids.ts';
import { type SamplePublisher, samplePublishers } from '../../pipeline/sample/feed/publishers.ts';

/** Each simulated publisher of GTFS-Realtime is a separate source, live and in the history. */
export function sampleSourceOf(publisher: SamplePublisher): SourceId {
  return toSourceId(`${publisher}_gtfs_rt`);
}

/** Timetable source of all realtime sources of the sample. */
export const sampleTimetableId = toSourceId('sample');

export const sampleIds = {
  wienerLinien: toSourceId('city_transit'),
  trias: toSourceId('trias'),
  hafas: toSourceId('vao'),
  sharing: toSourceId('musterrad'),
};

export const sampleRealtimeIds: readonly SourceId[] = [
  ...samplePublishers.map(sampleSourceOf),
  ...Object.values(sampleIds),
];

/**
 * Attribution of the sample. Stop names may come from the real city, so its attribution is shown wherever a stop may
 * be: see data/lookups/sample/README.md.
 */
export const sampleCredit = {
  attribution:
    "fictional, with timetable and reports simulated by Taktgeber; only names, locations and order of Vienna's stops " +
    'along its city lines are real (Stadt Wien - data.wien.gv.at, CC BY 4.0)',
  licence: 'CC0 1.0',
} as const;

/** Configuration of the served timetable: the sample where no feed is configured. */
export type ServedConfig = Omit<Config, 'sources'> & {
  readonly sources: readonly (Config['sources'][number] & { readonly isMadeUp?: boolean })[];
};

/** Adds the sample's attribution where no feed is configured. */
export function withSampleCredit(config: Config): ServedConfig {
  if (config.sources.length > 0) return config;
  const unnamed = { kind: 'gtfs', gtfs: '', name: null, headers: {}, ...plainFeed } as const;
  const sample = { id: sampleTimetableId, ...unnamed, ...sampleCredit, isMadeUp: true };
  return { ...config, sources: [sample] };
}
