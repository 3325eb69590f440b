import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { runTool } from '../tools.ts';

const JVM_FOLDER = '/usr/lib/jvm';

/**
 * Finds a JDK on this machine: in `JAVA_HOME`, or below `/usr/lib/jvm`, where Debian and Temurin install it.
 * @param versions first and last feature release that are accepted
 * @returns its home
 * @throws Error with the accepted versions if there is none
 */
export async function findJdk([first, last]: readonly [first: number, last: number]): Promise<string> {
  const below = await readdir(JVM_FOLDER).catch(() => []);
  const homes = [process.env.JAVA_HOME ?? '', ...below.map((name) => path.join(JVM_FOLDER, name))].filter(Boolean);
  for (const home of homes) {
    const release = await readFile(path.join(home, 'release'), 'utf8').catch(() => '');
    const version = Number(/^JAVA_VERSION="(\d+)/m.exec(release)?.[1] ?? 0);
    if (version >= first && version <= last && existsSync(path.join(home, 'bin', 'java'))) return home;
  }
  const wanted = first === last ? `a JDK ${first}` : `a JDK from ${first} to ${last}`;
  throw new Error(`${wanted} is missing: none is in JAVA_HOME or below ${JVM_FOLDER}`);
}

/**
 * Returns a file of Maven Central from the local repository; Maven downloads it if it is missing.
 * @param coordinates `group:artifact:version` or `group:artifact:version:packaging[:classifier]`
 * @throws Error if Maven or the artifact is missing
 */
export async function getMavenFile(coordinates: string): Promise<string> {
  const [group, artifact, version, packaging = 'jar', classifier] = coordinates.split(':');
  const name = [artifact, version, classifier].filter(Boolean).join('-');
  const repository = path.join(homedir(), '.m2', 'repository');
  const file = path.join(repository, ...group!.split('.'), artifact!, version!, `${name}.${packaging}`);
  if (existsSync(file)) return file;
  try {
    const to = [`-Dmaven.repo.local=${repository}`, `-Dartifact=${coordinates}`, '-Dtransitive=false'];
    await runTool('mvn', ['--batch-mode', '--quiet', 'dependency:get', ...to], '');
  } catch (error) {
    throw new Error(`${coordinates} cannot be fetched by Maven: ${(error as Error).message}`);
  }
  if (!existsSync(file)) throw new Error(`Maven has fetched ${coordinates}, but it is not in its local repository`);
  return file;
}
