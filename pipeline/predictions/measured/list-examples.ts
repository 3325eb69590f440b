import { type Duckdb, readSql } from '../../effects/duckdb.ts';
import type { MetricRow } from './metric-tables.ts';

/** Forecasts of a day that are kept one by one. */
const EXAMPLES = 20;

interface ExampleDay {
  readonly source: string;
  readonly serviceDate: string;
}

/**
 * Takes some forecasts of a day apart. Reads `logged_predictions`, `day_stop_events`, `day_observations` and
 * `implausible_calls`.
 * @returns rows of the mart `prediction_examples`, without day and source; the same for equal input
 */
export async function listExamples(db: Duckdb, { source, serviceDate }: ExampleDay): Promise<MetricRow[]> {
  const select = await readSql('pipeline/predictions/sql/prediction_examples.sql');
  const rows = await db.query(select, { seed: `${source} ${serviceDate}`, examples: EXAMPLES });
  return rows.map((row) => ({ ...(row as MetricRow), service_date: serviceDate, source }));
}
