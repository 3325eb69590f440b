import { definitions } from '../../../api/contract/definitions.ts';
import {
  arrival,
  at,
  cancellation,
  coord,
  counts,
  definition,
  departure,
  disruption,
  event,
  fare,
  journeyStop,
  leg,
  legRef,
  legStop,
  line,
  notice,
  option,
  period,
  place,
  platform,
  prediction,
  push,
  step,
  stop,
  time,
  timetable,
  trip,
  tripWatch,
  utc,
  vehicle,
} from './sample-parts.ts';
import type { PlainSchema } from './schema-notation.ts';

const avoidance = {
  lines: ['13A'],
  operators: ['Wiener Linien'],
  stopIds: ['sample:praterstern'],
  products: ['subway'],
};

const writtenSamples: Readonly<Record<string, unknown>> = {
  StopPlace: { stopId: 'sample:praterstern' },
  PollDelivery: { kind: 'poll' },
  Timestamp: at,
  RequestTimestamp: '2025-10-26T01:30:00.5Z',
  LocalDate: '2024-02-29',
  HexColor: '#00aaFF',
  Coord: coord,
  Stop: stop,
  Line: line,
  TimeInfo: time,
  Platform: platform,
  Cancellation: cancellation,
  Notice: notice,
  WalkStep: step,
  Departure: departure,
  Board: { stop, generatedAt: at, departures: [departure], nextPageToken: 'p2' },
  Arrival: arrival,
  ArrivalBoard: { stop, generatedAt: at, arrivals: [arrival] },
  JourneyStop: journeyStop,
  Journey: {
    ref: 'ref1',
    line,
    direction: 'Leopoldau',
    stops: [journeyStop],
    cancellation,
    notices: [notice],
    attributes: [],
    polyline: [coord],
    serviceDate: '2025-10-25',
    lastPosition: coord,
  },
  StopList: { stops: [stop] },
  StopInfo: { stop, lines: [line] },
  LegStop: legStop,
  Leg: leg,
  Fare: fare,
  Trip: trip,
  TripResult: { trips: [trip], earlierRef: 'e', laterRef: 'l' },
  Footpath: { distanceMeters: 300, durationSeconds: 240, polyline: [coord], steps: [step] },
  Place: place,
  Avoidance: avoidance,
  LegAlternatives: { legs: [legRef], leg: 0 },
  TripAccess: { modes: ['bike'], maxBikeMeters: 3000, bikeSpeedKmh: 15, maxCarSeconds: 600, parking: 'none' },
  TripEgress: { modes: ['walk'], maxBikeMeters: 3000, bikeSpeedKmh: 15, maxCarSeconds: 600 },
  TripDirect: { modes: ['car'], maxBikeMeters: 3000, bikeSpeedKmh: 15, maxCarSeconds: 600 },
  TripRequest: {
    from: place,
    to: { stopId: 'sample:praterstern' },
    via: [place],
    viaMinimumStaySeconds: [600],
    time: '2025-10-26T01:30:00Z',
    timeMode: 'arrival',
    limit: 6,
    maxTransfers: 0,
    minTransferMinutes: 0,
    products: ['subway'],
    avoid: avoidance,
    walkSpeedKmh: 4.7,
    access: { modes: ['walk', 'bike'] },
    egress: { modes: ['car'] },
    direct: { modes: ['bike'] },
    bikeOnBoard: false,
    maxWalkMeters: 1500,
    wheelchair: true,
    all: true,
  },
  FootpathRequest: { from: coord, to: coord, profile: 'wheelchair', language: 'en' },
  Prediction: prediction,
  PredictionBatch: { generatedAt: at, predictions: [prediction], invalidatedJourneyRefs: ['ref2'] },
  PredictionBatchRequest: { journeyRefs: ['ref1'] },
  Disruption: disruption,
  DisruptionList: { generatedAt: at, coverage: 'vienna_only', total: 3, nextOffset: 1, disruptions: [disruption] },
  Vehicle: vehicle,
  VehicleSnapshot: { vehicles: [vehicle], source: 'measurementSnapshot', generatedAt: at, count: 1 },
  LegRef: legRef,
  Delivery: push,
  RescueRequest: { legs: [legRef], to: place, position: coord, time: at, limit: 4 },
  TripWatchRequest: tripWatch,
  RescueWatchRequest: { ...tripWatch, to: place, minSuccessProbability: 0.7 },
  WatchRepeat: { weekdays: ['sunday'], from: '23:30', to: '00:30' },
  LineWatchRequest: {
    watchId: 'w1',
    lines: [{ label: 'U1', operatorName: 'Wiener Linien' }],
    stopIds: ['a'],
    repeat: { weekdays: ['monday', 'friday'], from: '07:40', to: '07:45' },
    minDelayMinutes: 3,
    delivery: { kind: 'poll' },
    language: 'en',
    until: at,
  },
  UnwatchRequest: { watchId: 'w1' },
  RescueOption: option,
  RescueResult: { generatedAt: at, state: 'atRisk', atLeg: 0, options: [option] },
  WatchEvent: event,
  WatchState: { watchId: 'w1', expiresAt: at, checkedAt: at, status: 'atRisk', events: [event] },
  UnwatchResult: { removed: true },
  Problem: {
    type: '/problems#invalid_parameter',
    title: 'Invalid parameter',
    status: 400,
    detail: '"limit" must be a whole number from 1 to 50.',
    code: 'invalid_parameter',
    parameter: 'limit',
  },
  Meta: {
    contract: '1.26.0',
    routes: ['GET /v2/meta', 'POST /v2/trips'],
    providers: ['sample'],
    deprecations: [{ route: 'GET /v2/x', removedAfter: '2026-01-01', note: 'use y' }],
    timetable,
  },
  History: {
    generatedAt: at,
    period,
    definition,
    totals: { ...counts, onTimeShare: 0.9, earlyShare: 0.1, avgDelayMinutes: -0.2, late10Share: 0 },
    daily: [{ day: '2025-10-01', events: 90, onTimeShare: 1 }],
    lines: [
      { line: 'U1', product: 'subway', operator: 'Wiener Linien', events: 90, onTimeShare: 0.9, avgDelayMinutes: 1.2 },
    ],
    heatmap: [{ isoWeekday: 7, hour: 23, events: 90, avgDelayMinutes: 1.2 }],
  },
  V1Timestamp: utc,
  V1Health: {
    status: 'ok',
    generatedAt: utc,
    freshness: [{ id: 'sample', status: 'never', ageSeconds: null, maxAgeSeconds: 60 }],
    timetable,
  },
  V1Status: {
    generatedAt: utc,
    overall: 'operational',
    components: [{ id: 'departures', name: 'Abfahrten', status: 'paused' }],
    measurement: { predictionsAvailable: false, state: 'paused', reason: 'in_development', evidenceSources: ['trias'] },
    sources: [
      {
        id: 'sample',
        status: 'fresh',
        lastSuccessAt: utc,
        ageSeconds: 5,
        attribution: 'Data by Example Transport',
        licence: null,
      },
    ],
    coveredAreas: ['Wien'],
  },
  V1History: {
    period,
    definition: { name: 'observed', ...definition, forecastShare: 0 },
    totals: { ...counts, onTimeShare: null, earlyShare: null, avgDelayMin: null, late10Share: 0.01 },
    officialRealtime: {
      daily: [{ day: '2025-10-01', events: 0, on_time_pct: null }],
      lines: [{ line: 'U1', product: 'subway', operator: null, events: 90, on_time_pct: 98.4 }],
      heatmap: [{ dow: 1, hour: 0, events: 4, avg_delay_min: -0.5 }],
    },
  },
  V1Predictions: {
    generatedAt: utc,
    count: 1,
    predictions: [{ jid: 'ref1', line: null, delayMin: -1, confidence: 'medium', measuredAt: utc }],
  },
  V1PredictionBatchRequest: { jids: ['ref1'] },
  V1Vehicles: {
    generatedAt: utc,
    source: 'ondemand_live',
    count: 1,
    vehicles: [
      {
        id: 'v1',
        jid: null,
        line: 'U1',
        product: 'subway',
        direction: null,
        lat: 48.2,
        lon: 16.4,
        headingDeg: 0,
        observedAt: utc,
      },
    ],
  },
  V1Metro: {
    generatedAt: utc,
    status: 'ok',
    departures: [{ line: 'U1', towards: 'Leopoldau', plannedAt: utc, realAt: null }],
  },
  V1Announcements: {
    generatedAt: utc,
    announcements: [
      {
        id: 'a1',
        title: 'Neu',
        text: 'Karten',
        kind: 'update',
        priority: 0,
        activeFrom: null,
        activeTo: utc,
        url: 'https://example.org/',
        platforms: ['ios'],
      },
    ],
  },
  V1NetworkMaps: {
    generatedAt: utc,
    maps: [
      {
        id: 'm1',
        title: 'Schnellverbindungen',
        region: 'Wien',
        format: 'svg',
        url: '/maps/wien.svg',
        bytes: 12,
        sha256: 'ab'.repeat(32),
        validFrom: '2025-09-01',
        attribution: null,
      },
    ],
  },
};

