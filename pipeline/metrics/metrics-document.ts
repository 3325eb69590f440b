import { counters, gauges, histograms, type LabelBound, type MetricDefinition } from './metric-definitions.ts';

/** The table of all metrics in Markdown; docs/operations.md must hold exactly this. */
export function renderMetricsTable(): string {
  const rows = [
    ...renderRows('counter', counters),
    ...renderRows('gauge', gauges),
    ...renderRows('histogram', histograms),
  ];
  return ['| Metric | Type | Labels | Meaning |', '|---|---|---|---|', ...rows].join('\n');
}

function renderRows(type: string, table: Readonly<Record<string, MetricDefinition>>): string[] {
  return Object.values(table).map(({ name, help, labels }) => {
    const shown = Object.entries(labels).map(([label, bound]) => `\`${label}\` ${renderBound(bound)}`);
    return `| \`${name}\` | ${type} | ${shown.join('; ') || '-'} | ${help} |`;
  });
}

function renderBound(bound: LabelBound): string {
  return 'max' in bound ? `(at most ${bound.max})` : `(${bound.values.join(', ')})`;
}
