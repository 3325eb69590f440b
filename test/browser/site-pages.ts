import { findTripPath } from './trip-paths.ts';

/** A page under test. */
interface LookedAt {
  /** Name of its screenshots. */
  readonly name: string;
  /** Returns the path with query. @param url base URL of the service, for pages whose path depends on the data */
  findPath(url: string): string | Promise<string>;
  /** Selector of an element that appears with the data; absent: the server renders the whole page. */
  readonly ready?: string;
}

/** Waits until the running service has drawn all maps. */
function awaitMaps(toPath: (id: string) => string) {
  return async (url: string): Promise<string> => {
    for (;;) {
      const { maps } = (await (await fetch(`${url}/v1/network-maps`)).json()) as { maps: { id: string }[] };
      if (maps[0]) return toPath((maps.find(({ id }) => id === 'wien-metro') ?? maps[0]).id);
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  };
}

async function fetchJson<Answer>(address: string): Promise<Answer> {
  return (await (await fetch(address)).json()) as Answer;
}

/** A stop with all kinds of vehicles, whose next 12 hours always contain a departure, also at night. */
const BUSY_STOP = 'Wien Meidling';

async function findBoard(url: string): Promise<string> {
  const path = `/site/data/stops?limit=1&query=${encodeURIComponent(BUSY_STOP)}`;
  const { stops } = await fetchJson<{ stops: readonly { id: string }[] }>(url + path);
  return `/stops/${encodeURIComponent(stops[0]!.id)}`;
}

async function findJourney(url: string): Promise<string> {
  const { departures } = await fetchJson<{ departures: readonly { journeyRef: string }[] }>(
    `${url}/site/data${await findBoard(url)}/departures?durationMinutes=720`,
  );
  return `/journeys/${departures[0]!.journeyRef}`;
}

async function findLine(url: string): Promise<string> {
  const { lines } = await fetchJson<{ lines: readonly { id: string }[] }>(`${url}/site/data/lines?query=U6`);
  return `/lines/${encodeURIComponent(lines[0]!.id)}?hours=8`;
}

/** Every page of the site. */
export const lookedAt: readonly LookedAt[] = [
  { name: 'start', findPath: () => '/', ready: '[role=combobox]' },
  { name: 'stops', findPath: () => '/stops?query=wien', ready: '.examples li' },
  { name: 'board', findPath: findBoard, ready: '.board li' },
  { name: 'wall', findPath: async (url) => `${await findBoard(url)}/wall`, ready: '.board li' },
  { name: 'arrivals', findPath: async (url) => `${await findBoard(url)}?show=arrivals`, ready: '.board li' },
  { name: 'journey', findPath: findJourney, ready: '.call' },
  { name: 'trips', findPath: () => '/trips', ready: '[role=combobox]' },
  { name: 'trips-found', findPath: (url) => findTripPath(url, 'list'), ready: '.option' },
  { name: 'trips-chosen', findPath: (url) => findTripPath(url, 'chosen'), ready: '.chosen .legs' },
  { name: 'punctuality', findPath: () => '/punctuality', ready: '.filter-panel' },
  {
    name: 'punctuality-stop',
    findPath: async (url) => (await findBoard(url)).replace('/stops/', '/punctuality/stops/'),
  },
  { name: 'stations', findPath: () => '/punctuality/stops', ready: '.station-table tbody tr' },
  { name: 'predictions', findPath: () => '/predictions', ready: '#predictions .nothing, #predictions .chart-panel' },
  { name: 'map', findPath: () => '/map?lat=48.2082&lon=16.3738&zoom=13', ready: '.maplibregl-canvas' },
  { name: 'lines', findPath: () => '/lines?query=U6' },
  { name: 'line', findPath: findLine },
  { name: 'network-maps', findPath: awaitMaps(() => '/network-maps'), ready: '.map-list img, main .card' },
  { name: 'network-map', findPath: awaitMaps((id) => `/network-maps/${id}`), ready: '.map-tools button' },
  { name: 'explore', findPath: () => '/explore?sql=select+range+as+number+from+range(5)', ready: '.result' },
  { name: 'offline', findPath: () => '/offline' },
  { name: 'guides', findPath: () => '/docs/guides' },
  { name: 'departure-board', findPath: () => '/departure-board' },
  { name: 'problems', findPath: () => '/problems' },
];
