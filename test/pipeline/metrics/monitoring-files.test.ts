import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readProjectFile } from '../../../pipeline/effects/project-files.ts';
import {
  counters,
  gauges,
  type HistogramDefinition,
  histograms,
  type LabelBound,
  type MetricDefinition,
} from '../../../pipeline/metrics/metric-definitions.ts';
import { scrapeEveryMetric } from '../../support/fakes/scrape-every-metric.ts';

/** The labels of every possible series, by name. */
const labelsOf = new Map<string, Readonly<Record<string, LabelBound>>>([
  ...[counters, gauges].flatMap((table) =>
    Object.values(table as Record<string, MetricDefinition>).map(({ name, labels }) => [name, labels] as const),
  ),
  ...Object.values(histograms as Record<string, HistogramDefinition>).flatMap(({ name, labels }) => [
    [`${name}_bucket`, { ...labels, le: { max: 100 } }] as const,
    [`${name}_sum`, labels] as const,
    [`${name}_count`, labels] as const,
  ]),
  // Created by Prometheus itself.
  ['up', { job: { max: 1 } }],
]);
/** Added by Prometheus to every series. */
const ADDED = ['instance', 'job'];

interface Query {
  readonly where: string;
  readonly expr: string;
  /** Text with labels of the result, as `{{label}}` or `{{ $labels.label }}`. */
  readonly shown: string;
}

async function listQueries(): Promise<Query[]> {
  const rules = parse(await readProjectFile('docs/monitoring/alert-rules.yaml'));
  const dashboard = JSON.parse(await readProjectFile('docs/monitoring/grafana-dashboard.json'));
  return [
    ...rules.groups.flatMap(
      (group: { rules: { alert: string; expr: string; annotations: Record<string, string> }[] }) =>
        group.rules.map(({ alert, expr, annotations }) => ({
          where: alert,
          expr,
          shown: Object.values(annotations).join(' '),
        })),
    ),
    ...dashboard.panels.flatMap((panel: { title: string; targets?: { expr: string; legendFormat: string }[] }) =>
      (panel.targets ?? []).map(({ expr, legendFormat }) => ({ where: panel.title, expr, shown: legendFormat })),
    ),
  ];
}

/** As Grafana writes a variable. */
const DATASOURCE_VARIABLE = ['$', '{source}'].join('');

