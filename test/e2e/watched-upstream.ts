import { sampleRealtime } from '../../jobs/definitions/sample-realtime.ts';
import type { ConfiguredSource } from '../../pipeline/config/configured-source.ts';
import type { PolledCountry } from '../support/worlds/polled-country.ts';

/** Maximum age of all watched sources, short enough that one becomes outdated within minutes. */
const INTERVAL_SECONDS = 60;
export const MAX_AGE_SECONDS = 120;

/** A source with faults, and a neighbouring source without. */
export interface WatchedUpstream {
  readonly id: string;
  readonly neighbour: string;
  /** All paths that are polled. */
  readonly paths: readonly string[];
  /** A stop whose board has realtime from this source only. */
  readonly stop: string;
  /** Expected state while it answers, and after it has failed for too long; the neighbour and the service are unaffected. */
  readonly well: Looks;
  readonly ill: Looks;
  configure(baseUrl: string): readonly ConfiguredSource[];
}

interface Looks {
  readonly source: string;
  readonly neighbour: 'fresh';
  readonly health: 200;
  readonly components: Readonly<Record<string, string>>;
  readonly vehicles?: Shown;
  readonly metro?: Shown;
}

/** Status of a list, and whether it is empty. */
interface Shown {
  readonly status: string | undefined;
  readonly isEmpty: boolean;
}

function looks(source: string, departures: string, disruptions: string, vehiclePositions: string): Looks {
  return { source, neighbour: 'fresh', health: 200, components: { departures, disruptions, vehiclePositions } };
}

type Changes = { readonly [kind in ConfiguredSource['kind']]?: object };

/** Configures some sources of the sample, each with as few requests as possible. */
export function configure(baseUrl: string, changes: Changes): readonly ConfiguredSource[] {
  const facts = { intervalSeconds: INTERVAL_SECONDS, maxAgeSeconds: MAX_AGE_SECONDS };
  return (
    sampleRealtime(baseUrl)
      // One of the GTFS-Realtime sources suffices.
      .filter(({ id, kind }) => kind in changes && (kind !== 'gtfs-rt' || id === gtfsRt.id))
      .map((one) => changeSource({ ...one, ...facts }, { ...few[one.kind], ...changes[one.kind] }))
  );
}

/** Changes of settings that every source has, such as its budget, and of options of its kind. */
function changeSource(source: ConfiguredSource, changes: object): ConfiguredSource {
  const isFact = ([name]: [string, unknown]) => name in source;
  const all = Object.entries(changes);
  return {
    ...source,
    ...Object.fromEntries(all.filter(isFact)),
    options: { ...source.options, ...Object.fromEntries(all.filter((change) => !isFact(change))) },
  };
}

const few: Changes = {
  'wiener-linien': { stations: [60_201_095], trafficInfo: false, news: false },
  trias: { stops: ['at:46:graz'] },
  hafas: { stops: ['at:44:linz'], remarks: false },
};

/** Only the alerts of GTFS-Realtime. */
const newsOnly = { tripUpdates: [], vehiclePositions: [] };

export const gtfsRt: WatchedUpstream = {
  id: 'stmk_gtfs_rt',
  neighbour: 'vao',
  paths: ['/gtfs-rt/stmk/trip-updates.pb', '/gtfs-rt/stmk/vehicle-positions.pb', '/gtfs-rt/stmk/alerts.pb'],
  stop: 'sample:at:46:graz-hauptplatz',
  well: {
    ...looks('fresh', 'operational', 'operational', 'operational'),
    vehicles: { status: 'measurement_snapshot', isEmpty: false },
  },
  // The neighbour reports departures and disruptions too, but no other source reports vehicles.
  ill: { ...looks('stale', 'degraded', 'degraded', 'outage'), vehicles: { status: 'unavailable', isEmpty: true } },
  configure: (baseUrl) => configure(baseUrl, { 'gtfs-rt': {}, hafas: {} }),
};

