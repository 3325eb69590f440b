import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../pipeline/effects/project-files.ts';
import { findBannedWords } from './support/checks/plain-words.ts';

/** Folders and files whose names, comments and messages use none of the banned words. */
const plainPlaces = [
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'README.md',
  'SECURITY.md',
  'docs',
  'examples',
  'api',
  'jobs',
  'pipeline',
  'test/api',
  'test/bench',
  'test/browser',
  'test/e2e',
  'test/evaluation',
  'test/interop',
  'test/jobs',
  'test/pipeline',
  'test/real',
  'test/support',
];

/** Words that stay: the list of banned words, names in stored data, an HTML tag, and former names that the upgrade guide lists. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  'test/jobs/alerts/keep-alerting.test.ts': ['told at'],
  'test/jobs/damaged-data-folder.ts': ['figures'],
  'test/jobs/damaged-files.isolated.slow.test.ts': ['figures'],
  'test/pipeline/lake/every-table.isolated.test.ts': ['asked at'],
  'test/support/checks/plain-words.ts': ['tells'],
  'api/site/texts/predictions.ts': ['told by source'],
  'jobs/alerts/alert-states.ts': ['told at'],
  'jobs/commands/command-tools.ts': ['lanes'],
  'jobs/commands/realtime-status.ts': ['figures'],
  'jobs/commands/work.ts': ['lanes'],
  'jobs/monitoring/service-facts.ts': ['figures'],
  'pipeline/model/plain-text.ts': ['figure'],
  'pipeline/predictions/learning/feature-store.ts': ['asked at'],
  'pipeline/predictions/measured/evaluate-day.ts': ['figures'],
  'pipeline/predictions/measured/measured-days.ts': ['figures'],
};

async function listFiles(place: string): Promise<string[]> {
  if (/\.md$/.test(place)) return [place];
  const entries = await readdir(path.join(projectRoot, place), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && /\.(tsx?|sql|md)$/.test(entry.name))
    .map((entry) => path.relative(projectRoot, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'));
}

describe('names and texts', () => {
  it.each(plainPlaces)('of %s have no banned words', async (place) => {
    const findings: string[] = [];
    for (const file of await listFiles(place)) {
      const found = findBannedWords(file, await readFile(path.join(projectRoot, file), 'utf8'));
      const rest = found.filter((one) => !allowed[file]?.includes(one.found));
      findings.push(...rest.map((one) => `${file}:${one.line}: "${one.found}"; write: ${one.instead}`));
    }
    expect(findings).toEqual([]);
  });

  it.each([
    ['a.ts', 'const toldAt = 1;', ['told at']],
    ['a.ts', '// What the job tells.\nexport {};', ['tells', 'job tells']],
    ['a.ts', "throw new Error('made anew');", ['anew']],
    ['a.ts', "const code = 'made_anew';", []],
    ['a.sql', "select 'anew' -- of its\n  -- own", ['of its own']],
    ['a.md', 'Rebuilt `anew`, by halves.', ['by halves']],
  ])('of %s are searched by their kind: %j', (file, text, found) => {
    expect(findBannedWords(file, text).map((one) => one.found.replaceAll(/\s+/g, ' '))).toEqual(found);
  });
});
