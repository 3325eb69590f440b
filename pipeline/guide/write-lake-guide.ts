import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { writeFileAtomically } from '../effects/files.ts';
import { readProjectFile } from '../effects/project-files.ts';
import { isSystemError } from '../effects/world-error.ts';
import { lakeFolder } from '../lake/paths.ts';
import { type LakeView, listLakeViews } from './lake-views.ts';
import { renderCatalog } from './render-catalog.ts';

/** Where the readme lists the tables. */
const TABLES_MARKER = '<!-- tables -->';

/**
 * Writes `README.md` and `catalog.sql` into the lake, so that whoever opens it knows what it holds and how to ask it.
 * @returns the files that were other before; none when all stood there already
 */
export async function writeLakeGuide(dataDir: string): Promise<string[]> {
  const lake = path.resolve(lakeFolder(dataDir));
  const views = listLakeViews();
  const words = await readProjectFile('pipeline/guide/lake-readme.md');
  const files = {
    'README.md': words.replace(TABLES_MARKER, () => views.map(describeView).join('\n\n')),
    'catalog.sql': renderCatalog(views, lake),
  };
  const written: string[] = [];
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(lake, name);
    if ((await findText(file)) === text) continue;
    await writeFileAtomically(file, text);
    written.push(file);
  }
  return written;
}

function describeView({ schema, name, about, folderColumns, columns }: LakeView): string {
  const rows = Object.entries({ ...folderColumns, ...columns }).map(
    ([column, [type, words]]) => `| \`${column}\` | \`${type}\` | ${words.replaceAll('|', '\\|')} |`,
  );
  const relation = schema === 'main' ? name : `${schema}.${name}`;
  return [`### ${relation}`, '', about, '', '| Column | Type | What it says |', '|---|---|---|', ...rows].join('\n');
}

async function findText(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return null;
    throw error;
  }
}
