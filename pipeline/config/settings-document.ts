import { listSettings, type NamedSetting } from './settings.ts';

/** The README carries the table between two lines that read like this. */
export const SETTINGS_MARKER = '<!-- settings -->';

/** The table of all settings in Markdown; the README must hold exactly this. */
export function renderSettingsTable(): string {
  const head = ['| Key | Variable | Default | Allowed | What it does |', '|---|---|---|---|---|'];
  return [...head, ...listSettings().map(renderRow)].join('\n');
}

function renderRow({ key, setting }: NamedSetting): string {
  const initial = setting.default === null ? 'not set' : `\`${setting.default}\``;
  const about = setting.isSecret ? `${setting.about} Secret: never shown.` : setting.about;
  const cells = [`\`${key}\``, `\`${setting.environment}\``, initial, setting.allowed, about];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

/**
 * The text between the first two markers of a document.
 * @returns null when the markers are missing
 */
export function findSettingsSection(document: string): string | null {
  const parts = document.split(SETTINGS_MARKER);
  return parts.length >= 3 ? (parts[1]?.trim() ?? null) : null;
}
