import { formatUtc } from '../../pipeline/model/service-time.ts';
import { MAX_BOX_DEGREES } from '../../pipeline/model/vehicle-demand.ts';
import type { V1Vehicles, Vehicle, VehicleSnapshot } from '../contract/definitions.ts';
import { ApiProblem } from '../contract/problems.ts';
import type { V1VehiclesQuery } from '../contract/v1-queries.ts';
import type { boxSides, VehiclesQuery } from '../contract/v2-queries.ts';
import { presentTimestamp } from '../engine/read/present.ts';
import { listSources } from '../engine/read/realtime.ts';
import { listFresh } from '../engine/read/source-states.ts';
import { supplyVehicles } from '../engine/vehicle-demand.ts';
import { type LiveVehicle, listVehicles, type VehicleContext, type VehicleQuery } from '../engine/vehicles/vehicles.ts';
import type { Handlers, Service, ServiceRequest } from './service.ts';

/** A ten-thousandth of a millimetre: rounding tolerance for differences of decimal degrees. */
const ROUNDING_DEGREES = 1e-9;

/** `/v1/vehicles` and `/v2/vehicles`: the same vehicles in the format of each version. */
export function vehicleHandlers(service: Service): Handlers {
  return {
    'GET /v1/vehicles': {
      snapshot: 'required',
      changesWithTime: () => true,
      answer: (request) => {
        const { jids, ...query } = request.query as V1VehiclesQuery;
        const { vehicles, source } = findVehicles(service, request, query, jids);
        const answer: V1Vehicles = {
          generatedAt: formatUtc(request.instant * 1000),
          source: V1_SOURCES[source],
          count: vehicles.length,
          vehicles: vehicles.map(presentV1),
        };
        return { json: answer };
      },
    },
    'GET /v2/vehicles': {
      snapshot: 'required',
      changesWithTime: () => true,
      answer: (request) => {
        const { journeyRefs, ...query } = request.query as VehiclesQuery;
        const { vehicles, source } = findVehicles(service, request, query, journeyRefs);
        const answer: VehicleSnapshot = {
          vehicles: vehicles.map(presentV2),
          source,
          generatedAt: presentTimestamp(request.instant),
          count: vehicles.length,
        };
        return { json: answer };
      },
    },
  };
}

/** /v1 has no separate value for a service that cannot poll on demand. */
const V1_SOURCES: Readonly<Record<VehicleSnapshot['source'], V1Vehicles['source']>> = {
  measurementSnapshot: 'measurement_snapshot',
  ondemandLive: 'ondemand_live',
  ondemandCapped: 'ondemand_capped',
  ondemandUnavailable: 'unavailable',
  unavailable: 'unavailable',
};

type BoxQuery = Partial<Record<(typeof boxSides)[number], number>>;

function findVehicles(
  service: Service,
  request: ServiceRequest,
  query: BoxQuery & { readonly limit: number },
  journeyRefs: readonly string[] | undefined,
): { readonly vehicles: LiveVehicle[]; readonly source: VehicleSnapshot['source'] } {
  const box = readBox(query);
  const requested = { limit: query.limit, ...(box ? { box } : {}), ...(journeyRefs ? { journeyRefs } : {}) };
  const { source, isFresh, context } = requestVehicles(service, request, requested);
  return { source, vehicles: isFresh ? listVehicles(context, requested) : [] };
}

interface RequestedVehicles {
  readonly source: VehicleSnapshot['source'];
  /** Old positions do not show where vehicles are now. */
  readonly isFresh: boolean;
  readonly context: VehicleContext;
}

/** Records uncovered areas for the poller, without waiting for it. */
export function requestVehicles(
  { references, vehicleDemands }: Service,
  request: ServiceRequest,
  query: VehicleQuery,
): RequestedVehicles {
  const context = { published: request.snapshot!.value, references, instant: request.instant };
  const { source, wanted } = supplyVehicles(context, query);
  if (wanted.length > 0) vehicleDemands.want(wanted);
  return { source, isFresh: source === 'ondemandLive' || isMeasured(context), context };
}

function isMeasured({ published, instant }: VehicleContext): boolean {
  return listFresh(listSources(published), 'vehiclePositions', instant).length > 0;
}

/** @throws ApiProblem `invalid_parameter` for a box that is inverted or too large */
function readBox({ minLat, minLon, maxLat, maxLon }: BoxQuery): VehicleQuery['box'] {
  // The contract has validated that all four are given, or none.
  if (minLat === undefined || minLon === undefined || maxLat === undefined || maxLon === undefined) return undefined;
  check(minLat <= maxLat, 'maxLat', 'The maximum of the box lies below its minimum.');
  check(minLon <= maxLon, 'maxLon', 'The maximum of the box lies below its minimum.');
  check(isNarrow(maxLat - minLat), 'maxLat', `The box spans more latitude than ${MAX_BOX_DEGREES} degrees.`);
  check(isNarrow(maxLon - minLon), 'maxLon', `The box spans more longitude than ${MAX_BOX_DEGREES} degrees.`);
  return { minLat, minLon, maxLat, maxLon };
}

export function isNarrow(degrees: number): boolean {
  return degrees <= MAX_BOX_DEGREES + ROUNDING_DEGREES;
}

function check(isGood: boolean, parameter: string, sentence: string): void {
  if (!isGood) throw new ApiProblem('invalid_parameter', sentence, parameter);
}

function presentV1(vehicle: LiveVehicle): V1Vehicles['vehicles'][number] {
  const { id, journeyRef, line, direction, lat, lon, headingDeg, observedAt } = vehicle;
  return {
    id,
    jid: journeyRef,
    line: line?.label ?? null,
    product: line?.product ?? null,
    direction,
    lat,
    lon,
    headingDeg,
    observedAt: formatUtc(observedAt * 1000),
  };
}

function presentV2(vehicle: LiveVehicle): Vehicle {
  const { id, journeyRef, line, direction, lat, lon, headingDeg, observedAt } = vehicle;
  return {
    id,
    ...(journeyRef === null ? {} : { journeyRef }),
    coord: { lat, lon },
    ...(line === null ? {} : { line }),
    ...(direction === null ? {} : { direction }),
    ...(headingDeg === null ? {} : { headingDeg }),
    observedAt: presentTimestamp(observedAt),
  };
}
