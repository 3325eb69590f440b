import type {
  ExampleCall,
  PredictionData,
  PredictionDay,
  PunctualityData,
  PunctualityLine,
  PunctualityShares,
} from '../../api/contract/site-charts.ts';
import { addDays, type ServiceDate } from '../../pipeline/model/service-time.ts';

/** A name that no feed should contain. */
export const HOSTILE = '<img src=x onerror=alert(1)> & "S1"';

const LAST_DAY = '2026-01-31' as ServiceDate;
const DAYS = 30;

function shares(expected: number, observed: number, onTime: number): PunctualityShares {
  const part = (count: number, whole: number) => (whole === 0 ? null : count / whole);
  const half = observed === 0 ? 0 : Math.sqrt((onTime * (observed - onTime)) / observed + 1) / observed;
  const share = part(onTime, observed);
  return {
    expected,
    observed,
    derived: 0,
    forecasts: 0,
    cancelled: 3,
    replaced: 1,
    on_time: onTime,
    early: 12,
    late10: 5,
    delay_sum_seconds: 70 * observed,
    coverage: part(observed, expected),
    on_time_share: share,
    on_time_low: share === null ? null : Math.max(0, share - 2 * half),
    on_time_high: share === null ? null : Math.min(1, share + 2 * half),
    mean_delay_seconds: part(70 * observed, observed),
  };
}

/** A month with three days without data, a day with low coverage, and a line with a hostile name. */
export function madeUpPunctuality(query: URLSearchParams): PunctualityData {
  const to = (query.get('to') as ServiceDate | null) ?? LAST_DAY;
  const from = (query.get('from') as ServiceDate | null) ?? addDays(to, 1 - DAYS);
  const days = Array.from({ length: DAYS }, (_, n) => addDays(from, n)).filter((day) => day <= to);
  const definition = {
    id: '330/600',
    onTimeMaxDelaySeconds: 330,
    lateMinDelaySeconds: 600,
    earlyMinSeconds: -60,
    evidence: 'observed_actual' as const,
  };
  const line = (name: string, observed: number, onTime: number): PunctualityLine => ({
    line: name,
    product: 'bus',
    operator: 'Verkehrsbetrieb',
    ...shares(observed + 20, observed, onTime),
  });
  return {
    period: { from, to },
    recorded: { from, to: LAST_DAY },
    stopName: query.get('stopId') === null ? null : HOSTILE,
    definition,
    definitions: [definition, { ...definition, id: '180/600', onTimeMaxDelaySeconds: 180 }],
    sources: ['bahn', 'stadt'],
    totals: shares(30_000, 27_000, 24_800),
    days: days.map((day, n) => ({
      day,
      ...(n >= 8 && n <= 10
        ? shares(0, 0, 0)
        : n === 20
          ? shares(1000, 25, 20)
          : shares(1000, 940, 820 + ((n * 17) % 90))),
    })),
    hours: Array.from({ length: 7 * 19 }, (_, i) => ({
      dow: 1 + Math.floor(i / 19),
      hour: 5 + (i % 19),
      observed: i % 23 === 0 ? 12 : 400,
      on_time: 350,
      on_time_share: 0.875,
      mean_delay_seconds: ((i * 37) % 560) - 20,
    })),
    lines: {
      count: 5,
      worst: [line(HOSTILE, 900, 500), line('REX 5', 1200, 800), line('12', 12, 4)],
      best: [line('U1', 9000, 8900), line('S3', 12, 12)],
    },
    delays: Array.from({ length: 50 }, (_, i) => ({ delay_minutes: i - 6, observed: 1000, share: 1 / (i + 2) / 3 })),
    sql: Object.fromEntries(
      ['totals', 'days', 'hours', 'lines', 'delays'].map((name) => [name, `select * from marts.${name} where 1 < 2`]),
    ),
  };
}

