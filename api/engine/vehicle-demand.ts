import type { GeoBox } from '../../pipeline/model/geo.ts';
import {
  containsBox,
  isInBox,
  LIVE_SECONDS,
  listCoverageCells,
  MAX_AREAS,
  nameArea,
  widenToGrid,
} from '../../pipeline/model/vehicle-demand.ts';
import type { RealtimeSourceState } from '../../pipeline/snapshots/realtime-contract.ts';
import type { VehicleSnapshot } from '../contract/definitions.ts';
import { findDatedTrip } from './journeys/journeys.ts';
import { listCalls } from './read/calls.ts';
import { openTrip } from './read/dated-trip.ts';
import { listSources, type Realtime } from './read/realtime.ts';
import type { JourneyName } from './read/references.ts';
import { listFresh } from './read/source-states.ts';
import { isVehicleShown, nameJourney, type VehicleContext, type VehicleQuery } from './vehicles/vehicles.ts';

/** The data mode of an answer with vehicles, and the areas to request so that the next answers have more. */
interface VehicleSupply {
  readonly source: VehicleSnapshot['source'];
  /** Areas without a regular poll that a source can poll on demand. */
  readonly wanted: readonly GeoBox[];
}

/** Margin around the stops between which a vehicle is expected. */
const MARGIN_DEGREES = 0.02;

/**
 * - `measurementSnapshot`: regular polls cover the queried area
 * - `ondemandLive`: a source was polled for the rest at most 60 s ago
 * - `ondemandCapped`: the budgets of the sources that could be polled are used up
 * - `ondemandUnavailable`: no source can be polled, or none has answered yet
 * - `unavailable`: the sources are paused; without an area, also when none is fresh
 */
export function supplyVehicles(context: VehicleContext, query: VehicleQuery): VehicleSupply {
  const { published, instant } = context;
  const sources = listSources(published);
  const isMeasured = listFresh(sources, 'vehiclePositions', instant).length > 0;
  if (!query.box && !query.journeyRefs)
    return { source: isMeasured ? 'measurementSnapshot' : 'unavailable', wanted: [] };
  const areas = listUncovered(context, query, isMeasured ? sources : []);
  if (areas.length === 0 && isMeasured) return { source: 'measurementSnapshot', wanted: [] };
  const able = sources.filter((source) => source.onDemand !== null || source.provides.includes('vehiclePositions'));
  if (able.length > 0 && able.every(({ isStandby }) => isStandby)) return { source: 'unavailable', wanted: [] };
  const askable = able.filter(({ onDemand, isStandby }) => onDemand !== null && !isStandby);
  if (askable.length === 0) return { source: 'ondemandUnavailable', wanted: [] };
  const wanted = areas.slice(0, MAX_AREAS);
  const isLive =
    areas.length > 0 && areas.every((area) => askable.some((source) => isPolledNow(source, area, instant)));
  if (isLive) return { source: 'ondemandLive', wanted };
  const isCapped = askable.every(({ onDemand }) => onDemand!.isCapped);
  return { source: isCapped ? 'ondemandCapped' : 'ondemandUnavailable', wanted };
}

function isPolledNow({ onDemand }: RealtimeSourceState, area: GeoBox, instant: number): boolean {
  return onDemand!.areas.some(
    ({ box, requestedAt }) =>
      containsBox(box, area) && instant - Math.floor(Date.parse(requestedAt) / 1000) <= LIVE_SECONDS,
  );
}

// ---- Coverage ------------------------------------------------------------------------------------

/** Grid areas of the query that no polled source covers. @param sources empty: none does */
function listUncovered(
  context: VehicleContext,
  query: VehicleQuery,
  sources: readonly RealtimeSourceState[],
): GeoBox[] {
  if (query.box) {
    const { minLat: south, minLon: west, maxLat: north, maxLon: east } = query.box;
    const box = { south, west, north, east };
    return isBoxCovered(context, sources, box) ? [] : [widenToGrid(box)];
  }
  const { references, published, instant } = context;
  const seen =
    sources.length === 0 || !published.realtime ? new Set<string>() : listPolled(context, published.realtime);
  const areas = new Map<string, GeoBox>();
  for (const ref of query.journeyRefs ?? []) {
    const name = references.openJourney(ref);
    if (!name || seen.has(nameRun(name))) continue;
    const area = locateJourney(context, name, instant);
    if (area) areas.set(nameArea(area), area);
  }
  return [...areas.values()];
}

/** Whether a polled source had a vehicle in one of its parts during the last day, or has one there now. */
function isBoxCovered(
  { published, instant }: VehicleContext,
  sources: readonly RealtimeSourceState[],
  box: GeoBox,
): boolean {
  const fresh = listFresh(sources, 'vehiclePositions', instant);
  const cells = new Set(fresh.flatMap(({ vehicleCells }) => vehicleCells));
  if (cells.size > 0 && listCoverageCells(box).some((cell) => cells.has(cell))) return true;
  const { realtime } = published;
  if (!realtime || fresh.length === 0) return false;
  const { lat, lon } = realtime.tables.vehicles;
  return lat.some((_, row) => isInBox(box, lat[row]!, lon[row]!) && isPolled(realtime, row, instant));
}

function isPolled(realtime: Realtime, row: number, instant: VehicleContext['instant']): boolean {
  const source = realtime.manifest.sources[realtime.tables.vehicles.source[row]!];
  return isVehicleShown(realtime, row, instant) && source?.provides.includes('vehiclePositions') === true;
}

function listPolled({ published, instant }: VehicleContext, realtime: Realtime): Set<string> {
  const runs = new Set<string>();
  for (let row = 0; row < realtime.tables.vehicles.id.length; row++) {
    const name = isPolled(realtime, row, instant) ? nameJourney(published, realtime, row) : null;
    if (name) runs.add(nameRun(name));
  }
  return runs;
}

const nameRun = ({ tripKey, day }: JourneyName) => `${tripKey}.${day}`;

/**
 * Returns the expected area of a trip at an instant: around the stops that it is between; `null` when it is not under
 * way.
 */
function locateJourney(
  { published }: VehicleContext,
  name: JourneyName,
  instant: VehicleContext['instant'],
): GeoBox | null {
  const dated = findDatedTrip(published, name);
  const calls = dated ? listCalls(openTrip(published, dated), instant) : [];
  const next = calls.findIndex(({ departure }) => instant <= departure.expected);
  const ahead = next < 0 ? calls.at(-1) : calls[next];
  if (!ahead || (next < 0 && instant > ahead.arrival.expected)) return null;
  if (next === 0 && instant < Math.min(ahead.arrival.scheduled, ahead.departure.scheduled)) return null;
  const { lat, lon } = published.timetable.tables.stops;
  const near = [next > 0 ? calls[next - 1]! : ahead, ahead].flatMap(({ stop }) =>
    stop >= 0 && Number.isFinite(lat[stop]) ? { lat: lat[stop]!, lon: lon[stop]! } : [],
  );
  if (near.length === 0) return null;
  return widenToGrid({
    south: Math.min(...near.map((place) => place.lat)) - MARGIN_DEGREES,
    north: Math.max(...near.map((place) => place.lat)) + MARGIN_DEGREES,
    west: Math.min(...near.map((place) => place.lon)) - MARGIN_DEGREES,
    east: Math.max(...near.map((place) => place.lon)) + MARGIN_DEGREES,
  });
}
