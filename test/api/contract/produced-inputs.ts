import type { TripPrediction } from '../../../pipeline/model/prediction.ts';
import type { SourceUpdate, StationBoard } from '../../../pipeline/model/realtime.ts';
import { type ServiceDate, toEpochDay } from '../../../pipeline/model/service-time.ts';
import type { MapsManifest } from '../../../pipeline/snapshots/network-map-files.ts';
import {
  type Announcement,
  announcementKinds,
  announcementPlatforms,
} from '../../../pipeline/snapshots/parse-announcements.ts';
import type { RealtimeSourceState } from '../../../pipeline/snapshots/realtime-contract.ts';
import type { FeedEntity } from '../../../pipeline/sources/gtfs-rt/feed-message.ts';
import { normaliseFeed } from '../../../pipeline/sources/gtfs-rt/normalise-feed.ts';
import { instant, type World } from '../../support/worlds/board-world.ts';
import { alertOf, callOf, reportOf, stopOf, timeOf, tripOf, vehicleOf } from '../../support/worlds/live-reports.ts';
import { house, makePlaceIndex } from '../../support/worlds/made-up-places.ts';
import { predictionOf } from '../../support/worlds/trip-predictions.ts';
import { at, DAY, townTrip } from '../engine/live-town.ts';
import { tripTown } from '../engine/trips/trip-town.ts';
import type { ServiceOptions } from '../service-app.ts';

/** Reports of a source, and requests to the service afterwards. */
export interface Input {
  readonly what: string;
  /** Local time; default: `08:05`. */
  readonly now?: string;
  /** null: no source has ever reported. */
  readonly update?: Partial<SourceUpdate> | null;
  /** Predictions of our models. */
  readonly predictions?: readonly TripPrediction[];
  readonly source?: Partial<RealtimeSourceState>;
  readonly service?: Partial<ServiceOptions>;
  /** Additional files and rows of the timetable. */
  readonly feed?: string;
  /** Later reports of the source, after which the watches of the first responses are requested again. */
  readonly later?: readonly (readonly [clock: string, update: Partial<SourceUpdate>])[];
  /** Requests besides the usual ones. */
  readonly requests?: readonly ApiRequest[];
}

type ApiRequest = readonly [operationId: string, path: string, body?: (world: World) => object];

export const ref = ({ timetable, references }: World, tripId: string): string => {
  const { tripId: ids, key } = timetable.tables.trips;
  for (let row = 0; row < ids.length; row++) {
    if (ids.get(row) === tripId) {
      return references.sealJourney({ tripKey: key[row]!, day: toEpochDay(DAY as ServiceDate) });
    }
  }
  throw new Error(`there is no trip ${tripId}`);
};

const leg = (world: World, tripId: string, from: string, to: string) => ({
  journeyRef: ref(world, tripId),
  originId: `at:${from}`,
  destinationId: `at:${to}`,
});

const twoLegs = (world: World) => ({ legs: [leg(world, 't1', 'a', 's1'), leg(world, 't2', 's2', 'z')] });

export const watchRequests: readonly ApiRequest[] = [
  ['watchTrip', '/v2/trips/watch', twoLegs],
  ['watchRescue', '/v2/rescue/watch', twoLegs],
  ['watchTrip', '/v2/trips/watch', (world) => ({ legs: [leg(world, 't2', 's2', 'z')] })],
  ['watchLines', '/v2/lines/watch', () => ({ lines: [{ label: '1' }] })],
];

