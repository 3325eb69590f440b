import type { MetroStation } from '../../model/metro-stations.ts';
import type { Product } from '../../model/product.ts';
import { formatTimestamp, type Instant } from '../../model/service-time.ts';
import { SAMPLE_ZONE } from '../simulator/service-day.ts';
import type {
  SimulatedAlert,
  SimulatedCall,
  SimulatedState,
  SimulatedStop,
  SimulatedTrip,
} from '../simulator/simulated-state.ts';

// Answers of Wiener Linien's open data interface in the made-up country. Limited to that interface: no cancellations,
// no trip ids, and HTML entities in each text, as its editors' tools produce them.

/** The made-up operator of these alerts. */
const CITY_AGENCY = 'wien';
const MONITOR_AHEAD_SECONDS = 70 * 60;
/** Trips that start later than this have no forecast yet. */
const FORECAST_AHEAD_SECONDS = 45 * 60;
/** How long a departure stays on the monitor. */
const DEPARTED_SHOWN_SECONDS = 15;

const vehicleTypes: ReadonlyMap<Product, string> = new Map([
  ['subway', 'ptMetro'],
  ['tram', 'ptTram'],
  ['cityBus', 'ptBusCity'],
  ['nightBus', 'ptBusNight'],
  ['regionalBus', 'ptBusRegion'],
  ['sBahn', 'ptTrainS'],
]);

interface MonitorOptions {
  /** The server's clock while the data are frozen; `timeReal` then follows it, as observed in 2026. */
  readonly serverTime?: Instant;
}

/** An answer of `monitor`: a monitor for each platform, line and direction of the stations, in the requested order. */
export function buildMonitorAnswer(
  state: SimulatedState,
  divas: readonly number[],
  { serverTime = state.now }: MonitorOptions = {},
): object {
  const departures = listDepartures(state, new Set(divas.map(String)));
  const monitors = divas.flatMap((diva) =>
    groupByMonitor(departures.filter(({ call }) => call.stop.diva === String(diva))).map((group) =>
      buildMonitor(group, serverTime),
    ),
  );
  return { data: { monitors }, message: { value: 'OK', messageCode: 1, serverTime: formatTime(serverTime) } };
}

/**
 * An answer of `trafficInfoList`: current disruptions, lifts included.
 * @param metroStations the real ones, for the platform numbers of a lift; without them, only its station is named
 */
export function buildTrafficInfoAnswer(state: SimulatedState, metroStations: readonly MetroStation[] = []): object {
  const alerts = listCityAlerts(state).filter((alert) => !isPlannedWork(alert));
  return {
    data: {
      trafficInfoCategories: [
        buildCategory(2, 'stoerunglang', 'Störung Lang'),
        buildCategory(1, 'aufzugsinfo', 'Aufzugsinfo'),
      ],
      trafficInfoCategoryGroups: [
        { id: 1, name: 'betriebsinformationechtzeit', title: 'Betriebsinformation (Echtzeit)' },
      ],
      trafficInfos: alerts.map((alert) => buildTrafficInfo(alert, metroStations)),
    },
    message: { value: 'OK', messageCode: 1 },
  };
}

/** An answer of `newsList`: planned work. */
export function buildNewsAnswer(state: SimulatedState): object {
  const category = buildCategory(13296, 'aktuelles', 'Aktuelles');
  return {
    data: {
      poiCategories: [category],
      poiCategoryGroups: [{ id: 61, name: 'hinweise', title: 'Hinweise' }],
      pois: listCityAlerts(state)
        .filter(isPlannedWork)
        .map((alert) => ({ ...buildNotice(alert), id: alert.id, refPoiCategoryId: category.id })),
    },
    message: { value: 'OK', messageCode: 1 },
  };
}

// ---- Monitors ------------------------------------------------------------------------------------------------------

interface Departure {
  readonly trip: SimulatedTrip;
  readonly call: SimulatedCall;
  readonly hasForecast: boolean;
}

function listDepartures(state: SimulatedState, divas: ReadonlySet<string>): Departure[] {
  const departures = state.trips
    .filter((trip) => trip.state !== 'cancelled' && !trip.isDataLost && vehicleTypes.has(trip.product))
    .flatMap((trip) => {
      const hasForecast = trip.calls[0]!.departure <= state.now + FORECAST_AHEAD_SECONDS;
      // No departures at a last call.
      return trip.calls.slice(0, -1).map((call) => ({ trip, call, hasForecast }));
    });
  return departures
    .filter(({ call }) => divas.has(call.stop.diva ?? '') && !call.isSkipped && isStillToCome(call, state.now))
    .sort((a, b) => a.call.departure - b.call.departure);
}

function isStillToCome({ departure }: SimulatedCall, now: Instant): boolean {
  return departure >= now - DEPARTED_SHOWN_SECONDS && departure <= now + MONITOR_AHEAD_SECONDS;
}

function groupByMonitor(departures: readonly Departure[]): Departure[][] {
  const groups = new Map<string, Departure[]>();
  for (const departure of departures) {
    const { stop } = departure.call;
    const key = `${stop.stopId} ${departure.trip.lineLabel} ${departure.trip.directionId}`;
    const group = groups.get(key);
    if (group) group.push(departure);
    else groups.set(key, [departure]);
  }
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
}

