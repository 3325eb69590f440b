import { createHash } from 'node:crypto';
import type { ServiceDate } from '../../model/service-time.ts';
import type { CountedEvidence, PunctualityDefinition } from '../../snapshots/history-contract.ts';

/** Raised with every change of the SQL in this room: months built by older rules are then rebuilt. */
const MART_RULES_VERSION = 7;

/** Meaning of the counts in a row of the marts. */
export interface MartDefinition extends PunctualityDefinition {
  readonly evidence: CountedEvidence;
}

/**
 * Lists the definitions that the marts hold side by side; all have the same limit of early.
 * @param further the setting `history.furtherDefinitions`: "180/600, 330/600/forecast"; null: none
 * @param countsLastForecasts whether to count by `last_forecast`, too
 * @returns the default first, without duplicates
 */
export function listDefinitions(
  limits: PunctualityDefinition,
  further: string | null,
  countsLastForecasts = false,
): MartDefinition[] {
  const all: MartDefinition[] = [{ ...limits, evidence: 'observed_actual' }];
  if (countsLastForecasts) all.push({ ...limits, evidence: 'last_forecast' });
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

/** The rows of `definitions` in the SQL of the marts, as a select that every engine takes. */
export function selectDefinitions(definitions: readonly MartDefinition[]): string {
  const rows = definitions.map(({ onTimeMaxDelaySeconds, lateMinDelaySeconds, earlyMinSeconds, evidence }, number) => {
    const values = [number, onTimeMaxDelaySeconds, lateMinDelaySeconds, earlyMinSeconds, `'${evidence}'`];
    return `(${[...values, MART_RULES_VERSION].join(', ')})`;
  });
  return `select
    cast(number as smallint) as number,
    cast(on_time_max_delay_seconds as integer) as on_time_max_delay_seconds,
    cast(late_min_delay_seconds as integer) as late_min_delay_seconds,
    cast(early_min_seconds as integer) as early_min_seconds,
    cast(evidence as varchar) as evidence,
    cast(rules_version as smallint) as rules_version
    from (values ${rows.join(', ')}) as listed(
      number, on_time_max_delay_seconds, late_min_delay_seconds, early_min_seconds, evidence, rules_version)`;
}

/** The row of `built_day` in the SQL of the marts. */
export function selectBuiltDay(date: ServiceDate): string {
  return `select date '${date}' as service_date, cast(${MART_RULES_VERSION} as smallint) as rules_version`;
}