/** Requests for every input. */
export const usual: readonly ApiRequest[] = [
  ['getPredictions', '/v2/predictions/batch', (world) => ({ journeyRefs: [ref(world, 't1'), ref(world, 't2')] })],
  ['getV1Predictions', '/v1/predictions?line=1'],
  ['listVehicles', `/v2/vehicles?${'minLat=48&minLon=16&maxLat=48.1&maxLon=16.1'}`],
  ['getV1Vehicles', `/v1/vehicles?${'minLat=48&minLon=16&maxLat=48.1&maxLon=16.1'}`],
  ['planFootpath', '/v2/footpath', () => ({ from: { lat: 48, lon: 16 }, to: { lat: 48.001, lon: 16 } })],
  ['planTrips', '/v2/trips', () => ({ from: { stopId: 'at:a' }, to: { stopId: 'at:x' }, time: at('07:30') })],
  ['getJourney', '/v2/journeys/{t2}'],
  ['planRescue', '/v2/rescue', (world) => ({ legs: [leg(world, 't2', 's2', 'z')], limit: 6 })],
  ['planTrips', '/v2/trips', () => ({ from: { stopId: 'at:h' }, to: { stopId: 'at:x' }, time: at('08:05') })],
  ['getV1Metro', '/v1/city-transit/metro?diva=60201095'],
  ['getV1Announcements', '/v1/announcements'],
  ['getV1NetworkMaps', '/v1/network-maps'],
  [
    'planRescue',
    '/v2/rescue',
    (world) => ({ legs: [leg(world, 't2', 's2', 'z')], to: { coord: { lat: 48.041, lon: 16.041 } } }),
  ],
  ['getMeta', '/v2/meta'],
  ['searchStops', '/v2/stops?query=Bahnhof'],
  ['listNearbyStops', '/v2/stops/nearby?lat=48.04&lon=16.04'],
  ['getDepartures', '/v2/stops/at:s/departures?durationMinutes=120'],
  ['getDepartures', '/v2/stops/at:a/departures?durationMinutes=120&limit=1'],
  ['getArrivals', '/v2/stops/at:z/arrivals?durationMinutes=120'],
  ['getStopInfo', '/v2/stops/at:s/info'],
  ['listDisruptions', '/v2/disruptions?limit=1'],
  ['listDisruptions', '/v2/disruptions'],
  ['listVehicles', '/v2/vehicles'],
  ['planTrips', '/v2/trips', () => ({ from: { stopId: 'at:a' }, to: { stopId: 'at:z' }, time: at('07:30') })],
  ['planRescue', '/v2/rescue', twoLegs],
  ['getV1Health', '/v1/health'],
  ['getV1Status', '/v1/status'],
  ['getV1Vehicles', '/v1/vehicles'],
];

const places = makePlaceIndex([
  house('Kirchengasse', '1', 'Ort', '2000', 48.02, 16.02),
  { lat: 48.03, lon: 16.03, tags: { historic: 'castle', name: 'Schloss' } },
]);

// ---- Inputs ------------------------------------------------------------------------------------

const inGerman = (text: string) => ({ translation: [{ text, language: 'de' }] });

const route1 = [{ routeId: 'r1' }];
const alertEntity = (id: string, alert: Partial<NonNullable<FeedEntity['alert']>>): FeedEntity =>
  ({ id, alert: { activePeriod: [], informedEntity: route1, ...alert } }) as FeedEntity;

/** A GTFS-Realtime message, parsed by its grammar. */
const gtfsRt = (...entity: FeedEntity[]): Partial<SourceUpdate> =>
  normaliseFeed(
    { header: { gtfsRealtimeVersion: '2.0', timestamp: instant(at('08:05')) }, entity, problems: [] },
    { source: 'rt', fetchedAt: instant(at('08:05')), maxAgeSeconds: 300, measuredStopEvents: false },
  );

const bus = (clock: string) =>
  reportOf(townTrip('t1'), { calls: [callOf(stopOf('s1'), { arrival: timeOf(at(clock)) })] });

const cancelled = (tripId: string) => reportOf(townTrip(tripId), { relationship: 'cancelled' });
const extra = (isSpecial: boolean) =>
  reportOf(tripOf('extra', { startDate: DAY, lineLabel: 'E', product: 'cityBus', operatorName: 'Verkehr' }), {
    relationship: 'added',
    isSpecial,
    calls: [
      callOf(stopOf('s2'), { departure: timeOf(at('08:20'), at('08:20')), scheduledPlatform: '2', platform: '3' }),
      callOf(stopOf('z'), { arrival: timeOf(at('08:36'), at('08:34')) }),
    ],
  });

const lateTram = (clock: string, platform: string) =>
  reportOf(townTrip('t2'), { calls: [callOf(stopOf('s2'), { departure: timeOf(at(clock)), platform })] });

const lateBus = (clock: string, platform: string) =>
  reportOf(townTrip('t1'), {
    calls: [callOf(stopOf('a'), { departure: timeOf(at(clock)), platform, scheduledPlatform: '1' })],
  });

const BOX = { south: 48, west: 16, north: 48.1, east: 16.1 };
const sure = (tripId: string, over: Partial<TripPrediction>, high = 120) => {
  const quantiles = [60, 90, high] as const;
  const now = { day: DAY as ServiceDate, observedAt: at('08:04') };
  return predictionOf(tripId, now, [quantiles, quantiles, quantiles], over);
};

const metroBoard = (clock: string): StationBoard => ({
  station: '60201095',
  publishedAt: null,
  isFrozen: false,
  departures: [{ line: 'U1', towards: 'Leopoldau', plannedAt: instant(at(clock)), realAt: instant(at(clock)) }],
});

const announcements: readonly Announcement[] = announcementKinds.map((kind, i) => ({
  id: kind,
  title: 'T',
  text: 'U',
  kind,
  priority: 1,
  activeFrom: null,
  activeTo: null,
  url: null,
  platforms: i === 0 ? [...announcementPlatforms] : [],
  closedAt: null,
}));