/** A measured month with two days without metrics, and an explained prediction. */
export function madeUpPredictions(query: URLSearchParams): PredictionData {
  const pairs = query.get('pairs') === 'toldBySource' ? 'toldBySource' : 'all';
  const names = ['ours', 'persistence', 'schedule', ...(pairs === 'all' ? [] : ['source'])];
  const slices = ['0-5 min', '5-15 min', '15-30 min', '30-60 min', '60 min and more', 'all', 'current delay >= 180 s'];
  const errors = slices.flatMap((slice, i) =>
    names.map((forecaster, k) => ({
      slice,
      forecaster,
      pairs: 1000 * (i + 1),
      mean_error_seconds: (20 + 18 * i) * (1 + 0.4 * k),
      covered: k === 0 ? 0.76 + 0.02 * i : null,
      mean_width_seconds: k === 0 ? 60 + 40 * i : null,
    })),
  );
  const days = Array.from({ length: DAYS }, (_, n) => addDays(LAST_DAY, n + 1 - DAYS));
  return {
    sources: [{ source: 'bahn', firstDate: days[0]!, lastDate: LAST_DAY }],
    question: {
      source: 'bahn',
      day: query.get('day') ?? LAST_DAY,
      month: { from: days[0]!, to: LAST_DAY },
      pairs,
      example: Number(query.get('example') ?? 1),
    },
    day_errors: errors,
    month_errors: errors,
    days: days.flatMap((day, n): PredictionDay[] =>
      n === 9 || n === 10
        ? [{ day, forecaster: null, pairs: 0, mean_error_seconds: null }]
        : names.map((forecaster, k) => ({
            day,
            forecaster,
            pairs: 7000,
            mean_error_seconds: 50 + 20 * k + (n % 7) * 3,
          })),
    ),
    confidence: ['high', 'medium', 'none'].map((confidence, i) => ({
      confidence,
      pairs: 3000 - 900 * i,
      covered: 0.8,
      within_60: 0.8 - 0.3 * i,
      within_120: 0.95 - 0.3 * i,
      within_180: 0.98 - 0.2 * i,
    })),
    changes: Array.from({ length: 10 }, (_, bin) => ({
      bin,
      pairs: 30 * (bin + 1) ** 2,
      held: 3 * (bin + 1) ** 3,
      mean_probability: (bin + 0.5) / 10,
      held_share: (bin + 0.7) / 10.5,
      held_low: Math.max(0, (bin + 0.2) / 11),
      held_high: Math.min(1, (bin + 1.2) / 10.4),
    })),
    change_counts: [
      { status: 'measured', pairs: 11_550, brier_score: 0.111 },
      { status: 'cancelled', pairs: 300, brier_score: null },
    ],
    example: Array.from({ length: 9 }, (_, position) => exampleCall(position, Number(query.get('example') ?? 1))),
    examples: 20,
    sql: Object.fromEntries(
      ['day_errors', 'month_errors', 'days', 'confidence', 'changes', 'example'].map((name) => [
        name,
        `select '${name}'`,
      ]),
    ),
    models: [],
  };
}

function exampleCall(position: number, example: number): ExampleCall {
  const isLater = position > 3;
  const forecast = (off: number) => (isLater ? 120 + 20 * position + off * (position - 3) : null);
  const past = (count: number) => (isLater ? count : null);
  return {
    example,
    trip_id: 't1',
    line: HOSTILE,
    direction: 'Graz Hbf',
    made_at: '2026-01-31T06:21:10Z',
    model: 'm',
    from_position: 3,
    observed_at: '2026-01-31T06:21:00Z',
    current_delay_seconds: 150,
    position,
    stop_name: `Halt ${position + 1}`,
    scheduled_time: `2026-01-31T06:${String(10 + 5 * position).padStart(2, '0')}:00Z`,
    delay_seconds: position === 7 ? null : 60 + 30 * position,
    low_seconds: forecast(-20),
    median_seconds: forecast(0),
    high_seconds: forecast(35),
    reported_delay_seconds: position % 2 === 0 ? forecast(60) : null,
    train_runs: past(14),
    train_change_seconds: past(11.5),
    pattern_runs: past(80),
    pattern_change_seconds: past(9),
    leg_values: past(230),
    legs_change_seconds: past(6),
  };
}
