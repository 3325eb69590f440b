import type { Config } from '../pipeline/config/load-config.ts';
import { type SourceId, toSourceId } from '../pipeline/model/ids.ts';
import type { ConfiguredFacts, ConfiguredSource } from '../pipeline/sources/configured-source.ts';

const ids = {
  gtfsRt: toSourceId('stmk_gtfs_rt'),
  wienerLinien: toSourceId('city_transit'),
  trias: toSourceId('trias'),
  hafas: toSourceId('vao'),
};

export const sampleRealtimeIds: readonly SourceId[] = Object.values(ids);

/** Of the made-up country and all that is said of it. */
export const sampleCredit = { attribution: 'Made up by taktgeber', licence: 'CC0 1.0' } as const;

/** What is served without a configured feed is the sample. */
export function withSampleCredit(config: Config): Config {
  if (config.sources.length > 0) return config;
  const sample = { id: common.timetable!, gtfs: '', name: null, ...sampleCredit, headers: {} };
  return { ...config, sources: [sample] };
}

/** What all of the sample's sources have in common: they speak of the sample timetable. */
const common: Omit<ConfiguredFacts, 'id' | 'kind'> = {
  timetable: toSourceId('sample'),
  isStandby: false,
  name: null,
  ...sampleCredit,
  headers: {},
  intervalSeconds: null,
  maxAgeSeconds: null,
  timeoutSeconds: null,
  dailyBudget: null,
  coverage: null,
  isNationwide: null,
};

/** Stations whose boards are asked for: some in Styria, and the great ones elsewhere. */
const triasStops = ['at:46:graz', 'at:46:graz-jakominiplatz', 'at:46:leoben'];
const hafasStops = ['490134900', 'at:44:linz', 'at:45:salzburg', 'at:47:innsbruck'];

/** The made-up upstreams as configured sources: asked over HTTP like any other. */
export function sampleRealtime(baseUrl: string): readonly ConfiguredSource[] {
  return [
    {
      ...common,
      id: ids.gtfsRt,
      kind: 'gtfs-rt',
      tripUpdates: [`${baseUrl}/gtfs-rt/trip-updates.pb`],
      vehiclePositions: [`${baseUrl}/gtfs-rt/vehicle-positions.pb`],
      alerts: [`${baseUrl}/gtfs-rt/alerts.pb`],
      zone: 'Europe/Vienna',
      hasMeasuredStopEvents: false,
    },
    {
      ...common,
      id: ids.wienerLinien,
      kind: 'wiener-linien',
      url: `${baseUrl}/ogd_realtime`,
      stations: null,
      trafficInfo: true,
      news: true,
    },
    {
      ...common,
      id: ids.trias,
      kind: 'trias',
      url: `${baseUrl}/trias`,
      version: null,
      requestorRef: 'taktgeber-sample',
      stops: triasStops,
      situations: true,
    },
    {
      ...common,
      id: ids.hafas,
      kind: 'hafas',
      profile: 'vao',
      endpoint: `${baseUrl}/hafas/mgate`,
      key: 'taktgeber-sample',
      stops: hafasStops,
      arrivals: false,
      remarks: true,
      vehiclesOnDemand: true,
      durationMinutes: null,
      dailyBudget: 20_000,
    },
  ];
}
