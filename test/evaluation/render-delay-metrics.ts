import { renderTable, type TextColumn } from '../../jobs/job/text-table.ts';
import { type ImplausibleCounts, implausibleCodes } from '../../pipeline/predictions/features/implausible-calls.ts';
import type { UnitMetrics } from '../../pipeline/predictions/measured/build-prediction-metrics.ts';
import { OURS, PERSISTENCE } from '../../pipeline/predictions/measured/comparison-table.ts';

const UNIT_TITLES = { raw: 'Seconds as they are', wholeMinutes: 'Whole minutes' } as const;

/** Tables for a terminal: the metrics of one unit. */
export function renderDelayMetrics(metrics: UnitMetrics): string[] {
  return [
    `${UNIT_TITLES[metrics.unit]}: ${metrics.pairs} pairs forecast, ${metrics.learntPairs} learnt from, ${metrics.trees} trees`,
    ...(metrics.implausible === null ? [] : [renderImplausible(metrics.implausible)]),
    '',
    ...renderErrors(metrics),
    '',
    ...renderIntervals(metrics),
    '',
    ...renderClasses(metrics),
    '',
    ...renderEtaBenchmark(metrics),
    ...(metrics.ablation.length === 0 ? [] : ['', ...renderAblation(metrics)]),
  ];
}

function renderImplausible(implausible: ImplausibleCounts): string {
  const counts = implausibleCodes.map((code) => `${implausible[code]} ${code}`);
  return `implausible calls left out: ${counts.join(', ')}`;
}

function renderErrors({ errors }: UnitMetrics): string[] {
  const names = Object.keys(errors[0]?.meanError ?? {});
  const rows = errors.map(({ slice, pairs, meanError, againstPersistence }) => [
    slice,
    String(pairs),
    ...names.map((name) => seconds(meanError[name])),
    change(againstPersistence[OURS]),
  ]);
  return renderTable(
    [{ title: 'mean error, s' }, number('pairs'), ...names.map(number), number(`${OURS} against ${PERSISTENCE}`)],
    rows,
  );
}

function renderIntervals({ intervals, winklerAgainstTable }: UnitMetrics): string[] {
  const rows = intervals.map(({ slice, forecaster, covered, hit, meanWidth, winkler }) => [
    slice,
    forecaster,
    share(covered),
    share(hit),
    seconds(meanWidth),
    seconds(winkler),
    forecaster === OURS ? decimals(winklerAgainstTable[slice], 2) : '',
  ]);
  return renderTable(
    [
      { title: 'p10 to p90' },
      { title: 'of' },
      ...['covered', 'median hits', 'width, s', 'Winkler', 'of the table'].map(number),
    ],
    rows,
  );
}

function renderClasses({ classes }: UnitMetrics): string[] {
  const rows = classes.map(({ name, share: part, covered, within60, within120, within180 }) => [
    name,
    ...[part, covered, within60, within120, within180].map(share),
  ]);
  const titles = ['share', 'covered', 'within 60 s', 'within 120 s', 'within 180 s'];
  return renderTable([{ title: 'confidence, up to 60 min' }, ...titles.map(number)], rows);
}

function renderEtaBenchmark({ etaBenchmark }: UnitMetrics): string[] {
  const names = Object.keys(etaBenchmark[0]?.accurate ?? {});
  const rows = etaBenchmark.map(({ bucket, pairs, accurate }) => [
    bucket,
    String(pairs),
    ...names.map((name) => share(accurate[name])),
  ]);
  return renderTable([{ title: 'ETA benchmark, accurate' }, number('pairs'), ...names.map(number)], rows);
}

function renderAblation({ ablation }: UnitMetrics): string[] {
  const all = ablation.find(({ without }) => without === 'nothing')?.meanError ?? Number.NaN;
  const rows = ablation.map(({ without, meanError }) => [without, decimals(meanError, 2), change(meanError / all - 1)]);
  return renderTable([{ title: 'learnt without' }, number('mean error, s'), number('worse by')], rows);
}

const number = (title: string): TextColumn => ({ title, align: 'end' });
const decimals = (value: number | null | undefined, digits: number) =>
  value === null || value === undefined ? '-' : value.toFixed(digits);
const seconds = (value: number | null | undefined) => decimals(value, 1);
const share = (value: number | null | undefined) =>
  value === null || value === undefined ? '-' : `${(value * 100).toFixed(1)} %`;
const change = (value: number | null | undefined) =>
  value === null || value === undefined ? '-' : `${value > 0 ? '+' : ''}${(value * 100).toFixed(1)} %`;
