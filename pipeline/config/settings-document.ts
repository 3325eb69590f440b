import type { OptionsSchema } from '../sources/option-schemas.ts';
import { sourceDefinitions } from '../sources/registry/source-definitions.ts';
import { sharedOptions } from './realtime-config.ts';
import { listSettings, type NamedSetting } from './settings.ts';

/** The tables of all options of realtime sources in Markdown; docs/realtime-sources.md must hold exactly this. */
export function renderOptionTables(): string {
  const tables = [
    renderTable('Every kind', sharedOptions.properties),
    ...sourceDefinitions.map(({ kind, options, archive }) => {
      const kept =
        archive === 'full'
          ? 'responses and observations are stored'
          : 'nothing is stored, since its terms forbid an archive';
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

/** The table of all settings in Markdown; docs/settings.md must hold exactly this. */
export function renderSettingsTable(): string {
  const head = ['| Key | Variable | Default | Allowed | What it does |', '|---|---|---|---|---|'];
  return [...head, ...listSettings().map(renderRow)].join('\n');
}

function renderRow({ key, setting }: NamedSetting): string {
  const initial = setting.default === null ? 'not set' : `\`${setting.default}\``;
  const about = setting.isSecret ? `${setting.about} Secret: never shown.` : setting.about;
  const cells = [`\`${key}\``, `\`${setting.environment}\``, initial, setting.allowed, about];
  return renderCells(cells);
}

/** A row of a table in Markdown. */
function renderCells(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

/**
 * Returns the text of a document between two lines such as `<!-- settings -->`.
 * @returns null when they are missing
 */
export function findSection(document: string, name: string): string | null {
  const parts = document.split(`<!-- ${name} -->`);
  return parts.length >= 3 ? (parts[1]?.trim() ?? null) : null;
}
