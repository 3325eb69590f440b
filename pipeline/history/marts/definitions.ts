import { createHash } from 'node:crypto';
import type { Duckdb } from '../../effects/duckdb.ts';
import type { PunctualityDefinition } from '../snapshot/history-contract.ts';

/** Raised with every change of the SQL in this room: months built by older rules are then rebuilt. */
const MART_RULES_VERSION = 3;

/** Meaning of the counts in a row of the marts. */
export interface MartDefinition extends PunctualityDefinition {
  /** `forecast`: where nothing was observed, the last forecast before the call counts. */
  readonly evidence: 'observed_actual' | 'forecast';
}

/**
 * Lists the definitions that the marts hold side by side; all have the same limit of early.
 * @param further the setting `history.furtherDefinitions`: "180/600, 330/600/forecast"; null: none
 * @returns the default first, without duplicates
 */
export function listDefinitions(limits: PunctualityDefinition, further: string | null): MartDefinition[] {
  const all: MartDefinition[] = [{ ...limits, evidence: 'observed_actual' }];
  for (const typed of further?.split(',') ?? []) {
    const [onTime, late, evidence] = typed.trim().split('/');
    all.push({
      ...limits,
      onTimeMaxDelaySeconds: Number(onTime),
      lateMinDelaySeconds: Number(late),
      evidence: evidence === 'forecast' ? 'forecast' : 'observed_actual',
    });
  }
  return [...new Map(all.map((definition) => [nameDefinition(definition), definition])).values()];
}

/** Identifies rules and definitions: files built under another name are stale. */
export function nameRules(definitions: readonly MartDefinition[]): string {
  const names = [...definitions].map(nameDefinition).sort();
  return createHash('sha256')
    .update(JSON.stringify([MART_RULES_VERSION, names]))
    .digest('hex')
    .slice(0, 16);
}

function nameDefinition(definition: MartDefinition): string {
  const { onTimeMaxDelaySeconds, lateMinDelaySeconds, earlyMinSeconds, evidence } = definition;
  return `${onTimeMaxDelaySeconds}/${lateMinDelaySeconds}/${earlyMinSeconds}/${evidence}`;
}

/** Creates the table `definitions` and the variable `rules_version` for the SQL of the marts. */
export async function createDefinitions(db: Duckdb, definitions: readonly MartDefinition[]): Promise<void> {
  await db.run(`
    create or replace temp table definitions (
      number smallint, on_time_max_delay_seconds integer, late_min_delay_seconds integer, early_min_seconds integer,
      evidence varchar, rules_version smallint);
    set variable rules_version = ${MART_RULES_VERSION}`);
  for (const [number, definition] of definitions.entries()) {
    const { onTimeMaxDelaySeconds, lateMinDelaySeconds, earlyMinSeconds, evidence } = definition;
    const values = {
      number,
      onTime: onTimeMaxDelaySeconds,
      late: lateMinDelaySeconds,
      early: earlyMinSeconds,
      evidence,
      rules: MART_RULES_VERSION,
    };
    await db.query('insert into definitions values ($number, $onTime, $late, $early, $evidence, $rules)', values);
  }
}
