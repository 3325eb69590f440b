import { readFile } from 'node:fs/promises';
import { projectPath, projectRoot } from '../../pipeline/effects/project-files.ts';
import { installDebianPackage, runTool } from './tools.ts';

/** The files, and the services that each must have; those of Taktgeber are read-only. */
const files: Readonly<Record<string, { readonly services: readonly string[]; readonly readOnly: number }>> = {
  'compose.yaml': { services: ['api', 'jobs'], readOnly: 2 },
  'deploy/compose.replicas.yaml': {
    services: ['balancer', 'jobs', 'postgres', 'replica-1', 'replica-2'],
    readOnly: 3,
  },
};

/**
 * Docker Compose reads the files by its schema, without a daemon. Debian's is older than `name`, which alone is left out.
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
  // What roles share is merged into each.
  const count = (read.match(/^ {4}read_only: true$/gm) ?? []).length;
  if (!isWhole || count !== readOnly) throw new Error(`docker-compose has read ${name} as ${read}`);
  return services.join(', ');
}
