import { findTripPath } from './trip-paths.ts';

/** A page as the tests look at it. */
export interface LookedAt {
  /** Of its pictures. */
  readonly name: string;
  /** Path with query. @param url base URL of the service, for pages whose address depends on the data */
  findPath(url: string): string | Promise<string>;
  /** Selector of what is there once the page has its data; absent: the server makes all of it. */
  readonly ready?: string;
}

/** Maps are drawn while the service is up; a first page is made with all of them. */
function awaitMaps(toPath: (id: string) => string) {
  return async (url: string): Promise<string> => {
    for (;;) {
      const { maps } = (await (await fetch(`${url}/v1/network-maps`)).json()) as { maps: { id: string }[] };
      if (maps[0]) return toPath((maps.find(({ id }) => id === 'wien-metro') ?? maps[0]).id);
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  };
}

/** Every page of the site. */
export const lookedAt: readonly LookedAt[] = [
  { name: 'start', findPath: () => '/', ready: '[role=combobox]' },
  { name: 'trips', findPath: () => '/trips', ready: '[role=combobox]' },
  { name: 'trips-found', findPath: (url) => findTripPath(url, 'list'), ready: '.option' },
  { name: 'trips-chosen', findPath: (url) => findTripPath(url, 'chosen'), ready: '.chosen .legs' },
  { name: 'punctuality', findPath: () => '/punctuality', ready: '.filters' },
  { name: 'predictions', findPath: () => '/predictions', ready: '#predictions .nothing, #predictions .chart-figure' },
  { name: 'network-maps', findPath: awaitMaps(() => '/network-maps'), ready: '.map-list img, main .card' },
  { name: 'network-map', findPath: awaitMaps((id) => `/network-maps/${id}`), ready: '.map-tools button' },
  { name: 'departure-board', findPath: () => '/departure-board' },
  { name: 'problems', findPath: () => '/problems' },
];
