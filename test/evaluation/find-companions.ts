import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { UsageError } from '../../pipeline/effects/usage-error.ts';
import type { CompanionFiles } from './layout.ts';

const SNAPSHOTS = /^hu_snapshots_(.+)$/;
const POSITIONS = /^hu_live_positions_.*\.parquet$/;

/** Options that name files. */
interface FileOptions {
  readonly layout: string;
  readonly finals?: string;
  readonly positions?: string;
}

/**
 * The companion files of snapshots: those given as options, else those with matching names.
 * @returns `undefined` for a layout without companions
 * @throws UsageError where a file is missing, or belongs to another layout
 */
export async function findCompanions(
  file: string,
  options: FileOptions,
  cwd: string,
): Promise<CompanionFiles | undefined> {
  const { layout, finals, positions } = options;
  if (layout !== 'hu_snapshots') {
    if (finals !== undefined) throw new UsageError('--finals belongs to the layout hu_snapshots');
    if (positions !== undefined) throw new UsageError('--positions belongs to the layout hu_snapshots');
    return undefined;
  }
  const folder = path.dirname(file);
  const finalsFile = finals === undefined ? guessFinals(file) : path.resolve(cwd, finals);
  await checkFile('--finals', finalsFile);
  if (positions === undefined) {
    const found = (await readdir(folder)).filter((name) => POSITIONS.test(name)).sort();
    return { finals: finalsFile, positions: found.map((name) => path.join(folder, name)) };
  }
  const positionsFile = path.resolve(cwd, positions);
  await checkFile('--positions', positionsFile);
  return { finals: finalsFile, positions: [positionsFile] };
}

function guessFinals(file: string): string {
  const [, rest] = SNAPSHOTS.exec(path.basename(file)) ?? [];
  if (rest === undefined) {
    throw new UsageError('--finals is needed: hu_final_... is searched for only next to a file hu_snapshots_...');
  }
  return path.join(path.dirname(file), `hu_final_${rest}`);
}

/** @throws UsageError where there is no such file */
export async function checkFile(option: string, file: string): Promise<void> {
  const isFile = await stat(file).then(
    (found) => found.isFile(),
    () => false,
  );
  if (!isFile) throw new UsageError(`${option}: there is no file ${file}`);
}