/** The written samples, and those of types that occur only within them. */
export const samples: Readonly<Record<string, unknown>> = { ...findPartSamples(), ...writtenSamples };

function findPartSamples(): Record<string, unknown> {
  const types = definitions as Readonly<Record<string, PlainSchema>>;
  const found: Record<string, unknown> = {};
  const visit = (schema: PlainSchema, value: unknown): void => {
    const name = schema.$ref?.replace('#/$defs/', '');
    if (name !== undefined) {
      found[name] ??= value;
      visit(types[name]!, value);
    }
    if (schema.items) visit(schema.items, (value as readonly unknown[])[0]);
    if (typeof value !== 'object' || value === null) return;
    for (const variant of schema.anyOf ?? []) if (hasAllMembers(types, variant, value)) visit(variant, value);
    const members = value as Record<string, unknown>;
    for (const [member, part] of Object.entries(schema.properties ?? {}))
      if (member in members) visit(part, members[member]);
  };
  for (const [name, sample] of Object.entries(writtenSamples)) visit(types[name]!, sample);
  return found;
}

function hasAllMembers(
  types: Readonly<Record<string, PlainSchema>>,
  { $ref = '' }: PlainSchema,
  value: object,
): boolean {
  const members = Object.keys(types[$ref.replace('#/$defs/', '')]?.properties ?? {});
  return members.length > 0 && members.every((member) => member in value);
}
