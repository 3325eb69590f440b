import { type Instant, zoneOffsetSeconds } from '../../../pipeline/model/service-time.ts';
import { namedAs } from '../../../pipeline/snapshots/fare-tables.ts';
import type { TimetableTables } from '../../../pipeline/snapshots/timetable-contract.ts';
import { runsOn } from '../../../pipeline/snapshots/timetable-lookups.ts';
import type { FareRide } from './fare-rides.ts';
import { findRows } from './fare-rides.ts';

/** A rule that pays a ride by itself: row of the timetable's `fareLegRules`. */
type LegRule = number;

/**
 * Leg rules that can pay a ride: those of the highest priority among all that match and have a price for a rider
 * without a reduction.
 * @returns empty when the fare is unknown
 * @see GTFS Schedule reference, fare_leg_rules.txt
 */
export function listLegRules(tables: TimetableTables, ride: FareRide): LegRule[] {
  const { priority } = tables.fareLegRules;
  const fitting = listFitting(tables, ride).filter((rule) => hasPrice(tables, rule));
  const highest = Math.max(...fitting.map((rule) => priority[rule]!));
  return fitting.filter((rule) => priority[rule] === highest).sort((a, b) => a - b);
}

function hasPrice({ fareLegRules, fareProducts }: TimetableTables, rule: LegRule): boolean {
  const { first, end } = findRows([fareProducts.product], [fareLegRules.product[rule]!]);
  return first < end;
}

/** Values of a ride for one field of the rules. */
interface FieldValues {
  readonly values: readonly number[];
  /** Some rule of the feed names one of them, so that without priorities an empty field does not match this ride. */
  readonly isNamed: boolean;
}

function listFitting(tables: TimetableTables, ride: FareRide): LegRule[] {
  const { fareLegRules: rules } = tables;
  const fields = [
    listNetworks(tables, ride.routes),
    listAreas(tables, ride.stops[0]!, namedAs.from),
    listAreas(tables, ride.stops.at(-1)!, namedAs.to),
  ] as const;
  const fitting: LegRule[] = [];
  for (const network of [...fields[0].values, -1]) {
    for (const from of [...fields[1].values, -1]) {
      for (const to of [...fields[2].values, -1]) {
        const key = [network, from, to];
        // Without priorities, an empty field matches only values that no rule names.
        const isNamed = fields.some((field, i) => key[i] === -1 && field.isNamed);
        const sorted = [rules.feed, rules.network, rules.fromArea, rules.toArea];
        const { first, end } = findRows(sorted, [ride.feed, ...key]);
        for (let rule = first; rule < end; rule++) {
          if (isNamed && rules.priority[rule] === -1) continue;
          if (isInTime(tables, rule, ride)) fitting.push(rule);
        }
      }
    }
  }
  return fitting;
}

/** A ride over several networks matches none of them. */
function listNetworks({ fareRoutes }: TimetableTables, routes: readonly number[]): FieldValues {
  const networks = new Set(routes.map((route) => fareRoutes.network[route]!));
  return {
    values: networks.size === 1 ? [...networks].filter((network) => network >= 0) : [],
    isNamed: routes.some((route) => fareRoutes.isNamed[route] === 1),
  };
}

function listAreas({ fareStops, fareStopAreas }: TimetableTables, stop: number, as: number): FieldValues {
  if (stop < 0) return { values: [], isNamed: true };
  const first = fareStops.firstArea[stop]!;
  const end = first + fareStops.areaCount[stop]!;
  return {
    values: [...fareStopAreas.area.subarray(first, end)],
    isNamed: fareStopAreas.named.subarray(first, end).some((bits) => (bits & as) !== 0),
  };
}

function isInTime(tables: TimetableTables, rule: LegRule, ride: FareRide): boolean {
  const { fromTimeframe, toTimeframe } = tables.fareLegRules;
  return (
    isWithin(tables, fromTimeframe[rule]!, ride.departure, ride.stops[0]!, ride.routes[0]!) &&
    isWithin(tables, toTimeframe[rule]!, ride.arrival, ride.stops.at(-1)!, ride.routes.at(-1)!)
  );
}

/** Whether an instant is within a timeframe, by local time and calendar date, not by service day. */
function isWithin(tables: TimetableTables, timeframe: number, instant: Instant, stop: number, route: number): boolean {
  if (timeframe < 0) return true;
  const { fareTimeframes: frames } = tables;
  const local = instant + zoneOffsetSeconds(getTimeZone(tables, stop, route), instant);
  const day = Math.floor(local / 86_400);
  const seconds = local - day * 86_400;
  const { first, end } = findRows([frames.timeframe], [timeframe]);
  for (let row = first; row < end; row++) {
    const isHour = frames.start[row]! <= seconds && seconds < frames.end[row]!;
    if (isHour && runsOn(tables, frames.service[row]!, day)) return true;
  }
  return false;
}

function getTimeZone(
  { fareStops, fareTimeZones, routes, zones }: TimetableTables,
  stop: number,
  route: number,
): string {
  const own = stop < 0 ? -1 : fareStops.timeZone[stop]!;
  return own < 0 ? zones.name.get(routes.zone[route]!) : fareTimeZones.name.get(own);
}