const maps: MapsManifest = {
  kind: 'network-maps',
  formatVersion: 1,
  id: 'm',
  createdAt: at('08:00'),
  refused: [],
  maps: (['pdf', 'svg', 'png'] as const).map((format) => ({
    id: format,
    title: 'T',
    region: 'R',
    format,
    file: `m.${format}`,
    bytes: 1,
    sha256: '0'.repeat(64),
    validFrom: null,
    attribution: null,
    layout: null,
  })),
};

/** Route types of products for which the town has no line. */
const products = [
  ['regionalBus', 701],
  ['nightBus', 705],
  ['train', 102],
  ['regionalTrain', 106],
  ['sBahn', 109],
  ['subway', 401],
  ['cableway', 1300],
  ['ship', 1000],
  ['other', 1700],
  ['tram', 900],
] as const;

const PRODUCTS = tripTown
  .replace(/route_type\n/, 'route_type,route_color,route_text_color\n')
  .replace(/^( +r\d,v,.*)$/gm, '$1,,')
  .replace(
    '  # trips.txt',
    `${products.map(([id, type]) => `  ${id},v,${id},${id},${type},E20210,FFFFFF`).join('\n')}\n  # trips.txt`,
  )
  .replace(
    '  # stop_times.txt',
    `${products.map(([id]) => `  ${id},${id},daily,,,,,,`).join('\n')}\n  # stop_times.txt`,
  )
  .replace(
    '  # shapes.txt',
    `${products.map(([id]) => `  ${id},a,1,08:05:00,08:05:00,,,\n  ${id},x,2,08:55:00,08:55:00,,,`).join('\n')}\n  # shapes.txt`,
  );

const GUARANTEED = `${tripTown}
  # transfers.txt
  from_stop_id,to_stop_id,transfer_type
  s1,s2,1
`;

