import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { projectRoot } from '../../../pipeline/effects/project-files.ts';
import { sourceDefinitions } from '../../../pipeline/sources/registry/source-definitions.ts';

/**
 * Where the name of a kind may occur: in the folders of the kinds, in the sample, which implements all of them, and
 * here.
 */
const named: Readonly<Record<string, string>> = {
  'pipeline/model/realtime.ts': 'an id space of the same name',
  'pipeline/realtime/matching/stop-link-overrides.ts': 'an id space of the same name',
  'pipeline/model/stop-id-forms.ts': 'an id space of the same name',
  'api/engine/search/exact-names.ts': 'an id space of the same name',
  'api/routes/history-question.ts': 'the id of a source in the specification',
  'api/routes/v1/metro.ts': 'a route about one publisher',
  'pipeline/config/austria.ts': 'configurations that operators get from `init`',
  'jobs/definitions/sample-realtime.ts': 'the configuration of the sample',
  'jobs/definitions/sample-sources.ts': 'the id of a source of the sample',
};

it('names kinds of sources only in their folders', async () => {
  const kinds = new RegExp(`'(${sourceDefinitions.map(({ kind }) => kind).join('|')})'`);
  const found: string[] = [];
  for (const folder of ['pipeline', 'jobs', 'api']) {
    for (const name of await readdir(path.join(projectRoot, folder), { recursive: true })) {
      const file = `${folder}/${name.split(path.sep).join('/')}`;
      if (!/\.m?ts$/.test(file) || /^pipeline\/(sources|sample)\//.test(file)) continue;
      if (kinds.test(await readFile(path.join(projectRoot, file), 'utf8'))) found.push(file);
    }
  }
  expect(found.sort()).toEqual(Object.keys(named).sort());
});
