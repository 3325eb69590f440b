import { createHash } from 'node:crypto';
import type { Duckdb } from '../effects/duckdb.ts';

/** To be raised with every change of the SQL in this room: months that older rules made are then made anew. */
export const MART_RULES_VERSION = 1;

/** What "on time" means in a row of the marts. */
export interface MartDefinition {
  /** On time is a delay below this. */
  readonly onTimeMaxDelaySeconds: number;
  /** `late10` is a delay of this or more. */
  readonly lateMinDelaySeconds: number;
  /** `forecast`: where nothing was observed, the last forecast before the call counts. */
  readonly evidence: 'observed_actual' | 'forecast';
}

/**
 * The definitions that the marts tell of side by side.
 * @param further as in the setting `history.furtherDefinitions`: "180/600, 330/600/forecast"; null: none
 * @returns the default first, none twice
 */
export function listDefinitions(
  limits: Pick<MartDefinition, 'onTimeMaxDelaySeconds' | 'lateMinDelaySeconds'>,
  further: string | null,
): MartDefinition[] {
  const { onTimeMaxDelaySeconds, lateMinDelaySeconds } = limits;
  const all: MartDefinition[] = [{ onTimeMaxDelaySeconds, lateMinDelaySeconds, evidence: 'observed_actual' }];
  for (const typed of further?.split(',') ?? []) {
    const [onTime, late, evidence] = typed.trim().split('/');
    all.push({
      onTimeMaxDelaySeconds: Number(onTime),
      lateMinDelaySeconds: Number(late),
      evidence: evidence === 'forecast' ? 'forecast' : 'observed_actual',
    });
  }
  return [...new Map(all.map((definition) => [nameDefinition(definition), definition])).values()];
}

/** Names rules and definitions: what was made under another name is stale. */
export function nameRules(definitions: readonly MartDefinition[]): string {
  const names = [...definitions].map(nameDefinition).sort();
  return createHash('sha256')
    .update(JSON.stringify([MART_RULES_VERSION, names]))
    .digest('hex')
    .slice(0, 16);
}

function nameDefinition({ onTimeMaxDelaySeconds, lateMinDelaySeconds, evidence }: MartDefinition): string {
  return `${onTimeMaxDelaySeconds}/${lateMinDelaySeconds}/${evidence}`;
}

/** Leaves the table `definitions` and the variable `rules_version` for the SQL of the marts. */
export async function createDefinitions(db: Duckdb, definitions: readonly MartDefinition[]): Promise<void> {
  await db.run(`
    create or replace temp table definitions (
      number usmallint, on_time_max_delay_seconds integer, late_min_delay_seconds integer, evidence varchar, rules_version usmallint);
    set variable rules_version = ${MART_RULES_VERSION}`);
  for (const [number, { onTimeMaxDelaySeconds, lateMinDelaySeconds, evidence }] of definitions.entries()) {
    const values = {
      number,
      onTime: onTimeMaxDelaySeconds,
      late: lateMinDelaySeconds,
      evidence,
      rules: MART_RULES_VERSION,
    };
    await db.query('insert into definitions values ($number, $onTime, $late, $evidence, $rules)', values);
  }
}
