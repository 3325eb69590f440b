import { projectPath } from '../../pipeline/effects/project-files.ts';
import { counters, gauges, histograms, type MetricDefinition } from '../../pipeline/metrics/metric-definitions.ts';
import { createMetrics } from '../../pipeline/metrics/metrics.ts';
import { installDebianPackage, runTool } from './tools.ts';

const RULES = 'docs/monitoring/alert-rules.yaml';

/**
 * Validates a scrape with every metric, and the alert rules, with promtool of Prometheus.
 * @returns a summary of what was checked
 */
export async function checkWithPromtool(): Promise<string> {
  await installDebianPackage('promtool', 'prometheus');
  const { text } = await scrapeEverything();
  // Exit code 3 means that names violate the conventions of Prometheus.
  await runTool('promtool', ['check', 'metrics'], text);
  const output = await runTool('promtool', ['check', 'rules', projectPath(RULES)], '');
  const rules = /(\d+) rules found/.exec(output)?.[1] ?? '0';
  if (rules === '0') throw new Error(`promtool found no rule in ${RULES}`);
  return `${text.match(/^# TYPE /gm)?.length ?? 0} metrics, ${rules} rules`;
}

/** A scrape in which each metric has a series. */
async function scrapeEverything(): Promise<{ readonly text: string }> {
  const metrics = createMetrics();
  forEachMetric(counters, (name, labels) => call(metrics.counters, name).add!(labels, 1));
  forEachMetric(gauges, (name, labels) => call(metrics.gauges, name).replace!([{ labels, value: 1 }]));
  forEachMetric(histograms, (name, labels) => call(metrics.histograms, name).observe!(labels, 1));
  return metrics.scrape();
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