export const inputs: readonly Input[] = [
  { what: 'no source was heard', update: null },
  { what: 'a source was heard, and says nothing', update: {} },
  {
    what: 'alerts of GTFS-Realtime, one of each kind',
    update: gtfsRt(
      alertEntity('1', { headerText: inGerman('Schienenersatzverkehr'), url: inGerman('https://example.org/plan') }),
      alertEntity('2', { headerText: inGerman('Gleisbau'), cause: 'CONSTRUCTION' }),
      alertEntity('3', { headerText: inGerman('Kein Bus'), effect: 'NO_SERVICE' }),
      alertEntity('4', { headerText: inGerman('Umweg'), effect: 'DETOUR' }),
      alertEntity('5', { headerText: inGerman('Umleitung wegen Rettungseinsatz'), effect: 'DETOUR' }),
      alertEntity('6', { headerText: inGerman('Störung behoben') }),
      alertEntity('7', { headerText: inGerman('Autoschleuse: Ladezeiten') }),
      alertEntity('8', { headerText: inGerman('Zur Kenntnis'), effect: 'NO_EFFECT' }),
      alertEntity('9', { headerText: inGerman('Linie 1') }),
    ),
  },
  {
    what: 'an alert with all that a publisher can say',
    update: {
      alerts: [
        alertOf('x', {
          operatorName: 'Verkehr',
          category: 'BAU',
          isAccess: true,
          activeWindows: [{ from: instant(at('05:00')), to: instant(at('20:00')) }],
          lines: [{ label: '1', routeId: null, agencyId: null, operatorName: 'Verkehr', region: 'Tal' }],
          stops: [stopOf('s1')],
          links: [{ title: 'Plan', url: 'https://example.org/plan' }],
          pin: { lat: 48.04, lon: 16.04 },
        }),
        alertOf('y', { trips: [townTrip('t2')], kind: 'cancellation', text: 'Wegen Personalmangels.' }),
      ],
      trips: [cancelled('t2')],
    },
  },
  { what: 'an extra trip', update: { trips: [extra(false)] } },
  { what: 'a special trip', update: { trips: [extra(true)] } },
  {
    what: 'a special trip of GTFS-Realtime, by its headsign',
    update: gtfsRt({
      id: 's',
      tripUpdate: {
        trip: { tripId: 'special', startDate: '20260303', scheduleRelationship: 'NEW', routeId: 'r2' },
        tripProperties: { tripHeadsign: 'Sonderzug' },
        stopTimeUpdate: [
          { stopId: 's2', departure: { time: instant(at('08:20')) } },
          { stopId: 'z', arrival: { time: instant(at('08:36')) } },
        ],
      },
    } as unknown as FeedEntity),
  },
  { what: 'a bus on time', update: { trips: [bus('08:10')] } },
  { what: 'a bus that makes its change tight', update: { trips: [bus('08:16')] } },
  {
    what: 'a bus that loses its change',
    now: '07:30',
    update: { trips: [bus('08:10')] },
    later: [
      ['07:40', { trips: [bus('08:20')] }],
      ['07:41', { trips: [bus('08:20')] }],
    ],
  },
  { what: 'a bus that has lost its change', update: { trips: [bus('08:20')] } },
  { what: 'a cancelled tram', update: { trips: [bus('08:10'), cancelled('t2')] } },
  {
    what: 'a bus that was seen leaving, and its delay carried on',
    update: {
      trips: [
        reportOf(townTrip('t1'), { calls: [callOf(stopOf('a'), { departure: timeOf(at('08:04'), null, true) })] }),
      ],
    },
  },
  { what: 'a bus whose delay our model predicts', update: { trips: [bus('08:10')] }, predictions: [sure('t1', {})] },
  {
    what: 'a bus that ends early',
    update: { trips: [reportOf(townTrip('t1'), { calls: [callOf(stopOf('z'), { state: 'skipped' })] })] },
  },
  { what: 'an alert of a watched line', update: { alerts: [alertOf('w', { stops: [stopOf('s2')] })] } },
  {
    what: 'a vehicle',
    update: { vehicles: [vehicleOf('v1', { trip: townTrip('t1'), headingDeg: 90, recordedAt: instant(at('08:05')) })] },
    requests: [['getJourney', '/v2/journeys/{t1}']],
  },
  {
    what: 'a watched trip that is late, on another platform, disrupted, and well again',
    now: '07:30',
    update: {
      trips: [lateBus('08:08', '9'), lateTram('08:28', '9')],
      alerts: [alertOf('w', { stops: [stopOf('s1')] })],
    },
    later: [
      ['07:40', { trips: [lateBus('08:00', '9')], alerts: [] }],
      ['07:50', { trips: [lateBus('08:00', '9')], alerts: [] }],
      ['07:51', { trips: [lateBus('08:07', '9')], alerts: [] }],
    ],
  },
  { what: 'a connection that waits', feed: GUARANTEED, update: { trips: [bus('08:10')] } },
  {
    what: 'lines of every product, and a vehicle of each',
    feed: PRODUCTS,
    update: {
      vehicles: products.map(([product]) =>
        vehicleOf(product, { trip: townTrip(product), recordedAt: instant(at('08:05')) }),
      ),
    },
    requests: [['getStopInfo', '/v2/stops/at:a/info']],
  },
  {
    what: 'a prediction from positions, less sure',
    update: {},
    predictions: [sure('t1', { channel: 'positions' }, 300)],
  },
  { what: 'predictions that are paused', update: {}, service: { arePredictionsPaused: true } },
  { what: 'a source of the whole country', update: {}, source: { isNationwide: true } },
  {
    what: 'a source that is polled where vehicles were requested',
    update: {},
    source: {
      kind: 'hafas',
      onDemand: { isCapped: false, areas: [{ box: BOX, requestedAt: new Date(at('08:05')).toISOString() }] },
    },
  },
  {
    what: 'a source whose budget is spent',
    update: {},
    source: { kind: 'hafas', onDemand: { isCapped: true, areas: [] } },
  },
  {
    what: 'a source that was not polled there yet',
    update: {},
    source: { kind: 'hafas', onDemand: { isCapped: false, areas: [] } },
  },
  {
    what: 'the board of a metro station',
    update: { stationBoards: [metroBoard('08:10')] },
    source: { kind: 'wiener-linien' },
  },
  {
    what: 'the board of a metro station that stands still',
    update: { stationBoards: [{ ...metroBoard('06:00'), isFrozen: true }] },
    source: { kind: 'wiener-linien' },
  },
  {
    what: 'sources that are all well',
    update: {},
    service: { sourceChecks: { at: at('08:00') } },
  },
  {
    what: 'models that have nothing to go by yet',
    update: {},
    service: { models: [{ sourceId: 'rt', model: 'rt-2026-03-01', lastDay: '2026-03-01' }] },
  },
  {
    what: 'network maps',
    service: { networkMaps: { current: () => ({ value: maps, dataVersion: 'v', timetableVersion: 'v' }) } },
  },
  {
    what: 'an index of addresses and places',
    service: { places: { current: () => ({ value: places, dataVersion: 'places' }) } },
    requests: [
      ['searchStops', '/v2/stops?query=Kirchengasse%201'],
      ['searchStops', '/v2/stops?query=Schloss'],
    ],
  },
  {
    what: 'announcements of the operator',
    service: { announcements: { value: announcements, dataVersion: 'v', timetableVersion: 'v' } },
  },
  { what: 'a timetable that has ended', now: '2026-03-20T08:00:00+01:00', update: null },
  { what: 'a source on standby', update: {}, source: { isStandby: true } },
  { what: 'a source that fell silent', now: '09:30', update: {} },
];
