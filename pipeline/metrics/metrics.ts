import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import {
  type Counters,
  counters,
  type Gauges,
  gauges,
  type HistogramDefinition,
  type Histograms,
  histograms,
  type MetricDefinition,
  OTHER,
} from './metric-definitions.ts';

type LabelsOf<Definition extends MetricDefinition> = { readonly [Label in keyof Definition['labels']]: string };

/** A value of a gauge; null where it is not known: then it has no series. */
export interface GaugeSample<Labels> {
  readonly labels: Labels;
  readonly value: number | null;
}

interface CounterOf<Labels> {
  add(labels: Labels, count?: number): void;
}
interface GaugeOf<Labels> {
  /** Replaces all series of the gauge: what is no longer there vanishes. */
  replace(samples: readonly GaugeSample<Labels>[]): void;
}
interface HistogramOf<Labels> {
  observe(labels: Labels, value: number): void;
}

/** The metrics of one process. Labels are bounded whatever is passed: no client can create a new series. */
export interface Metrics {
  readonly counters: { readonly [Key in keyof Counters]: CounterOf<LabelsOf<Counters[Key]>> };
  readonly gauges: { readonly [Key in keyof Gauges]: GaugeOf<LabelsOf<Gauges[Key]>> };
  readonly histograms: { readonly [Key in keyof Histograms]: HistogramOf<LabelsOf<Histograms[Key]>> };
  /** Calls `read` before each scrape, to set gauges. If it fails, the scrape continues without it. */
  beforeScrape(read: () => void | Promise<void>): void;
  /** All metrics in the text format of Prometheus; scrapes at the same time share one result. */
  scrape(): Promise<{ readonly text: string; readonly contentType: string }>;
}

type Labels = Readonly<Record<string, string>>;
/** Counts a value that a bound has cut off. */
type NoteCut = (metric: string) => void;

export function createMetrics(): Metrics {
  const registry = new Registry();
  const dropped = openCounter(registry, counters.seriesDropped, () => {});
  const noteCut: NoteCut = (metric) => dropped.add({ metric });
  const { seriesDropped: _opened, ...otherCounters } = counters;
  const opened = {
    counters: { ...mapValues(otherCounters, (one) => openCounter(registry, one, noteCut)), seriesDropped: dropped },
    gauges: mapValues(gauges, (one) => openGauge(registry, one, noteCut)),
    histograms: mapValues(histograms, (one) => openHistogram(registry, one, noteCut)),
  } as Pick<Metrics, 'counters' | 'gauges' | 'histograms'>;
  const readers: (() => void | Promise<void>)[] = [];
  const readAndRender = async () => {
    const read = await Promise.allSettled(readers.map(async (reader) => reader()));
    opened.counters.scrapeFailures.add({}, read.filter(({ status }) => status === 'rejected').length);
    return { text: await registry.metrics(), contentType: registry.contentType };
  };
  let underWay: ReturnType<Metrics['scrape']> | null = null;
  return {
    ...opened,
    beforeScrape: (read) => void readers.push(read),
    scrape() {
      underWay ??= readAndRender().finally(() => {
        underWay = null;
      });
      return underWay;
    },
  };
}

function openCounter(registry: Registry, { name, help, labels }: MetricDefinition, noteCut: NoteCut) {
  const counter = new Counter({ name, help, labelNames: Object.keys(labels), registers: [registry] });
  const bound = boundLabels(labels);
  return {
    add(values: Labels, count = 1) {
      const bounded = bound(values);
      if (bounded !== values) noteCut(name);
      counter.inc(bounded, count);
    },
  };
}

function openGauge(registry: Registry, { name, help, labels }: MetricDefinition, noteCut: NoteCut) {
  const gauge = new Gauge({ name, help, labelNames: Object.keys(labels), registers: [registry] });
  const clear = () => {
    gauge.reset();
    // One without labels would be shown as 0, also where it is not known.
    if (Object.keys(labels).length === 0) gauge.remove();
  };
  clear();
  return {
    replace(samples: readonly GaugeSample<Labels>[]) {
      clear();
      const bound = boundLabels(labels);
      for (const { labels: values, value } of samples) {
        if (value === null) continue;
        if (bound(values) === values) gauge.set(values, value);
        else noteCut(name);
      }
    },
  };
}

function openHistogram(registry: Registry, { name, help, labels, buckets }: HistogramDefinition, noteCut: NoteCut) {
  const labelNames = Object.keys(labels);
  const histogram = new Histogram({ name, help, labelNames, buckets: [...buckets], registers: [registry] });
  const bound = boundLabels(labels);
  return {
    observe(values: Labels, value: number) {
      const bounded = bound(values);
      if (bounded !== values) noteCut(name);
      histogram.observe(bounded, value);
    },
  };
}

/** @returns a function that clamps values to the bounds, and returns the same object if none is outside */
function boundLabels(labels: MetricDefinition['labels']): (values: Labels) => Labels {
  const admits = Object.entries(labels).map(([label, limit]) => {
    const known = new Set('values' in limit ? limit.values : []);
    const max = 'max' in limit ? limit.max : known.size;
    return { label, admit: (value: string) => known.has(value) || (known.size < max && known.add(value) !== null) };
  });
  return (values) => {
    let bounded = values;
    for (const { label, admit } of admits) {
      if (!admit(values[label] ?? '')) bounded = { ...bounded, [label]: OTHER };
    }
    return bounded;
  };
}

function mapValues<Value, Result>(
  table: Readonly<Record<string, Value>>,
  open: (value: Value) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(table).map(([key, value]) => [key, open(value)]));
}
