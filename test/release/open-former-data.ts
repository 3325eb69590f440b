import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { projectPath } from '../../pipeline/effects/project-files.ts';
import { runTool } from '../interop/tools.ts';

/**
 * Opens the data folder of the previous release with the installed program: the newest fixture of a former format.
 * @returns a summary line
 */
export async function openFormerData(prefix: string, folder: string): Promise<string> {
  const names = (await readdir(projectPath('test/fixtures'))).filter((name) => /^data-format-\d+\.tgz$/.test(name));
  const [newest] = names.sort((a, b) => formatOf(b) - formatOf(a));
  await runTool('tar', ['-xzf', projectPath(`test/fixtures/${newest}`), '-C', folder], '');
  const dataDir = path.join(folder, 'data');
  const program = path.join(prefix, 'jobs', 'bin.mjs');
  const run = (...argv: string[]) =>
    runTool('env', ['TAKTGEBER_CONFIG=', process.execPath, program, ...argv, '--data', dataDir], '', folder);
  const rows = await run('sql', '--json', 'select count(*) as calls from stop_events');
  if (!rows.includes('{"calls":3}')) throw new Error(`stop events of ${newest}: ${rows.trim()} instead of 3 calls`);
  // Like `up`, which rebuilds snapshots if this version cannot read those of the previous one.
  const raw = await readdir(path.join(dataDir, 'lake', 'raw'), { recursive: true });
  const feed = raw.find((name) => name.endsWith('.zip'))!;
  await run('run', 'ingest-timetable', '--gtfs', `city=${path.join(dataDir, 'lake', 'raw', feed)}`);
  await run('status');
  const { format } = JSON.parse(await readFile(path.join(dataDir, 'format.json'), 'utf8'));
  return `data of format ${formatOf(newest!)} opened, now of format ${format}`;
}

function formatOf(name: string): number {
  return Number(/\d+/.exec(name)![0]);
}
