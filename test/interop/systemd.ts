import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { projectPath } from '../../pipeline/effects/project-files.ts';
import { installDebianPackage, runTool } from './tools.ts';

/** In tenths, from 0 (sealed) to 100: what systemd calls "OK" ends at 50, and a service that serves the net is at 15. */
const MAX_EXPOSURE = 20;

/** systemd reads the unit without a complaint, and finds it hardened. @returns how exposed it is, from 0 to 10 */
export async function checkUnit(): Promise<string> {
  await installDebianPackage('systemd-analyze', 'systemd');
  const folder = await mkdtemp(path.join(tmpdir(), 'taktgeber-unit-'));
  try {
    const unit = path.join(folder, 'taktgeber.service');
    await copyFile(projectPath('deploy/taktgeber.service'), unit);
    const said = await runTool('systemd-analyze', ['verify', '--man=no', unit], '');
    const complaints = said.split('\n').filter((line) => line.includes('taktgeber.service'));
    if (complaints.length > 0) throw new Error(complaints.join('\n'));
    const limits = ['--offline=true', `--threshold=${MAX_EXPOSURE}`];
    const judged = await runTool('systemd-analyze', ['security', '--no-pager', ...limits, unit], '');
    return /Overall exposure level .*: ([\d.]+ \w+)/.exec(judged)?.[1] ?? judged;
  } finally {
    await rm(folder, { recursive: true });
  }
}
