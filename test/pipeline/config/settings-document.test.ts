import { expect, it } from 'vitest';
import { listSettings } from '../../../pipeline/config/settings.ts';
import { findSection, renderSettingsTable } from '../../../pipeline/config/settings-document.ts';
import { expectSection } from '../../support/checks/document-section.ts';

it('docs/settings.md contains the table of all settings as in the code', async () => {
  await expectSection('docs/settings.md', 'settings', renderSettingsTable());
});

it('the table names every setting, with one sentence each', () => {
  const table = renderSettingsTable();
  for (const { key, setting } of listSettings()) {
    expect(table).toContain(`| \`${key}\` | \`${setting.environment}\` |`);
    expect(setting.about, key).toMatch(/^[A-Z].*\.$/);
  }
});

it('a document without markers has no section', () => {
  expect(findSection('# nothing', 'settings')).toBeNull();
});
