import { readFile } from 'node:fs/promises';
import { projectPath, projectRoot } from '../../pipeline/effects/project-files.ts';
import { installDebianPackage, runTool } from './tools.ts';

/**
 * Docker Compose reads `compose.yaml` by its schema, without a daemon. Debian's is older than `name`, which alone is left
 * out.
 * @returns the services that it has read
 */
export async function readCompose(): Promise<string> {
  await installDebianPackage('docker-compose', 'docker-compose');
  const text = (await readFile(projectPath('compose.yaml'), 'utf8')).replace(/^name: .*\n/m, '');
  const read = await runTool('docker-compose', ['--project-directory', projectRoot, '--file', '-', 'config'], text);
  const services = [...read.matchAll(/^ {2}(api|jobs):$/gm)].map(([, name]) => name);
  // What both share is merged into each.
  const readOnly = read.match(/^ {4}read_only: true$/gm) ?? [];
  if (services.length !== 2 || readOnly.length !== 2) throw new Error(`docker-compose has read ${read}`);
  return services.join(' and ');
}
