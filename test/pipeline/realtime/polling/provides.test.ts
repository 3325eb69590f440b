import { expect, test } from 'vitest';
import { findPartArea, listProvidedAreas } from '../../../../pipeline/realtime/polling/provides.ts';

const URL = 'https://realtime.example.org/feed';
const gtfsRt = { kind: 'gtfs-rt', tripUpdates: [], vehiclePositions: [], alerts: [] } as const;
const trias = { kind: 'trias', situations: false } as const;

test.each<[what: string, source: { readonly kind: string; readonly [option: string]: unknown }, areas: string]>([
  [
    'GTFS-RT with all three feeds',
    { ...gtfsRt, tripUpdates: [URL], vehiclePositions: [URL], alerts: [URL] },
    'departures vehiclePositions disruptions',
  ],
  ['trip updates only', { ...gtfsRt, tripUpdates: [URL] }, 'departures'],
  ['vehicle positions only', { ...gtfsRt, vehiclePositions: [URL] }, 'vehiclePositions'],
  ['alerts only', { ...gtfsRt, alerts: [URL] }, 'disruptions'],
  ['Wiener Linien, monitors only', { kind: 'wiener-linien', trafficInfo: false, news: false }, 'departures'],
  [
    'Wiener Linien with traffic info',
    { kind: 'wiener-linien', trafficInfo: true, news: false },
    'departures disruptions',
  ],
  ['Wiener Linien with news', { kind: 'wiener-linien', trafficInfo: false, news: true }, 'departures disruptions'],
  ['TRIAS, stop events only', trias, 'departures'],
  ['TRIAS with situations', { ...trias, situations: true }, 'departures disruptions'],
  ['OJP with situations', { ...trias, kind: 'ojp', situations: true }, 'departures disruptions'],
  ['HAFAS, whose boards include messages', { kind: 'hafas', remarks: false }, 'departures disruptions'],
])('%s', (_what, { kind, ...options }, areas) => {
  expect(listProvidedAreas({ kind, options }).join(' ')).toBe(areas);
});

test.each<[kind: string, part: string, area: string | null]>([
  ['gtfs-rt', 'trip-updates', 'departures'],
  ['gtfs-rt', 'trip-updates-2', 'departures'],
  ['gtfs-rt', 'vehicle-positions', 'vehiclePositions'],
  ['gtfs-rt', 'alerts', 'disruptions'],
  ['wiener-linien', 'monitor-3', 'departures'],
  ['wiener-linien', 'traffic-info', 'disruptions'],
  ['wiener-linien', 'news', 'disruptions'],
  // Each of their responses includes everything.
  ['trias', 'stop-event-1', null],
  ['hafas', 'departures-1', null],
])('the requests of %s: %s serves %s', (kind, part, area) => {
  expect(findPartArea(kind, part)).toBe(area);
});
