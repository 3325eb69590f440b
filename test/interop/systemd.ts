import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { projectPath } from '../../pipeline/effects/project-files.ts';
import { installDebianPackage, runTool } from './tools.ts';

/** Maximum exposure in tenths, from 0 (best) to 100. "OK" of systemd ends at 50; a network service can reach 15. */
const MAX_EXPOSURE = 20;

/** Checks that systemd accepts the unit and rates it as hardened. @returns its exposure, from 0 to 10 */
export async function checkUnit(): Promise<string> {
  await installDebianPackage('systemd-analyze', 'systemd');
  const folder = await mkdtemp(path.join(tmpdir(), 'taktgeber-unit-'));
  try {
    const unit = path.join(folder, 'taktgeber.service');
    await copyFile(projectPath('deploy/taktgeber.service'), unit);
    const output = await runTool('systemd-analyze', ['verify', '--man=no', unit], '');
    const complaints = output.split('\n').filter((line) => line.includes('taktgeber.service'));
    if (complaints.length > 0) throw new Error(complaints.join('\n'));
    const limits = ['--offline=true', `--threshold=${MAX_EXPOSURE}`];
    const judged = await runTool('systemd-analyze', ['security', '--no-pager', ...limits, unit], '');
    return /Overall exposure level .*: ([\d.]+ \w+)/.exec(judged)?.[1] ?? judged;
  } finally {
    await rm(folder, { recursive: true });
  }
}
