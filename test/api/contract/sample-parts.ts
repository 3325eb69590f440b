export const at = '2025-10-26T02:30:00+01:00';
export const utc = '2025-10-26T01:30:00.000Z';
export const coord = { lat: 48.2185, lon: 16.3925 };
export const stop = {
  id: 'sample:praterstern',
  name: 'Wien Praterstern',
  extId: 'at:49:1023',
  coord,
  distanceMeters: 120,
  kind: 'station',
  productClasses: 209,
};

export const line = {
  label: 'U1',
  name: 'U1 Leopoldau',
  product: 'subway',
  colorHex: '#E20210',
  textColorHex: '#ffffff',
  operatorName: 'Wiener Linien',
  lineId: 'sample:u1',
};

export const time = { scheduled: at, realtime: '2025-10-26T02:32:00+01:00', isRealtime: true, prognosis: 'forecast' };
export const platform = { text: '2', scheduledText: '1', changed: true };
export const cancellation = { fullyCancelled: false, partiallyCancelled: true, note: 'Endet in Schwedenplatz' };
const affected = [{ label: 'U1', operatorName: 'Wiener Linien', region: 'Wien' }];
export const notice = {
  id: 'n1',
  title: 'Bauarbeiten',
  text: 'Die Station ist gesperrt.',
  kind: 'construction',
  priority: -1,
  access: false,
  operatorName: 'Wiener Linien',
  activeFrom: at,
  activeTo: at,
  affectedLines: ['U1'],
  lines: affected,
  affectedStops: ['Praterstern'],
};

const calling = { platform, cancelled: false, serviceKind: 'additional', notices: [notice], attributes: ['low-floor'] };
export const departure = {
  id: 'd1',
  journeyRef: 'ref1',
  line,
  direction: 'Leopoldau',
  stopName: 'Praterstern',
  departure: time,
  ...calling,
};

export const arrival = {
  id: 'a1',
  journeyRef: 'ref1',
  line,
  origin: 'Oberlaa',
  stopName: 'Praterstern',
  arrival: time,
  ...calling,
};

export const journeyStop = {
  id: 'sample:praterstern:1',
  name: 'Praterstern',
  coord,
  arrival: time,
  departure: time,
  platform,
  cancellation,
  isCurrent: true,
};

export const step = { instruction: 'Nach links', maneuver: 'left', polyFrom: 0, polyTo: 3 };
export const legStop = {
  id: 'sample:praterstern:1',
  placeId: 'sample:praterstern',
  name: 'Praterstern',
  coord,
  arrival: time,
  departure: time,
  platform,
  cancellation,
};

export const leg = {
  mode: 'transit',
  line,
  direction: 'Leopoldau',
  origin: legStop,
  destination: legStop,
  intermediateStops: [legStop],
  distanceMeters: 2100,
  journeyRef: 'ref1',
  cancellation,
  notices: [notice],
  transferRisk: 'tight',
  attributes: [],
  polyline: [coord, coord],
  steps: [step],
};

export const fare = { name: 'Einzelfahrt', amountCents: 240, currency: 'EUR' };
export const trip = {
  id: 't1',
  legs: [leg],
  departure: time,
  arrival: time,
  transfers: 0,
  cancellation,
  notices: [],
  attributes: [],
  fares: [fare],
};

export const prediction = {
  journeyRef: 'ref1',
  line: 'U1',
  delayMinutes: 1.5,
  confidence: 'high',
  measuredAt: at,
  source: 'stop_events',
  evidence: 'observed_actual',
  sourceNames: ['sample'],
  sourceConflict: false,
};

export const disruption = {
  id: 'x1',
  title: 'Störung',
  text: 'Schadhaftes Fahrzeug.',
  priority: 1.5,
  operator: 'Wiener Linien',
  category: 'disturbance',
  access: true,
  activeFrom: at,
  activeTo: at,
  activeWindows: [{ from: at, to: at }],
  affectedLines: ['U1'],
  lines: affected,
  affectedStops: ['Praterstern'],
  affectedStopIds: ['sample:praterstern'],
  links: [{ title: 'Mehr', url: 'https://example.org/x?y=z' }],
  pin: coord,
};

export const vehicle = {
  id: 'v1',
  journeyRef: 'ref1',
  coord,
  line,
  direction: 'Leopoldau',
  headingDeg: 359,
  observedAt: at,
};

export const legRef = { journeyRef: 'ref1', originId: 'a', destinationId: 'b' };
export const place = { coord, name: 'Riesenrad' };
export const push = {
  kind: 'webPush',
  subscription: {
    endpoint: 'https://push.example.org/abc',
    expirationTime: null,
    keys: { p256dh: 'BNc-_9', auth: 'tBHI' },
  },
};

export const tripWatch = {
  watchId: 'w1',
  legs: [legRef],
  delivery: push,
  minDelayMinutes: 5,
  until: '2025-10-27T00:00:00Z',
  language: 'en',
};

export const option = {
  kind: 'reroute',
  trip,
  arrivalDeltaMinutes: -3.5,
  successProbability: 0.8,
  sampleSize: 12,
  decideBy: at,
};

export const event = {
  id: 'e1',
  at,
  kind: 'options',
  journeyRef: 'ref1',
  disruptionId: 'x1',
  delayMinutes: 7,
  text: 'Der Anschluss ist gefährdet.',
  options: [option],
};

export const period = { from: '2025-10-01', to: '2025-10-30' };
export const definition = {
  onTimeMaxDelaySeconds: 330,
  lateMinDelaySeconds: 600,
  earlyMinSeconds: -60,
  derivedShare: 0.1,
};
export const timetable = { begin: '2025-09-01', end: '2025-12-13', dataDate: '2025-09-01' };
export const counts = { events: 90, observed: 90, expected: 100, cancelled: 2, replaced: 1 };