/** Names and labels of the series of a scrape. */
function readSeries(text: string): ReadonlyMap<string, readonly string[]> {
  return new Map(
    [...text.matchAll(/^([a-z_]+)(?:\{(.*)\})? [^ ]+$/gm)].map(([, name, labels = '']) => [
      name!,
      [...labels.matchAll(/([a-z_]+)="/g)].map(([, label]) => label!),
    ]),
  );
}

const METRIC = /\b(?:taktgeber|process)_[a-z_]+\b|\bup(?=\{)/g;

function namesIn(expr: string): string[] {
  return [...expr.matchAll(METRIC)].map(([name]) => name);
}

describe('dashboard and alert rules', () => {
  it('query existing metrics with existing labels', async () => {
    for (const { where, expr, shown } of await listQueries()) {
      const names = namesIn(expr);
      expect(names.length, `${where}: ${expr}`).toBeGreaterThan(0);
      for (const name of names) expect(labelsOf.has(name), `${where}: ${name}`).toBe(true);
      const known = new Set([...ADDED, ...names.flatMap((name) => Object.keys(labelsOf.get(name)!))]);
      const matchers = [...expr.matchAll(/([a-z_]+)(?:=~|!~|!=|=)"/g)].map(([, label]) => label!);
      const grouped = [...expr.matchAll(/\b(?:by|ignoring|on) \(([^)]*)\)/g)].flatMap(([, list]) => list!.split(', '));
      const legend = [...shown.matchAll(/\{\{ ?(?:\$labels\.)?([a-z_]+) ?\}\}/g)].map(([, label]) => label!);
      for (const label of [...matchers, ...grouped, ...legend]) expect(known, `${where}: ${label}`).toContain(label);
    }
  });

  it('query series and labels that the service exposes', async () => {
    const series = readSeries(await scrapeEveryMetric());
    // Created by Prometheus itself, which also adds two labels.
    const exposed = new Map([...series, ['up', ADDED] as const]);
    for (const { where, expr } of await listQueries()) {
      for (const [, name, matchers = ''] of expr.matchAll(
        /\b((?:taktgeber|process)_[a-z_]+|up(?=\{))(?:\{([^}]*)\})?/g,
      )) {
        const labels = exposed.get(name!);
        expect(labels, `${where}: ${name}`).toBeDefined();
        const used = [...matchers.matchAll(/([a-z_]+)(?:=~|!~|!=|=)"/g)].map(([, label]) => label!);
        expect(
          used.filter((label) => !labels!.includes(label) && !ADDED.includes(label)),
          where,
        ).toEqual([]);
      }
    }
  });

  it('compare labels with values that occur', async () => {
    for (const { where, expr } of await listQueries()) {
      for (const [, name, inside] of expr.matchAll(/\b(taktgeber_[a-z_]+)\{([^}]*)\}/g)) {
        for (const [, label, value] of inside!.matchAll(/([a-z_]+)="([^"]*)"/g)) {
          const bound = labelsOf.get(name!)![label!]!;
          if ('values' in bound) expect(bound.values, `${where}: ${label}`).toContain(value);
        }
      }
    }
  });

  it('show every metric', async () => {
    const queried = new Set((await listQueries()).flatMap(({ expr }) => namesIn(expr)));
    const hidden = [...labelsOf.keys()].filter((name) => !queried.has(name) && !/_(sum|count)$/.test(name));
    expect(hidden).toEqual([]);
  });

  it('have balanced brackets, and a severity and a text for each rule', async () => {
    for (const { where, expr } of await listQueries()) {
      const count = (sign: string) => expr.split(sign).length;
      expect([count('('), count('{'), count('[')], where).toEqual([count(')'), count('}'), count(']')]);
    }
    const { groups } = parse(await readProjectFile('docs/monitoring/alert-rules.yaml'));
    for (const rule of groups.flatMap((group: { rules: unknown[] }) => group.rules)) {
      expect(rule).toMatchObject({
        alert: expect.stringMatching(/^Taktgeber[A-Z]/),
        labels: { severity: expect.stringMatching(/^(warning|critical)$/) },
        annotations: { summary: expect.stringMatching(/\.$/), description: expect.stringMatching(/\.$|left\.$/) },
      });
    }
  });

  it('show every metric on the dashboard', async () => {
    const dashboard = await readProjectFile('docs/monitoring/grafana-dashboard.json');
    const shown = new Set(namesIn(dashboard));
    const isShown = (name: string) => shown.has(name) || shown.has(`${name}_bucket`);
    const all = [counters, gauges, histograms].flatMap((table) => Object.values(table).map(({ name }) => name));
    expect(all.filter((name) => !isShown(name))).toEqual([]);
  });

  it('have the members that an import into Grafana requires, and one Prometheus of the reader', async () => {
    const { panels, ...dashboard } = JSON.parse(await readProjectFile('docs/monitoring/grafana-dashboard.json'));
    // The required members of the published schema of dashboards.
    expect(dashboard).toMatchObject({
      schemaVersion: expect.any(Number),
      editable: true,
      annotations: { list: [] },
      timezone: 'browser',
    });
    expect(dashboard.templating.list).toMatchObject([{ name: 'source', type: 'datasource', query: 'prometheus' }]);
    for (const { type, title, gridPos, datasource, targets } of panels) {
      expect({ type, title, gridPos }).toMatchObject({ type: expect.any(String), title: expect.any(String) });
      if (targets) expect(datasource, title).toEqual({ type: 'prometheus', uid: DATASOURCE_VARIABLE });
    }
  });

  it('have panels that do not overlap', async () => {
    const { panels } = JSON.parse(await readProjectFile('docs/monitoring/grafana-dashboard.json'));
    const taken = new Set<string>();
    for (const { id, gridPos } of panels) {
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(taken.has(`${x} ${y}`), String(id)).toBe(false);
          taken.add(`${x} ${y}`);
        }
      }
    }
    expect(new Set(panels.map(({ id }: { id: number }) => id)).size).toBe(panels.length);
  });
});
