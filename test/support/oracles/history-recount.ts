import type { History, V1History } from '../../../api/contract/definitions.ts';
import {
  chooseCalls,
  clockOf,
  countCalls,
  groupCalls,
  type HistoryCall,
  type HistoryQueryInput,
} from '../worlds/history-calls.ts';

/** Rounds halves away from zero, and never returns minus zero. */
const round = (value: number, steps: number) => (Math.sign(value) * Math.round(Math.abs(value) * steps)) / steps || 0;

function minutesOf(calls: readonly HistoryCall[]): number {
  const { observed, delaySum } = countCalls(calls);
  return round(delaySum / observed / 60, 100);
}

function percentOf(calls: readonly HistoryCall[]): number | null {
  const { observed, onTime } = countCalls(calls);
  return observed === 0 ? null : round((100 * onTime) / observed, 10);
}

/** The parts of the definition in `/v1/history` that depend on the calls. */
export function recountDefinition(
  calls: readonly HistoryCall[],
  requested: HistoryQueryInput,
  name: V1History['definition']['name'],
): Pick<V1History['definition'], 'name' | 'derivedShare' | 'forecastShare'> {
  const chosen = chooseCalls(calls, requested);
  const derived = chosen.filter(({ delay, isDerived }) => delay !== null && isDerived).length;
  const counted = countCalls(countForecasts(chosen, name)).observed;
  const forecasts = counted - countCalls(chosen).observed;
  const share = (part: number) => (counted === 0 ? null : part / counted);
  return { name, derivedShare: share(derived), forecastShare: share(forecasts) };
}

function countForecasts(calls: readonly HistoryCall[], name: V1History['definition']['name']): readonly HistoryCall[] {
  if (name === 'observed') return calls;
  return calls.map((call) => ({ ...call, delay: call.delay ?? call.finalForecast ?? null }));
}

/** The numbers of `/v1/history`, counted call by call. */
export function recount(
  calls: readonly HistoryCall[],
  requested: HistoryQueryInput,
  name: V1History['definition']['name'] = 'observed',
): Pick<V1History, 'totals' | 'officialRealtime'> {
  const chosen = countForecasts(chooseCalls(calls, requested), name);
  const { expected, observed, onTime, early, late10, cancelled, replaced } = countCalls(chosen);
  const share = (part: number) => (observed === 0 ? null : part / observed);
  const seen = chosen.filter(({ delay }) => delay !== null);
  const byHour = groupCalls(seen, (call) => {
    const { dow, hour } = clockOf(call);
    return `${dow} ${String(hour).padStart(2, '0')}`;
  });
  return {
    totals: {
      onTimeShare: share(onTime),
      earlyShare: share(early),
      avgDelayMin: observed === 0 ? null : minutesOf(chosen),
      late10Share: share(late10),
      events: observed,
      observed,
      expected,
      cancelled,
      replaced,
    },
    officialRealtime: {
      daily: groupCalls(chosen, ({ day }) => day).map(([day, group]) => ({
        day,
        events: countCalls(group).observed,
        on_time_pct: percentOf(group),
      })),
      // The separator sorts before all characters of names, so a shorter name comes first.
      lines: groupCalls(seen, ({ line, product, operator }) =>
        [line ?? '', product ?? '', operator ?? ''].join('\u0001'),
      ).map(([name, group]) => {
        const [line = '', product, operator] = name.split('\u0001');
        return {
          line,
          product: product || null,
          operator: operator || null,
          events: group.length,
          on_time_pct: percentOf(group)!,
        };
      }),
      heatmap: byHour.map(([name, group]) => {
        const [dow, hour] = name.split(' ').map(Number) as [number, number];
        return { dow, hour, events: group.length, avg_delay_min: minutesOf(group) };
      }),
    },
  };
}

/** The values of `/v2/history` under the names of `/v1/history`; only v2 has the mean delay of a line. */
export function inWordsOfV1({
  totals,
  daily,
  lines,
  heatmap,
}: History): Pick<V1History, 'totals' | 'officialRealtime'> {
  const { onTimeShare = null, earlyShare = null, avgDelayMinutes = null, late10Share = null, ...counts } = totals;
  return {
    totals: { ...counts, onTimeShare, earlyShare, avgDelayMin: avgDelayMinutes, late10Share },
    officialRealtime: {
      daily: daily.map(({ day, events, onTimeShare: part }) => ({
        day,
        events,
        on_time_pct: part === undefined ? null : round(100 * part, 10),
      })),
      lines: lines.map(({ line, product = null, operator = null, events, onTimeShare: part }) => ({
        line,
        product,
        operator,
        events,
        on_time_pct: round(100 * part, 10),
      })),
      heatmap: heatmap.map(({ isoWeekday, hour, events, avgDelayMinutes: minutes }) => ({
        dow: isoWeekday,
        hour,
        events,
        avg_delay_min: minutes,
      })),
    },
  };
}
