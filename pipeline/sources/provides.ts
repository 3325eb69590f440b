import type { ConfiguredSource } from './configured-source.ts';

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
