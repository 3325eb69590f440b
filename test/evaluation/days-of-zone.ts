import { rememberDays } from '../../pipeline/model/zone-days.ts';
import { type DatedTripTable, withDayStarts } from '../../pipeline/predictions/features/dated-trip-table.ts';

/** The table of an archive whose clocks are those of one zone. */
export function withDaysOf(zone: string, table: DatedTripTable): DatedTripTable {
  const days = rememberDays(zone);
  return withDayStarts(table, (datedTrip) => days.startOf(table.serviceDay[datedTrip]!));
}
