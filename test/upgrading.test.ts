import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { formerNames } from '../pipeline/config/former-names.ts';
import { projectRoot } from '../pipeline/effects/project-files.ts';

/** Where a former name may still stand: to read it, and to document or test that. */
const EXEMPT = [
  'CHANGELOG.md',
  'docs/upgrading.md',
  'pipeline/config/former-names.ts',
  'jobs/alerts/alert-states.ts',
  'jobs/commands/command-tools.ts',
  'jobs/commands/run.ts',
  'jobs/commands/work.ts',
];

const isExempt = (file: string) => EXEMPT.includes(file) || file.startsWith('docs/decisions/');

const read = (file: string) => readFileSync(path.join(projectRoot, file), 'utf8');

/** Texts of the program, its documentation and its monitoring files, by path. */
const texts = ['api', 'jobs', 'pipeline', 'docs']
  .flatMap((folder) =>
    readdirSync(path.join(projectRoot, folder), { recursive: true, encoding: 'utf8' }).map(
      (name) => `${folder}/${name}`,
    ),
  )
  .filter((file) => /\.(ts|tsx|md|sql|json|ya?ml)$/.test(file) && !isExempt(file))
  .map((file) => ({ file, text: read(file) }));

const page = read('docs/upgrading.md');

/** The rows of the table below the heading "Renamed". */
const rows = page
  .slice(page.indexOf('### Renamed'), page.indexOf('### Changed'))
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| Before'))
  .map((line) => line.split('|').map((cell) => cell.trim()) as [string, string, string, string]);

/** Names in backticks that are specific enough to search for: with a separator or an inner capital. */
function listNames(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)]
    .map(([, name]) => name!)
    .filter((name) => /[a-z](_|\.|[A-Z])[a-zA-Z]/.test(name));
}

const findUses = (name: string) => {
  const word = new RegExp(`(?<![\\w.])${name.replaceAll(/[.]/g, '\\.')}(?!\\w)`);
  return texts.filter(({ text }) => word.test(text)).map(({ file }) => file);
};

describe('renamed public names', () => {
  it('has rows', () => expect(rows.length).toBeGreaterThan(8));

  it.each(rows.flatMap(([, before]) => listNames(before)))('%s is in use no more', (name) => {
    expect(findUses(name)).toEqual([]);
  });

  it.each(rows.flatMap(([, , now]) => listNames(now.split(';')[0]!)).filter((name) => !name.includes('.json')))(
    '%s is in use',
    (name) => {
      expect(findUses(name)).not.toEqual([]);
    },
  );

  it('include each setting that is still read by its former name', () => {
    for (const { key, current } of formerNames) {
      const row = rows.find(([, before]) => before.includes(`\`${key}\``));
      expect(row?.[2], key).toContain(`\`${current}\``);
    }
  });
});
