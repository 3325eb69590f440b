import { listSettings, type NamedSetting } from './settings.ts';

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
export function renderCells(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

/**
 * The text of a document between two lines that read like `<!-- settings -->`.
 * @returns null when they are missing
 */
export function findSection(document: string, name: string): string | null {
  const parts = document.split(`<!-- ${name} -->`);
  return parts.length >= 3 ? (parts[1]?.trim() ?? null) : null;
}
