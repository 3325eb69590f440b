import { describe, expect, it } from 'vitest';
import { counters, gauges, histograms, type MetricDefinition } from '../../../pipeline/metrics/metric-definitions.ts';
import { createMetrics } from '../../../pipeline/metrics/metrics.ts';
import { renderMetricsTable } from '../../../pipeline/metrics/metrics-document.ts';
import { expectSection } from '../../support/checks/document-section.ts';
import { findValue, parseMetrics } from '../../support/checks/parse-metrics.ts';

const definitions: readonly MetricDefinition[] = [counters, gauges, histograms].flatMap((table) =>
  Object.values(table as Record<string, MetricDefinition>),
);

async function scrapeOf(metrics: ReturnType<typeof createMetrics>) {
  return parseMetrics((await metrics.scrape()).text);
}

describe('a scrape', () => {
  it('has help and type of every metric of the table, and no other', async () => {
    const { families } = await scrapeOf(createMetrics());
    expect([...families.keys()].sort()).toEqual(definitions.map(({ name }) => name).sort());
    for (const { name, help } of definitions) expect(families.get(name), name).toMatchObject({ help });
  });

  it('has no series for an unknown gauge, and drops removed ones', async () => {
    const metrics = createMetrics();
    expect(findValue(await scrapeOf(metrics), 'taktgeber_disk_free_bytes')).toBeUndefined();
    const source = (name: string, value: number | null) => ({ labels: { source: name }, value });
    metrics.gauges.sourceAge.replace([source('a', 1), source('b', 2), source('c', null)]);
    metrics.gauges.sourceAge.replace([source('b', 3)]);
    const { series } = await scrapeOf(metrics);
    expect(series.filter(({ name }) => name === 'taktgeber_source_age_seconds')).toEqual([
      { name: 'taktgeber_source_age_seconds', labels: { source: 'b' }, value: 3 },
    ]);
  });

  it('continues without a metric that cannot be read, and counts it', async () => {
    const metrics = createMetrics();
    metrics.beforeScrape(() => Promise.reject(new Error('no disk')));
    metrics.beforeScrape(() => {
      throw new Error('no memory');
    });
    metrics.beforeScrape(() => metrics.gauges.ready.replace([{ labels: {}, value: 1 }]));
    const scrape = await scrapeOf(metrics);
    expect(findValue(scrape, 'taktgeber_ready')).toBe(1);
    expect(findValue(scrape, 'taktgeber_scrape_failures_total')).toBe(2);
  });

  it('is shared by concurrent requests', async () => {
    const metrics = createMetrics();
    let reads = 0;
    metrics.beforeScrape(async () => {
      reads += 1;
    });
    await Promise.all([metrics.scrape(), metrics.scrape()]);
    await metrics.scrape();
    expect(reads).toBe(2);
  });
});

describe('labels', () => {
  it('beyond a limit are counted as other, like a value outside the list', async () => {
    const metrics = createMetrics();
    for (let i = 0; i < 500; i++) {
      metrics.counters.httpRequests.add({ route: `/${i}`, method: `M${i}`, status: '200' });
      metrics.histograms.httpDuration.observe({ route: `/${i}` }, 0.01);
    }
    const scrape = await scrapeOf(metrics);
    const routes = new Set(scrape.series.map(({ labels }) => labels.route).filter((route) => route !== undefined));
    expect(routes.size).toBe(counters.httpRequests.labels.route.max + 1);
    const methods = scrape.series.map(({ labels }) => labels.method).filter((method) => method !== undefined);
    expect(new Set(methods)).toEqual(new Set(['other']));
    const total = scrape.series
      .filter(({ name }) => name === 'taktgeber_http_requests_total')
      .reduce((sum, { value }) => sum + value, 0);
    expect(total).toBe(500);
    expect(
      findValue(scrape, 'taktgeber_series_dropped_total', { metric: 'taktgeber_http_request_duration_seconds' }),
    ).toBe(400);
  });

  it('of a gauge beyond the limit are omitted, and counted', async () => {
    const metrics = createMetrics();
    const samples = Array.from({ length: 60 }, (_, i) => ({ labels: { source: `s${i}` }, value: i }));
    metrics.gauges.sourceAge.replace(samples);
    const scrape = await scrapeOf(metrics);
    expect(scrape.series.filter(({ name }) => name === 'taktgeber_source_age_seconds')).toHaveLength(50);
    const metric = 'taktgeber_source_age_seconds';
    expect(findValue(scrape, 'taktgeber_series_dropped_total', { metric })).toBe(10);
  });
});

describe('the table', () => {
  it.each(definitions.map((one) => [one.name, one] as const))('%s is named and described as usual', (name, one) => {
    expect(name).toMatch(/^(taktgeber|process)_[a-z_]+[a-z]$/);
    expect(one.help).toMatch(/^[A-Z0-9].*\.$/);
    for (const label of Object.keys(one.labels)) expect(label).toMatch(/^[a-z_]+$/);
    const isCounter = Object.values(counters).some((counter) => counter.name === name);
    expect(name.endsWith('_total')).toBe(isCounter);
  });

  it('is in docs/operations.md', async () => {
    await expectSection('docs/operations.md', 'metrics', renderMetricsTable());
  });
});
