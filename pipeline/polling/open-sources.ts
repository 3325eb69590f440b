import { createHash } from 'node:crypto';
import type { Log } from '../effects/log.ts';
import { readProjectFile } from '../effects/project-files.ts';
import type { SourceId } from '../model/ids.ts';
import { parseMetroStations } from '../model/metro-stations.ts';
import type { ConfiguredHafas, ConfiguredSource, ConfiguredWienerLinien } from '../sources/configured-source.ts';
import { listProvidedAreas, type ProvidedArea } from '../sources/provides.ts';
import type { RealtimeSource, SourceFacts } from '../sources/realtime-source.ts';

/** A source ready to be polled. */
export interface PolledSource {
  readonly id: SourceId;
  readonly source: RealtimeSource;
  readonly facts: SourceFacts;
  /** The timetable source that it names; null where it names none. */
  readonly timetable: SourceId | null;
  readonly provides: readonly ProvidedArea[];
  /** Paused, unless a switch says otherwise. */
  readonly isStandby: boolean;
  /** Of the operator's, sent with every request. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Makes sources of what is configured; only the grammars that are needed are loaded. One that cannot be made, as its
 * configuration does not fit together, is told and left out: the others are polled.
 */
export async function openSources(
  configured: readonly ConfiguredSource[],
  { log }: { readonly log: Log },
): Promise<PolledSource[]> {
  const opened: PolledSource[] = [];
  for (const one of configured) {
    try {
      opened.push(await openSource(one));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      log.warn(`${one.id} is not polled: ${error.message}`);
    }
  }
  return opened;
}

async function openSource(configured: ConfiguredSource): Promise<PolledSource> {
  const source = await createSource(configured);
  const { id, timetable, isStandby, headers } = configured;
  const provides = listProvidedAreas(configured);
  return { id, source, facts: source.facts, timetable, provides, isStandby, headers };
}

/** @throws RangeError when the configuration does not fit together */
async function createSource(configured: ConfiguredSource): Promise<RealtimeSource> {
  const { id } = configured;
  const facts = listFacts(configured);
  const interval = withoutNulls({ intervalSeconds: configured.intervalSeconds });
  switch (configured.kind) {
    case 'gtfs-rt': {
      const { createGtfsRtSource } = await import('../sources/gtfs-rt/gtfs-rt-source.ts');
      const { tripUpdates, vehiclePositions, alerts, zone, hasMeasuredStopEvents: measuredStopEvents } = configured;
      const feeds = { tripUpdates, vehiclePositions, alerts };
      return createGtfsRtSource({ id, ...feeds, zone, measuredStopEvents, facts, ...interval });
    }
    case 'wiener-linien': {
      const { createWienerLinienSource } = await import('../sources/wiener-linien/wiener-linien-source.ts');
      const { trafficInfo, news, url } = configured;
      const stations = await listStations(configured);
      const baseUrl = withoutNulls({ baseUrl: url });
      return createWienerLinienSource({ id, stations, trafficInfo, news, facts, ...baseUrl, ...interval });
    }
    case 'trias':
    case 'ojp': {
      const { createTriasSource } = await import('../sources/trias/trias-source.ts');
      const { kind, url, requestorRef, stops, situations: includeSituations } = configured;
      const version = withoutNulls({ version: configured.version });
      return createTriasSource({
        id,
        kind,
        url,
        requestorRef,
        stops,
        includeSituations,
        facts,
        ...version,
        ...interval,
      });
    }
    case 'hafas':
      return createHafas(configured, facts);
  }
}

async function createHafas(
  configured: ConfiguredSource & ConfiguredHafas,
  overrides: Partial<SourceFacts>,
): Promise<RealtimeSource> {
  const { createHafasSource } = await import('../sources/hafas/create-hafas-source.ts');
  const { id, profile, endpoint, key, stops, arrivals, remarks, vehiclesOnDemand } = configured;
  const { intervalSeconds, dailyBudget } = configured;
  const duration = withoutNulls({ durationMinutes: configured.durationMinutes });
  const asked = { stops, arrivals, remarks, vehiclesOnDemand, intervalSeconds, dailyBudget };
  const options = { id, profile, endpoint, key, ...asked };
  return createHafasSource({ ...options, overrides, ...duration }, (bytes) =>
    createHash('md5').update(bytes).digest('hex'),
  );
}

async function listStations({ stations }: ConfiguredWienerLinien): Promise<readonly number[]> {
  if (stations !== null) return stations;
  return parseMetroStations(await readProjectFile('data/lookups/metro-stations.csv')).map(({ diva }) => diva);
}

/** What the configuration says in place of what is known of the publisher. */
function listFacts(configured: ConfiguredSource): Partial<SourceFacts> {
  const { timeoutSeconds, maxAgeSeconds, dailyBudget, licence, attribution, coverage, isNationwide } = configured;
  return withoutNulls({ timeoutSeconds, maxAgeSeconds, dailyBudget, licence, attribution, coverage, isNationwide });
}

type WithoutNulls<Values> = { readonly [Key in keyof Values]?: NonNullable<Values[Key]> };

/** Leaves out what was not said, so that it does not take the place of a default. */
function withoutNulls<Values extends object>(values: Values): WithoutNulls<Values> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)) as WithoutNulls<Values>;
}
