import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { runTool } from '../tools.ts';

/** The oldest release of Debian that has Swift. */
const RELEASE = 'trixie';
const PACKAGES = ['swiftlang', 'libstdc++-14-dev', 'libc6-dev', 'ca-certificates'];
/** Folders that Debian has merged into `/usr`; no package of the list creates their links. */
const MERGED = ['bin', 'lib', 'lib64', 'sbin'];

/** Runs `swiftc`, or a program that it has compiled. Paths are absolute and below the temporary folder. */
type RunSwift = (program: string, args: readonly string[]) => Promise<string>;

/**
 * Finds Swift on this machine, or unpacks it from the packages of Debian into the temporary folder, where later runs reuse
 * it; it then runs in its own root folder, because it needs newer libraries than older machines have. Root is not needed.
 * @throws Error if neither is possible: without a mirror of Debian, or without user namespaces
 */
export async function findSwift(): Promise<RunSwift> {
  const isThere = await runTool('swiftc', ['--version'], '').then(
    () => true,
    () => false,
  );
  if (isThere) return (program, args) => runTool(program, args, '');
  const root = path.join(tmpdir(), `taktgeber-interop-swift-${RELEASE}`);
  try {
    if (!existsSync(root)) await unpack(root);
    return (program, args) => runIn(root, program, args);
  } catch (error) {
    throw new Error(`swiftc is missing, and cannot be unpacked from Debian's packages: ${(error as Error).message}`);
  }
}

/** Runs a program with another root folder, which shares the temporary folder, devices and processes with this machine. */
function runIn(root: string, program: string, args: readonly string[]): Promise<string> {
  const mounts = ['/dev', '/proc', tmpdir()].map((place) => `mount --rbind ${place} ${root}${place}`);
  const script = `${mounts.join(' && ')} && exec env PATH=/usr/bin:/usr/sbin LANG=C.UTF-8 chroot ${root} "$0" "$@"`;
  return runTool('unshare', ['--map-root-user', '--mount', 'sh', '-c', script, program, ...args], '');
}

/** Downloads packages with all that they depend on, as apt would for an empty machine, and unpacks them. */
async function unpack(root: string): Promise<void> {
  const aside = `${root}-${process.pid}`;
  const apt = `${aside}-apt`;
  await rm(aside, { recursive: true, force: true });
  for (const name of ['lists/partial', 'cache/archives/partial'])
    await mkdir(path.join(apt, name), { recursive: true });
  const packages = await download(apt);
  for (const name of ['usr', 'dev', 'proc', 'root', tmpdir()]) await mkdir(path.join(aside, name), { recursive: true });
  for (const name of MERGED) {
    await mkdir(path.join(aside, 'usr', name), { recursive: true });
    await symlink(`usr/${name}`, path.join(aside, name));
  }
  for (const file of packages) await runTool('dpkg-deb', ['--extract', file, aside], '');
  await rm(apt, { recursive: true, force: true });
  await rename(aside, root);
}

/** @param folder for the state of apt, which is separate from that of the machine */
async function download(folder: string): Promise<readonly string[]> {
  const mirror = await findMirror();
  const sources = path.join(folder, 'sources.list');
  await writeFile(sources, `deb ${mirror} ${RELEASE} main\n`);
  await writeFile(path.join(folder, 'status'), '');
  const settings = {
    'Dir::Etc::sourcelist': sources,
    'Dir::Etc::sourceparts': '/dev/null',
    'Dir::State::lists': path.join(folder, 'lists'),
    'Dir::State::status': path.join(folder, 'status'),
    'Dir::Cache': path.join(folder, 'cache'),
    'APT::Sandbox::User': '',
    'Debug::NoLocking': 'true',
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  await runTool('apt-get', [...options, 'update'], '');
  const install = ['install', '--download-only', '--yes', '--no-install-recommends', ...PACKAGES];
  await runTool('apt-get', [...options, ...install], '');
  const archives = path.join(folder, 'cache', 'archives');
  const names = await readdir(archives);
  return names.filter((name) => name.endsWith('.deb')).map((name) => path.join(archives, name));
}

/** The mirror from which this machine installs packages of Debian. @throws Error if it has none */
async function findMirror(): Promise<string> {
  const targets = await runTool('apt-get', ['indextargets', '--format', '$(REPO_URI)', 'Origin: Debian'], '');
  const mirror = targets.split('\n').find((address) => address !== '' && !address.includes('security'));
  if (mirror === undefined) throw new Error('no mirror of Debian is configured');
  return mirror;
}
