import type { ServiceDate } from '../../pipeline/model/service-time.ts';
import type { Columns } from './history-engine.ts';
import type { HourTally, LineTally, Tally } from './tally.ts';

type NumbersBy<Name extends string> = Readonly<Record<Name, number>>;

/** Rows of a result that have a value in the column, as objects of the columns named. */
function listRows<Name extends string>(columns: Columns, having: string, names: readonly Name[]): NumbersBy<Name>[] {
  const rows: NumbersBy<Name>[] = [];
  const marks = columns[having]!;
  for (let i = 0; i < marks.length; i++) {
    if (marks[i] === null) continue;
    rows.push(Object.fromEntries(names.map((name) => [name, columns[name]![i]])) as NumbersBy<Name>);
  }
  return rows;
}

const tallyColumns = ['expected', 'observed', 'on_time', 'early', 'late10', 'cancelled', 'delay_sum_seconds'] as const;

function toTally(row: NumbersBy<(typeof tallyColumns)[number]>): Tally {
  const { on_time: onTime, delay_sum_seconds: delaySumSeconds, expected, observed, early, late10, cancelled } = row;
  return { expected, observed, onTime, early, late10, cancelled, delaySumSeconds };
}

export function readDays(columns: Columns): (Tally & { readonly day: ServiceDate })[] {
  const days = columns.day!.filter((day) => day !== null) as ServiceDate[];
  return listRows(columns, 'day', tallyColumns).map((row, i) => ({ day: days[i]!, ...toTally(row) }));
}

export function readLines(columns: Columns): LineTally[] {
  const texts = (name: string) => columns[name]!.filter((_, row) => columns.line![row] !== null) as string[];
  const [lines, products, operators] = [texts('line'), texts('product'), texts('operator')];
  return listRows(columns, 'line', ['observed', 'on_time', 'delay_sum_seconds'])
    .map((row, i) => ({
      line: lines[i]!,
      product: products[i]!,
      operator: operators[i]!,
      observed: row.observed,
      onTime: row.on_time,
      delaySumSeconds: row.delay_sum_seconds,
    }))
    .filter(({ observed }) => observed > 0);
}

export function readHours(columns: Columns): HourTally[] {
  return listRows(columns, 'dow', ['dow', 'hour', 'observed', 'delay_sum_seconds'])
    .map(({ dow, hour, observed, delay_sum_seconds: delaySumSeconds }) => ({ dow, hour, observed, delaySumSeconds }))
    .filter(({ observed }) => observed > 0);
}