export const wienerLinien: WatchedUpstream = {
  id: 'city_transit',
  neighbour: 'stmk_gtfs_rt',
  paths: ['/ogd_realtime/monitor'],
  stop: 'sample:at:49:1095',
  well: {
    ...looks('fresh', 'operational', 'operational', 'paused'),
    metro: { status: 'ok', isEmpty: false },
  },
  // Boards continue without realtime: losing the only source of departures is not an outage.
  ill: { ...looks('stale', 'degraded', 'operational', 'paused'), metro: { status: 'stale', isEmpty: true } },
  configure: (baseUrl) => configure(baseUrl, { 'wiener-linien': {}, 'gtfs-rt': newsOnly }),
};

export const trias: WatchedUpstream = {
  id: 'trias',
  neighbour: 'stmk_gtfs_rt',
  paths: ['/trias'],
  stop: 'sample:at:46:graz',
  well: looks('fresh', 'operational', 'operational', 'paused'),
  ill: looks('stale', 'degraded', 'degraded', 'paused'),
  configure: (baseUrl) => configure(baseUrl, { trias: {}, 'gtfs-rt': newsOnly }),
};

export const hafas: WatchedUpstream = {
  id: 'vao',
  neighbour: 'stmk_gtfs_rt',
  paths: ['/hafas/mgate'],
  stop: 'sample:at:44:linz',
  well: looks('fresh', 'operational', 'operational', 'paused'),
  ill: looks('stale', 'degraded', 'degraded', 'paused'),
  configure: (baseUrl) => configure(baseUrl, { hafas: {}, 'gtfs-rt': newsOnly }),
};

// ---- Reading the service -----------------------------------------------------------------------

interface Row {
  readonly journeyRef: string;
  readonly cancelled: boolean;
  readonly departure: { readonly scheduled: string; readonly realtime?: string; readonly isRealtime: boolean };
}

interface Status {
  readonly components: readonly { readonly id: string; readonly status: string }[];
  readonly sources: readonly { readonly id: string; readonly status: string; readonly ageSeconds: number | null }[];
}

/** Rows that depart in half an hour or later, so that they stay on the board during a test. */
async function listRows({ getJson, clock }: PolledCountry, stop: string): Promise<Row[]> {
  const { json } = await getJson(`/v2/stops/${stop}/departures?durationMinutes=180&limit=200`);
  const rows = (json as { readonly departures: readonly Row[] }).departures;
  const from = clock.nowMilliseconds() + 30 * 60_000;
  return rows.filter(({ departure, cancelled }) => !cancelled && Date.parse(departure.scheduled) >= from);
}

/** Finds the name of a row with realtime. */
export async function findLiveRow(polled: PolledCountry, stop: string): Promise<string> {
  const row = (await listRows(polled, stop)).find(({ departure }) => departure.isRealtime);
  if (!row) throw new Error(`no row of ${stop} shows realtime`);
  return row.journeyRef;
}

const METRO = '/v1/city-transit/metro?diva=60201095';

interface Lists {
  readonly source?: string;
  readonly vehicles?: readonly unknown[];
  readonly status?: string;
  readonly departures?: readonly unknown[];
}

/** Reads the current responses of the service about one source. */
export async function look(polled: PolledCountry, { id, stop, neighbour }: WatchedUpstream, journeyRef: string) {
  const getJson = async (url: string) => (await polled.getJson(url)).json;
  const board = (await getJson(`/v2/stops/${stop}/departures?durationMinutes=180&limit=200`)) as { departures: Row[] };
  const status = (await getJson('/v1/status')) as Status;
  const sources = Object.fromEntries(status.sources.map((source) => [source.id, source]));
  const vehicles = (await getJson('/v1/vehicles')) as Lists;
  const metro = (await getJson(METRO)) as Lists;
  return {
    row: board.departures.find((row) => row.journeyRef === journeyRef)?.departure,
    source: sources[id]!.status,
    neighbour: sources[neighbour]!.status,
    neighbourAge: sources[neighbour]!.ageSeconds,
    components: Object.fromEntries(status.components.map((one) => [one.id, one.status])),
    vehicles: { status: vehicles.source, isEmpty: vehicles.vehicles?.length === 0 } satisfies Shown,
    metro: { status: metro.status, isEmpty: metro.departures?.length === 0 } satisfies Shown,
    health: (await polled.getJson('/v1/health')).status,
    trouble: polled.source(id).trouble,
    lastSuccessAt: polled.source(id).lastSuccessAt,
  };
}
