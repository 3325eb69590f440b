import { samples } from './samples.ts';

const at = '2025-10-26T02:30:00+01:00';
const utc = '2025-10-26T01:30:00.000Z';

function take(type: string): Readonly<Record<string, unknown>> {
  const sample = samples[type];
  // Otherwise a mistyped name would be refused for the wrong reason.
  if (sample === undefined) throw new Error(`there is no sample of "${type}"`);
  return sample as Readonly<Record<string, unknown>>;
}

const { subscription } = take('Delivery') as { subscription: object };

/** Values that differ from a valid one in a single point. */
export const badValues: readonly (readonly [type: string, value: unknown])[] = [
  ['Timestamp', '2025-10-26T02:30:00Z'],
  ['Timestamp', '2025-10-26T02:30:00.5+01:00'],
  ['Timestamp', '2025-10-26T02:30+01:00'],
  ['Timestamp', '2025-02-30T02:30:00+01:00'],
  ['Timestamp', '2025-10-26 02:30:00+01:00'],
  ['RequestTimestamp', '2025-10-26T02:30:00'],
  ['RequestTimestamp', '2025-10-26t02:30:00z'],
  ['V1Timestamp', '2025-10-26T01:30:00Z'],
  ['V1Timestamp', '2025-10-26T01:30:00.000+00:00'],
  ['LocalDate', '2025-02-29'],
  ['LocalDate', '20250228'],
  ['HexColor', '#E2021'],
  ['HexColor', 'E20210'],
  ['Coord', { lat: 90.1, lon: 0 }],
  ['Coord', { lat: 0, lon: -180.1 }],
  ['Stop', { ...take('Stop'), distanceMeters: -1 }],
  ['Stop', { ...take('Stop'), distanceMeters: 1.5 }],
  ['Stop', { ...take('Stop'), distanceMeters: 9007199254740992 }],
  ['Stop', { ...take('Stop'), kind: 'platform' }],
  ['Line', { ...take('Line'), product: 'bus' }],
  ['Line', { ...take('Line'), colorHex: 'red' }],
  ['Notice', { ...take('Notice'), priority: -9007199254740992 }],
  ['Notice', { ...take('Notice'), lines: [{ operatorName: 'x' }] }],
  ['Departure', { ...take('Departure'), serviceKind: 'regular' }],
  ['Departure', { ...take('Departure'), departure: { isRealtime: true, realtime: '02:30' } }],
  ['Fare', { ...take('Fare'), amountCents: 0 }],
  ['Disruption', { ...take('Disruption'), links: [{ title: 'x', url: 'no address' }] }],
  ['Disruption', { ...take('Disruption'), activeWindows: [{ from: at }] }],
  ['Vehicle', { ...take('Vehicle'), headingDeg: 360 }],
  ['VehicleSnapshot', { vehicles: [], source: 'ondemand_live', generatedAt: at, count: 0 }],
  ['Meta', { contract: '1.26.0', routes: ['/v2/meta'], providers: [], deprecations: [] }],
  ['Place', { stopId: 'a', coord: take('Coord') }],
  ['Place', { stopId: 'a', name: 'x' }],
  ['Place', {}],
  ['Delivery', { kind: 'poll', subscription: subscription }],
  ['Delivery', { kind: 'webPush', subscription: { ...subscription, endpoint: 'push.example.org' } }],
  ['TripRequest', { from: take('Place'), to: take('Place'), via: Array(3).fill(take('Place')) }],
  ['TripRequest', { from: take('Place'), to: take('Place'), time: at, pageRef: 'x' }],
  ['RescueRequest', { legs: [] }],
  ['RescueRequest', { legs: Array(9).fill(take('LegRef')) }],
  ['PredictionBatchRequest', { journeyRefs: Array(201).fill('x') }],
  ['RescueOption', { ...take('RescueOption'), successProbability: 1.1 }],
  ['Problem', { type: '/problems#x', title: 'x', status: 400, detail: 'x', code: 'x' }],
  ['V1NetworkMaps', { generatedAt: utc, maps: [{ id: 'm1' }] }],
];
