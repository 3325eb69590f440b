import type {
  FootpathRequest,
  LineWatchRequest,
  PredictionBatchRequest,
  RescueRequest,
  RescueWatchRequest,
  TripRequest,
  TripWatchRequest,
  UnwatchRequest,
  V1PredictionBatchRequest,
} from './definitions.ts';

// Examples of parameters and bodies in the documents. The stops are those of the built-in sample, so that all of them
// can be sent to a service with the sample; references are opaque, and these only show their format.

const journeyRef = 'pIj8i69WfIczZ5fIenynAX6-y3x80ZTDx-Su-GY';
const praterstern = 'sample:at:49:1040';
const karlsplatz = 'sample:at:49:657';

/** By name of the parameter, which is the same on every route; lists as lists. */
export const parameterExamples: Readonly<Record<string, unknown>> = {
  'X-Installation-Token': 'c0ffee12-device-1',
  'X-Request-Id': 'c0ffee12-3f',
  id: praterstern,
  ref: journeyRef,
  query: 'praterstern',
  limit: 10,
  kinds: ['station'],
  lat: 48.2184,
  lon: 16.3925,
  radiusMeters: 800,
  radius: 800,
  time: '2026-03-16T08:30:00+01:00',
  durationMinutes: 30,
  lines: ['U1', 'U2'],
  products: ['subway', 'tram'],
  directionStopId: karlsplatz,
  originStopId: karlsplatz,
  pageToken: 'AXb1Yk9yQ2hhbm5lbA',
  stopId: praterstern,
  offset: 0,
  line: 'U1',
  operator: 'Wiener Linien',
  category: 'construction',
  activeAt: '2026-03-16T08:30:00+01:00',
  from: '2026-03-01',
  to: '2026-03-15',
  source: 'stmk_gtfs_rt',
  minLat: 48.1,
  minLon: 16.2,
  maxLat: 48.3,
  maxLon: 16.5,
  journeyRefs: [journeyRef],
  jid: journeyRef,
  jids: [journeyRef],
  definition: 'lastForecast',
  format: 'csv',
  table: 'lines',
  diva: 60201040,
};

/** As a client sends it: members with a default may be omitted. */
type Written<Body> = Partial<Body>;

const ride = { journeyRef, originId: praterstern, destinationId: karlsplatz };

/** By the name of the body's type. */
export const bodyExamples: Readonly<Record<string, unknown>> = {
  TripRequest: {
    from: { coord: { lat: 48.2089, lon: 16.3726 }, name: 'Stephansdom' },
    to: { stopId: praterstern },
    limit: 3,
  } satisfies Written<TripRequest>,
  FootpathRequest: {
    from: { lat: 48.2089, lon: 16.3726 },
    to: { lat: 48.2184, lon: 16.3925 },
    language: 'en',
  } satisfies Written<FootpathRequest>,
  PredictionBatchRequest: { journeyRefs: [journeyRef] } satisfies PredictionBatchRequest,
  RescueRequest: { legs: [ride], position: { lat: 48.2184, lon: 16.3925 } } satisfies Written<RescueRequest>,
  TripWatchRequest: { legs: [ride], minDelayMinutes: 3, language: 'en' } satisfies Written<TripWatchRequest>,
  RescueWatchRequest: {
    legs: [ride],
    to: { stopId: karlsplatz },
    minSuccessProbability: 0.8,
  } satisfies Written<RescueWatchRequest>,
  LineWatchRequest: { lines: [{ label: 'U1', operatorName: 'Wiener Linien' }] } satisfies Written<LineWatchRequest>,
  UnwatchRequest: { watchId: 'w4Jm2Qe1tY8' } satisfies UnwatchRequest,
  V1PredictionBatchRequest: { jids: [journeyRef] } satisfies V1PredictionBatchRequest,
};
