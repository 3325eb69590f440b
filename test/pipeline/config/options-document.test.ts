import { expect, it } from 'vitest';
import { sharedOptions } from '../../../pipeline/config/realtime-config.ts';
import { renderOptionTables } from '../../../pipeline/config/settings-document.ts';
import { sourceDefinitions } from '../../../pipeline/sources/registry/source-definitions.ts';
import { expectSection } from '../../support/checks/document-section.ts';

it('docs/realtime-sources.md contains the tables of all options as in the code', async () => {
  await expectSection('docs/realtime-sources.md', 'options', renderOptionTables());
});

it('the tables name every option, with one sentence each', () => {
  const tables = renderOptionTables();
  for (const { kind, options } of [{ kind: 'every kind', options: sharedOptions }, ...sourceDefinitions]) {
    for (const [key, option] of Object.entries(options.properties)) {
      expect(tables).toContain(`| \`${key}\` | `);
      expect(option.description, `${kind} ${key}`).toMatch(/^[A-Z`].*\.$/);
      expect(option.allowed, `${kind} ${key}`).not.toBe('');
    }
  }
});
