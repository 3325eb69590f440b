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

/** Every page of the site. */
export const lookedAt: readonly LookedAt[] = [
  { name: 'start', findPath: () => '/', ready: '[role=combobox]' },
  { name: 'trips', findPath: () => '/trips', ready: '[role=combobox]' },
  { name: 'trips-found', findPath: (url) => findTripPath(url, 'list'), ready: '.option' },
  { name: 'trips-chosen', findPath: (url) => findTripPath(url, 'chosen'), ready: '.chosen .legs' },
  { name: 'punctuality', findPath: () => '/punctuality', ready: '.filters' },
  { name: 'predictions', findPath: () => '/predictions', ready: '#predictions .nothing, #predictions .chart-figure' },
  { name: 'departure-board', findPath: () => '/departure-board' },
  { name: 'problems', findPath: () => '/problems' },
];
