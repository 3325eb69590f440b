import { expect, test } from 'vitest';
import type { ConfiguredSource } from '../../../pipeline/sources/configured-source.ts';
import { findPartArea, listProvidedAreas } from '../../../pipeline/sources/provides.ts';
import type { SourceKind } from '../../../pipeline/sources/realtime-source.ts';

const URL = 'https://realtime.example.org/feed';
const gtfsRt = { kind: 'gtfs-rt', tripUpdates: [], vehiclePositions: [], alerts: [] } as const;
const trias = { kind: 'trias', situations: false } as const;

test.each<[what: string, source: { readonly kind: ConfiguredSource['kind'] }, areas: string]>([
  [
    'GTFS-RT with all three feeds',
    { ...gtfsRt, tripUpdates: [URL], vehiclePositions: [URL], alerts: [URL] } as never,
    'departures vehiclePositions disruptions',
  ],
  ['trip updates alone', { ...gtfsRt, tripUpdates: [URL] } as never, 'departures'],
  ['vehicle positions alone', { ...gtfsRt, vehiclePositions: [URL] } as never, 'vehiclePositions'],
  ['alerts alone', { ...gtfsRt, alerts: [URL] } as never, 'disruptions'],
  ['Wiener Linien, monitors alone', { kind: 'wiener-linien', trafficInfo: false, news: false } as never, 'departures'],
  [
    'Wiener Linien with traffic info',
    { kind: 'wiener-linien', trafficInfo: true, news: false } as never,
    'departures disruptions',
  ],
  [
    'Wiener Linien with news',
    { kind: 'wiener-linien', trafficInfo: false, news: true } as never,
    'departures disruptions',
  ],
  ['TRIAS, stop events alone', trias, 'departures'],
  ['TRIAS with situations', { ...trias, situations: true } as never, 'departures disruptions'],
  ['OJP with situations', { ...trias, kind: 'ojp', situations: true } as never, 'departures disruptions'],
  ['HAFAS, whose boards bring messages along', { kind: 'hafas', remarks: false } as never, 'departures disruptions'],
])('%s', (_what, source, areas) => {
  expect(listProvidedAreas(source as ConfiguredSource).join(' ')).toBe(areas);
});

test.each<[kind: SourceKind, part: string, area: string | null]>([
  ['gtfs-rt', 'trip-updates', 'departures'],
  ['gtfs-rt', 'trip-updates-2', 'departures'],
  ['gtfs-rt', 'vehicle-positions', 'vehiclePositions'],
  ['gtfs-rt', 'alerts', 'disruptions'],
  ['wiener-linien', 'monitor-3', 'departures'],
  ['wiener-linien', 'traffic-info', 'disruptions'],
  ['wiener-linien', 'news', 'disruptions'],
  // Each of their answers brings everything along.
  ['trias', 'stop-event-1', null],
  ['hafas', 'departures-1', null],
])('the requests of %s: %s serves %s', (kind, part, area) => {
  expect(findPartArea(kind, part)).toBe(area);
});
