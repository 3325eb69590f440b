import { expect } from 'vitest';
import { fuzzRoutes } from '../../support/checks/fuzz-routes.ts';
import { alertOf, callOf, reportOf, stopOf, timeOf, tripOf, vehicleOf } from '../../support/worlds/live-reports.ts';
import { at, DAY } from '../engine/live-town.ts';
import { NOW, open, refOf } from './prediction-town.ts';

/** The town on a morning with all kinds of realtime: a late bus, a vehicle, an alert, predictions. */
const updates = {
  rt: {
    trips: [reportOf(tripOf('t1'), { calls: [callOf(stopOf('k'), { arrival: timeOf(at('08:24')) })] })],
    vehicles: [vehicleOf('bus', { trip: tripOf('t1'), lat: 48.01, lon: 16.01, recordedAt: null })],
    alerts: [alertOf('works', { stops: [stopOf('k')] })],
  },
};

const stops = ['at:a', 'at:s', 'at:s1', 'at:k', 'at:z', 'at:none'];
const refs = [refOf('t1'), refOf('t3'), refOf('night'), refOf('t1', '2020-01-01'), 'damaged'];
const times = [at(NOW), at('07:50'), `${DAY}T23:59:59+01:00`, '2001-01-01T00:00:00Z'];

/** Values by name of a parameter or member. */
const known = {
  id: stops,
  stopId: stops,
  directionStopId: stops,
  originStopId: stops,
  originId: stops,
  destinationId: stops,
  ref: refs,
  journeyRef: refs,
  journeyRefs: refs.map((ref) => [ref]),
  jid: refs,
  jids: refs.map((ref) => [ref]),
  query: ['anger', 'Bahnhof', 'kirhe', 'x'],
  line: ['1', '2', 'N', '?'],
  lines: [['1'], ['1', '2']],
  lat: [48, 48.02, 48.04, 90],
  lon: [16, 16.02, 16.04, -180],
  minLat: [47.5],
  minLon: [15.5],
  maxLat: [48.5],
  maxLon: [16.5],
  time: times,
  activeAt: times,
  from: ['2026-03-01', '2025-01-01'],
  to: ['2026-03-14', '2026-03-01'],
  diva: [60_201_095, 1],
};

/** Sends this many requests, and expects enough valid and invalid ones among them. */
export async function expectAnswersAsPublished(requests: number, seed: number): Promise<void> {
  const app = await open({ updates });
  const statuses = await fuzzRoutes(app, known, requests, seed);
  const summary = JSON.stringify([...statuses]);
  expect(statuses.get(200), summary).toBeGreaterThan(requests / 5);
  expect(statuses.get(400), summary).toBeGreaterThan(requests / 20);
  for (const status of [304, 404, 410, 503]) expect(statuses.get(status), summary).toBeGreaterThan(0);
}
