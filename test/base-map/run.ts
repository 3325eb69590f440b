import { writeFile } from 'node:fs/promises';
import process from 'node:process';
import { projectPath } from '../../pipeline/effects/project-files.ts';
import { buildBaseMap } from './build-base-map.ts';

/* `npm run base-map -- FOLDER`: writes data/lookups/base-map.json from files of Natural Earth in a folder. */
const [folder] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write('usage: npm run base-map -- FOLDER\n');
  process.exit(2);
}
const text = JSON.stringify(await buildBaseMap(folder));
// A feature a line, so that a change is seen as one.
await writeFile(
  projectPath('data/lookups/base-map.json'),
  `${text.replaceAll('{"type":"Feature"', '\n{"type":"Feature"')}\n`,
);
process.stdout.write(`wrote data/lookups/base-map.json (${Math.round(text.length / 1000)} kB)\n`);
