import { expect, it } from 'vitest';
import { listSettings } from '../../../pipeline/config/settings.ts';
import { findSettingsSection, renderSettingsTable } from '../../../pipeline/config/settings-document.ts';
import { readProjectFile } from '../../../pipeline/effects/project-files.ts';

it('the README holds the table of all settings, as the code has them', async () => {
  expect(findSettingsSection(await readProjectFile('README.md'))).toBe(renderSettingsTable());
});

it('the table names every setting, and says one sentence of each', () => {
  const table = renderSettingsTable();
  for (const { key, setting } of listSettings()) {
    expect(table).toContain(`| \`${key}\` | \`${setting.environment}\` |`);
    expect(setting.about, key).toMatch(/^[A-Z].*\.$/);
  }
});

it('a document without markers has no section', () => {
  expect(findSettingsSection('# nothing')).toBeNull();
});
