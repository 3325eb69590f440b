import type { InjectOptions } from 'fastify';
import type { RouteContract } from '../../api/contract/route-contract.ts';
import type { RealtimeSourceState } from '../../pipeline/snapshots/realtime-contract.ts';
import { samples } from './contract/samples.ts';

export const NOW = '2026-03-03T06:30:07Z';
export const ROUNDED_NOW = '2026-03-03T07:30:00+01:00';

/** A source of metro departures for the metro route. */
export const metroSource: RealtimeSourceState = {
  id: 'city_transit',
  kind: 'wiener-linien',
  archive: 'full',
  isStandby: false,
  lastSuccessAt: null,
  lastSuccessByArea: {},
  lastAttemptAt: null,
  requestedAreas: [],
  trouble: null,
  maxAgeSeconds: 180,
  provides: ['departures', 'disruptions'],
  coverage: ['Wien'],
  isNationwide: false,
  attribution: null,
  licence: null,
  vehicleCells: [],
  onDemand: null,
  tally: {
    matched: {},
    unmatched: {},
    vehiclesMatched: 0,
    vehiclesOnRouteOnly: 0,
    vehiclesUnmatched: 0,
    alerts: 0,
    records: 0,
    problems: {},
  },
};

export const nameOf = ({ method, path }: RouteContract) => `${method} ${path}`;

// ---- All routes --------------------------------------------------------------------------------

/** A valid query for the routes that need one. */
const neededQueries: Readonly<Record<string, string>> = {
  '/v1/predictions': '?line=U1',
  '/v1/city-transit/metro': '?diva=60201040',
};

export function goodRequest({ method, path, bodyType }: RouteContract): InjectOptions {
  const url = path + (neededQueries[path] ?? '');
  return bodyType === undefined ? { method, url } : { method, url, payload: samples[bodyType] as object };
}