/** @param group departures of one line from one platform in one direction, at least one */
function buildMonitor(group: readonly Departure[], serverTime: Instant): object {
  const { trip, call } = group[0]!;
  return {
    locationStop: buildLocationStop(call),
    lines: [
      {
        ...buildLine(trip, call),
        departures: { departure: group.map((departure) => buildDeparture(departure, serverTime)) },
      },
    ],
    attributes: {},
  };
}

function buildLocationStop({ stop, platform }: SimulatedCall): object {
  return {
    type: 'Feature',
    geometry: { type: 'Point', coordinates: [stop.lon, stop.lat] },
    properties: {
      name: stop.diva,
      title: escapeHtml(stop.name),
      municipality: 'Wien',
      municipalityId: 49000001,
      type: 'stop',
      coordName: 'WGS84',
      ...(platform === null ? {} : { gate: platform }),
      attributes: { rbl: toPlatformNumber(stop) },
    },
  };
}

function buildLine(trip: SimulatedTrip, call: SimulatedCall): object {
  const directionNumber = String(trip.directionId + 1);
  return {
    name: trip.lineLabel,
    towards: escapeHtml(trip.headsign),
    direction: trip.directionId === 0 ? 'H' : 'R',
    platform: call.platform ?? directionNumber,
    richtungsId: directionNumber,
    barrierFree: true,
    realtimeSupported: true,
    trafficjam: false,
    type: vehicleTypes.get(trip.product),
  };
}

function buildDeparture({ trip, call, hasForecast }: Departure, serverTime: Instant): object {
  const expectedAt = Math.max(call.departure, serverTime) as Instant;
  return {
    departureTime: {
      timePlanned: formatTime(call.scheduledDeparture),
      ...(hasForecast ? { timeReal: formatTime(expectedAt) } : {}),
      countdown: Math.floor((expectedAt - serverTime) / 60),
    },
    vehicle: { ...buildLine(trip, call), attributes: {} },
  };
}

/** A stable platform number, far above the real ones to avoid confusion. */
function toPlatformNumber({ stopId }: SimulatedStop): number {
  let hash = 0;
  for (let i = 0; i < stopId.length; i++) hash = (hash * 31 + stopId.charCodeAt(i)) % 100_000;
  return 900_000 + hash;
}

// ---- News ----------------------------------------------------------------------------------------------------------

function listCityAlerts({ alerts }: SimulatedState): SimulatedAlert[] {
  // The format cannot name a single trip.
  return alerts.filter(
    ({ lines, trips }) => trips.length === 0 && lines.some(({ agencyId }) => agencyId === CITY_AGENCY),
  );
}

function isPlannedWork({ kind }: SimulatedAlert): boolean {
  return kind === 'construction' || kind === 'announcement';
}

function buildCategory(id: number, name: string, title: string) {
  return { id, name, title };
}

function buildTrafficInfo(alert: SimulatedAlert, metroStations: readonly MetroStation[]): object {
  const notice = buildNotice(alert);
  if (!alert.isAccess) {
    const status = alert.kind === 'allClear' ? 'resolved' : 'active';
    return { ...notice, priority: '1', refTrafficInfoCategoryId: 2, status };
  }
  const [stop] = alert.stops;
  const station = stop?.name ?? alert.title;
  return {
    ...notice,
    title: escapeHtml(station),
    refTrafficInfoCategoryId: 1,
    relatedStops: metroStations.find(({ diva }) => stop?.id === toStationId(diva))?.stopPoints ?? [],
    attributes: {
      station: escapeHtml(station),
      status: escapeHtml('außer Betrieb'),
      reason: '',
      relatedLines: listLabels(alert),
    },
  };
}

/** The sample's station of a DIVA number: 60201040 is `at:49:1040`. */
function toStationId(diva: number): string {
  return `at:49:${diva % 100_000}`;
}

/** The members common to both lists. */
function buildNotice(alert: SimulatedAlert) {
  const from = alert.activeWindows[0]?.from ?? null;
  const to = alert.activeWindows.at(-1)?.to ?? null;
  return {
    name: alert.id,
    title: escapeHtml(alert.title),
    description: escapeHtml(alert.text),
    descriptionHTML: alert.text
      .split('\n')
      .map((line) => `<p>${escapeHtml(line)}</p>`)
      .join(''),
    owner: alert.operatorName ?? 'WL',
    relatedLines: listLabels(alert),
    time: {
      ...(from === null ? {} : { start: formatTime(from) }),
      ...(to === null ? {} : { end: formatTime(to) }),
    },
  };
}

function listLabels({ lines }: SimulatedAlert): string[] {
  return lines.map(({ label }) => label).filter((label) => label !== null);
}

// ---- Texts and times -----------------------------------------------------------------------------------------------

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  ä: '&auml;',
  ö: '&ouml;',
  ü: '&uuml;',
  Ä: '&Auml;',
  Ö: '&Ouml;',
  Ü: '&Uuml;',
  ß: '&szlig;',
  '–': '&ndash;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>äöüÄÖÜß–]/g, (sign) => entities[sign]!);
}

/** `2026-04-20T14:40:15.000+0200`. */
function formatTime(instant: Instant): string {
  return formatTimestamp(instant, SAMPLE_ZONE).replace(/([+-]\d{2}):(\d{2})$/, '.000$1$2');
}
