import type { ConfiguredSource } from './configured-source.ts';
import type { SourceKind } from './realtime-source.ts';

/** Areas of the service that live on a source. */
export type ProvidedArea = 'departures' | 'vehiclePositions' | 'disruptions';

/** What a source is good for, as it is configured. */
export function listProvidedAreas(source: ConfiguredSource): ProvidedArea[] {
  switch (source.kind) {
    case 'gtfs-rt':
      return [
        ...(source.tripUpdates.length > 0 ? (['departures'] as const) : []),
        ...(source.vehiclePositions.length > 0 ? (['vehiclePositions'] as const) : []),
        ...(source.alerts.length > 0 ? (['disruptions'] as const) : []),
      ];
    case 'wiener-linien':
      return source.trafficInfo || source.news ? ['departures', 'disruptions'] : ['departures'];
    case 'trias':
    case 'ojp':
      return source.situations ? ['departures', 'disruptions'] : ['departures'];
    case 'hafas':
      // Boards bring their messages along, whether or not more are asked for.
      return ['departures', 'disruptions'];
  }
}

/**
 * The area that a request of a source serves alone, so that its silence is told although the source's other requests are
 * answered.
 * @returns null for one that serves all areas of its source
 */
export function findPartArea(kind: SourceKind, part: string): ProvidedArea | null {
  const rules = partAreas[kind] ?? [];
  return rules.find(([prefix]) => part.startsWith(prefix))?.[1] ?? null;
}

const partAreas: Partial<Record<SourceKind, readonly (readonly [prefix: string, area: ProvidedArea])[]>> = {
  'gtfs-rt': [
    ['trip-updates', 'departures'],
    ['vehicle-positions', 'vehiclePositions'],
    ['alerts', 'disruptions'],
  ],
  'wiener-linien': [
    ['monitor', 'departures'],
    ['traffic-info', 'disruptions'],
    ['news', 'disruptions'],
  ],
};
