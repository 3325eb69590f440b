import { type Duckdb, readSql, sqlPath, sqlText } from '../../../pipeline/effects/duckdb.ts';
import { UsageError } from '../../../pipeline/effects/usage-error.ts';
import { type EpochDay, fromEpochDay } from '../../../pipeline/model/service-time.ts';
import { readDatedTripTable } from '../../../pipeline/predictions/features/read-dated-trip-table.ts';
import type { ProductGroup } from '../../../pipeline/predictions/prior/read-priors.ts';
import { withDaysOf } from '../days-of-zone.ts';
import type { RecordLayout } from '../layout.ts';
import { loadPlRail } from '../pl-rail-layout.ts';
import { cutTrips } from './cut-trips.ts';
import type { DaysOfRecord } from './first-days.ts';
import { cityStyles, FIRST_CITY_DAY, makeCity } from './made-up-city.ts';

interface OpenRecord extends DaysOfRecord {
  readonly group: ProductGroup;
}

const SEED = 3;

/**
 * Opens a record.
 * @param data a file or, of a made-up city, the name of its style
 * @param lastDay of which trips are needed; days since 1970
 */
export async function openRecord(
  db: Duckdb,
  layout: RecordLayout,
  data: string,
  { firstDay, lastDay }: { readonly firstDay: number; readonly lastDay: number },
): Promise<OpenRecord> {
  const dates = (from: number, to: number) => [fromEpochDay(from as EpochDay), fromEpochDay(to as EpochDay)] as const;
  if (layout === 'made_up_city') {
    const style = cityStyles.get(data);
    if (!style) throw new UsageError(`--data: there is no style ${data} of a city`);
    const all = makeCity(style, lastDay - FIRST_CITY_DAY + 1, SEED);
    return { group: 'bus', firstDay: FIRST_CITY_DAY, load: async (from, to) => cutTrips(all, from, to) };
  }
  if (layout === 'pl_rail') {
    const load = async (from: number, to: number) => (await loadPlRail(db, data, ...dates(from, to))).table;
    return { group: 'rail', firstDay, load };
  }
  await db.run(`create or replace temp view final_archive as from read_parquet(${sqlPath(data)})`);
  const select = await readSql('test/evaluation/sql/hu_calls_of_day.sql');
  const load = async (from: number, to: number) => {
    const [first, last] = dates(from, to);
    await db.run(`create or replace temp table window_days as
      select date ${sqlText(first)} as first_day, date ${sqlText(last)} as last_day`);
    await db.run(`create or replace temp table run_calls as ${select}`);
    return withDaysOf('Europe/Budapest', (await readDatedTripTable(db)).table);
  };
  return { group: 'rail', firstDay, load };
}
