import { counters, gauges, histograms, type MetricDefinition } from '../../../pipeline/metrics/metric-definitions.ts';
import { createMetrics } from '../../../pipeline/metrics/metrics.ts';

/** The text of `/metrics` in which each metric has a series. */
export async function scrapeEveryMetric(): Promise<string> {
  const metrics = createMetrics();
  forEachMetric(counters, (name, labels) => call(metrics.counters, name).add!(labels, 1));
  forEachMetric(gauges, (name, labels) => call(metrics.gauges, name).replace!([{ labels, value: 1 }]));
  forEachMetric(histograms, (name, labels) => call(metrics.histograms, name).observe!(labels, 1));
  return (await metrics.scrape()).text;
}

type Table = Readonly<Record<string, MetricDefinition>>;
type Labels = Readonly<Record<string, string>>;

function forEachMetric(table: Table, take: (name: string, labels: Labels) => void): void {
  for (const [name, { labels }] of Object.entries(table)) {
    const pick = (bound: MetricDefinition['labels'][string]) => ('values' in bound ? bound.values[0]! : 'any');
    take(name, Object.fromEntries(Object.entries(labels).map(([label, bound]) => [label, pick(bound)])));
  }
}

/** Each metric has different labels. */
function call(metrics: object, name: string): Record<string, (...values: readonly unknown[]) => void> {
  return (metrics as Record<string, never>)[name]!;
}
