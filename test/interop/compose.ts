import { readFile } from 'node:fs/promises';
import { projectPath, projectRoot } from '../../pipeline/effects/project-files.ts';
import { installDebianPackage, runTool } from './tools.ts';

/** The files, and the services that each must define; those of Taktgeber are read-only. */
const files: Readonly<Record<string, { readonly services: readonly string[]; readonly readOnly: number }>> = {
  'compose.yaml': { services: ['api', 'jobs'], readOnly: 2 },
  'deploy/compose.replicas.yaml': {
    services: ['balancer', 'jobs', 'postgres', 'replica-1', 'replica-2'],
    readOnly: 3,
  },
};

/**
 * Validates the files with Docker Compose, without a daemon. The version of Debian does not know `name`, which is removed.
 * @returns the services that it has read
 */
export async function readCompose(): Promise<string> {
  await installDebianPackage('docker-compose', 'docker-compose');
  const read = [];
  for (const name of Object.keys(files)) read.push(`${name}: ${await readOne(name)}`);
  return read.join('; ');
}

async function readOne(name: string): Promise<string> {
  const text = (await readFile(projectPath(name), 'utf8')).replace(/^name: .*\n/m, '');
  const args = [
    'POSTGRES_PASSWORD=secret',
    'docker-compose',
    '--project-directory',
    projectRoot,
    '--file',
    '-',
    'config',
  ];
  const read = await runTool('env', args, text);
  const { services, readOnly } = files[name]!;
  const found = [...read.slice(read.indexOf('services:')).matchAll(/^ {2}([a-z][\w-]*):$/gm)].map(([, one]) => one);
  const isWhole = services.every((service) => found.includes(service));
  // YAML anchors are merged into each service.
  const count = (read.match(/^ {4}read_only: true$/gm) ?? []).length;
  if (!isWhole || count !== readOnly) throw new Error(`docker-compose read ${name} as ${read}`);
  return services.join(', ');
}
