import type { Duckdb } from '../../effects/duckdb.ts';
import { readColumns } from '../../effects/read-columns.ts';
import { isTimeZone } from '../../model/service-time.ts';
import { TextColumn } from '../column.ts';
import { namedAs, type TimetableTables } from '../contract.ts';
import { countRows, findStarts, joinName, type NameKind, numberOf, ownerOf } from './fare-names.ts';
import type { RowCounts } from './feed-views.ts';

type PlaceTables = Pick<TimetableTables, 'fareStops' | 'fareStopAreas' | 'fareTimeZones' | 'fareRoutes'>;

/** What fares know of stops and routes: zones, areas, clocks and networks. */
export async function readPlaceTables(db: Duckdb, rows: RowCounts): Promise<PlaceTables> {
  const { stops, routes } = rows;
  const zones = await readColumns(
    db,
    {
      zone: ['i32', numberOf('zones')],
      timeZone: ['text', 'time_zone'],
    },
    `from all_stops left join all_fare_stops as fares using (stop_index) ${joinName('zone', 'zone_id', 'zones')}
     order by stop_index`,
    stops,
  );
  const areas = await readAreas(db, stops);
  const network = await readColumns(
    db,
    {
      network: ['i32', numberOf('networks')],
      isNamed: ['u8', `(${numberOf('networks')} in (${listNamed('network', 'network_id')}))::int`],
    },
    `from all_routes left join all_fare_routes as fares using (route_index)
     ${joinName('network', 'network_id', 'networks')} order by route_index`,
    routes,
  );
  const timeZones = [...new Set(zones.timeZone)].filter((zone) => zone !== '' && isTimeZone(zone)).sort();
  return {
    fareStops: {
      zone: zones.zone,
      firstArea: findStarts(areas.areaCount),
      areaCount: areas.areaCount,
      timeZone: Int16Array.from(zones.timeZone, (zone) => timeZones.indexOf(zone)),
    },
    fareStopAreas: { area: areas.area, named: areas.named },
    fareTimeZones: { name: TextColumn.from(timeZones) },
    fareRoutes: network,
  };
}

/** Numbers of the names in a column of leg rules. */
function listNamed(kind: NameKind, column: string): string {
  return `select name_index from all_fare_leg_rules as rules
    join fare_names on kind = '${kind}' and owner_index = rules.${ownerOf(kind)} and id = rules.${column}`;
}

/** A station's areas are its platforms', except where these have their own. */
async function readAreas(db: Duckdb, stopCount: number) {
  const from = `
    from all_stops as stops
    join all_stop_areas as fares
      on fares.stop_index = case
        when stops.stop_index in (select stop_index from all_stop_areas) then stops.stop_index
        else stops.station_index
      end
    ${joinName('area', 'area_id', 'areas')}`;
  const isNamed = (column: string) => `(${numberOf('areas')} in (${listNamed('area', column)}))::int`;
  const { stop, ...areas } = await readColumns(
    db,
    {
      stop: ['i32', 'stops.stop_index'],
      area: ['i32', numberOf('areas')],
      named: ['u8', `${namedAs.from} * ${isNamed('from_area_id')} + ${namedAs.to} * ${isNamed('to_area_id')}`],
    },
    `${from} order by stops.stop_index, areas.name_index`,
    await countRows(db, from),
  );
  const areaCount = new Int32Array(stopCount);
  for (const row of stop) areaCount[row]!++;
  return { ...areas, areaCount };
}
