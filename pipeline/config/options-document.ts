import type { OptionsSchema } from '../sources/option-schemas.ts';
import { sourceDefinitions } from '../sources/registry/source-definitions.ts';
import { sharedOptions } from './realtime-config.ts';
import { renderCells } from './settings-document.ts';

/** The tables of all options of realtime sources in Markdown; docs/realtime-sources.md must hold exactly this. */
export function renderOptionTables(): string {
  const tables = [
    renderTable('Every kind', sharedOptions.properties),
    ...sourceDefinitions.map(({ kind, options, archive }) => {
      const kept =
        archive === 'full' ? 'answers and sightings are kept' : 'nothing is kept: its terms allow no archive';
      return renderTable(`\`kind: ${kind}\`, ${kept}`, options.properties);
    }),
  ];
  return tables.join('\n\n');
}

function renderTable(title: string, options: OptionsSchema['properties']): string {
  const rows = Object.entries(options).map(([key, option]) =>
    renderCells([`\`${key}\``, renderInitial(option.default), option.allowed, option.description]),
  );
  return [`**${title}**`, '', '| Key | Default | Allowed | What it does |', '|---|---|---|---|', ...rows].join('\n');
}

function renderInitial(initial: unknown): string {
  if (initial === undefined) return 'required';
  const isNothing = initial === null || (typeof initial === 'object' && Object.keys(initial).length === 0);
  return isNothing ? 'not set' : `\`${initial}\``;
}
