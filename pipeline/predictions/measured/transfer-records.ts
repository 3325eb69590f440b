import { type Duckdb, readSql } from '../../effects/duckdb.ts';
import { readColumns } from '../../effects/read-columns.ts';
import { readRows } from '../../history/stop-events/measure-rows.ts';
import { partitionPoint } from '../../model/binary-search.ts';
import type { SourceId } from '../../model/ids.ts';
import { MAX_PREDICTION_AGE_SECONDS } from '../../model/prediction.ts';
import type { TransferModel } from '../../snapshots/transfer-model/transfer-model.ts';
import { readTransferModel } from '../../snapshots/transfer-model/transfer-model-bytes.ts';
import type { DatedTripTable } from '../features/dated-trip-table.ts';
import { findDatedTrips } from '../features/sweep.ts';
import { findModel, readTransferBytes } from '../learning/model-store.ts';
import type { FindReported, FindSidePrediction } from '../past-transfers/case-facts.ts';
import type { TransferCases } from '../past-transfers/transfer-cases.ts';

/** 1 for each call of a day whose arrival, or whose departure, was cancelled. */
interface CancelledCalls {
  readonly arrival: Uint8Array;
  readonly departure: Uint8Array;
}

/** Reads `run_names`. @param file stop events of the day */
export async function findCancelled(db: Duckdb, table: DatedTripTable, file: string): Promise<CancelledCalls> {
  const { run, position, arrival, departure } = await readAll(
    db,
    `select number::integer as run, position::integer as position, arrival_is_cancelled::integer as arrival,
       departure_is_cancelled::integer as departure
     from (${readRows(file)}) join run_names using (trip_id)
     where arrival_is_cancelled or departure_is_cancelled`,
    {
      run: ['i32', 'run'],
      position: ['i32', 'position'],
      arrival: ['i32', 'arrival'],
      departure: ['i32', 'departure'],
    },
  );
  const cancelled = { arrival: new Uint8Array(table.stop.length), departure: new Uint8Array(table.stop.length) };
  run.forEach((one, row) => {
    for (let call = table.callStart[one]!; call < table.callStart[one + 1]!; call++) {
      if (table.sequence[call] !== position[row]) continue;
      cancelled.arrival[call] = arrival[row]!;
      cancelled.departure[call] = departure[row]!;
    }
  });
  return cancelled;
}

/** Writes the calls of transfers to the table `wanted_calls`. */
async function nameCalls(db: Duckdb, table: DatedTripTable, transfers: TransferCases['transfers']): Promise<void> {
  const datedTrip = findDatedTrips(table);
  const calls = Int32Array.from(new Set([...transfers.arrival, ...transfers.departure]));
  await db.run('create or replace temp table wanted_calls (call integer, run integer, position integer)');
  await db.insertColumns('wanted_calls', [
    calls,
    calls.map((call) => datedTrip[call]!),
    calls.map((call) => table.sequence[call]!),
  ]);
}

/** The forecasts of the calls of transfers, as they were published by an instant. Reads `logged_predictions`, `run_names`. */
export async function readPublishedPredictions(
  db: Duckdb,
  table: DatedTripTable,
  { transfers, requestedAt }: TransferCases,
): Promise<FindSidePrediction> {
  await nameCalls(db, table, transfers);
  const rows = await readAll(db, await readSql('pipeline/predictions/sql/transfer_forecasts.sql'), {
    call: ['i32', 'call'],
    madeAt: ['f64', 'made_at'],
    observedAt: ['f64', 'observed_at'],
    low: ['f32', 'low'],
    median: ['f32', 'median'],
    high: ['f32', 'high'],
  });
  await db.run('drop table wanted_calls');
  return (_side, target, place) => {
    const at = requestedAt[place]!;
    const isMadeBefore = (row: number) =>
      rows.call[row] === target ? rows.madeAt[row]! <= at : rows.call[row]! < target;
    const row = partitionPoint(0, rows.call.length, isMadeBefore) - 1;
    if (row < 0 || rows.call[row] !== target || at - rows.observedAt[row]! > MAX_PREDICTION_AGE_SECONDS) return null;
    return { low: rows.low[row]!, median: rows.median[row]!, high: rows.high[row]! };
  };
}

/** A report counts for so long after the last answer that contained it. */
const REPORT_VALID_SECONDS = 300;

/** The delays that the source had published for the calls of transfers. Reads `day_observations`, `run_names`. */
export async function readReportedDelays(
  db: Duckdb,
  table: DatedTripTable,
  { transfers, requestedAt }: TransferCases,
): Promise<FindReported> {
  await nameCalls(db, table, transfers);
  const rows = await readAll(db, await readSql('pipeline/predictions/sql/transfer_reports.sql'), {
    event: ['i32', 'event'],
    firstSeen: ['f64', 'first_seen'],
    lastSeen: ['f64', 'last_seen'],
    delay: ['f64', 'delay'],
  });
  await db.run('drop table wanted_calls');
  return (target, isDeparture, place) => {
    const [event, at] = [2 * target + Number(isDeparture), requestedAt[place]!];
    const isSeenBefore = (row: number) =>
      rows.event[row] === event ? rows.firstSeen[row]! <= at : rows.event[row]! < event;
    const row = partitionPoint(0, rows.event.length, isSeenBefore) - 1;
    const isCurrent = row >= 0 && rows.event[row] === event && at - rows.lastSeen[row]! <= REPORT_VALID_SECONDS;
    return isCurrent && !Number.isNaN(rows.delay[row]!) ? rows.delay[row]! : null;
  };
}

/**
 * The models of transfers that belong to the delay models of the day, as far as they are kept. Reads `logged_predictions`.
 * @returns the one in use at an instant, UTC seconds; null where none was
 */
export async function readUsedModels(
  db: Duckdb,
  dataDir: string,
  source: SourceId,
): Promise<(at: number) => TransferModel | null> {
  const used = await db.query(`select model, epoch(min(made_at))::double as used_from
    from logged_predictions group by model order by used_from`);
  const models: { readonly usedFrom: number; readonly model: TransferModel | null }[] = [];
  for (const { model, used_from: usedFrom } of used) {
    const manifest = await findModel(dataDir, source, String(model));
    const bytes = manifest && (await readTransferBytes(dataDir, manifest));
    models.push({ usedFrom: Number(usedFrom), model: bytes && readTransferModel(bytes) });
  }
  return (at) => models.findLast(({ usedFrom }) => usedFrom <= at)?.model ?? null;
}

/** The rows of a query, sorted by the columns of the shape. */
async function readAll<Shape extends Parameters<typeof readColumns>[1]>(db: Duckdb, select: string, shape: Shape) {
  await db.run(`create or replace temp table selected_rows as ${select}`);
  const [{ n }] = (await db.query('select count(*)::integer as n from selected_rows')) as [{ n: number }];
  const columns = await readColumns(db, shape, 'from selected_rows order by all', n);
  await db.run('drop table selected_rows');
  return columns;
}
