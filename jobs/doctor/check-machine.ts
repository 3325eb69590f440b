import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { findRestoreMark } from '../../pipeline/backup/restore-mark.ts';
import { ExternalError, isOfTheSystem, isSystemError } from '../../pipeline/effects/external-error.ts';
import { readProxyRules } from '../../pipeline/effects/proxy.ts';
import { findDataFormat, newestFormat } from '../../pipeline/lake/data-format.ts';
import { isDiskLow } from '../alerts/evaluate-alerts.ts';
import { findServiceHolder } from '../locks/service-lock.ts';
import { readDisk } from '../monitoring/service-facts.ts';
import { bad, type Examined, type Finding, good, warning } from './finding.ts';

/** First major version of Node that still gets security fixes, as of November 2026. */
const OLDEST_MAINTAINED_NODE = 22;

/** Files that a disk must still be able to hold; raw answers are many and small. */
const SCARCE_FREE_FILES = 20_000;

/** @param version as in `process.versions.node` */
export function checkNode(version: string): Finding {
  const about = 'node';
  if (Number(version.split('.')[0]) >= OLDEST_MAINTAINED_NODE) return good(about, `Node ${version}`);
  return warning(about, `Node ${version} no longer receives security fixes`, 'install Node 24');
}

/** @returns empty without a proxy */
export function checkProxies(environment: Readonly<Record<string, string | undefined>>): Finding[] {
  const about = 'proxy';
  try {
    const { description } = readProxyRules(environment);
    return description === null ? [] : [good(about, description)];
  } catch (error) {
    if (!(error instanceof ExternalError)) throw error;
    return [bad(about, error.message, 'correct the variable of the environment, or remove it')];
  }
}

export async function checkDataFolder({ config, effects }: Examined): Promise<Finding> {
  const { dataDir } = config;
  const about = 'data folder';
  const mark = await findRestoreMark(dataDir);
  if (mark) {
    return bad(
      about,
      `a restore of backup ${mark.backup} into ${dataDir} was interrupted`,
      'run "taktgeber restore" again',
    );
  }
  const written = await tryToWrite(dataDir);
  if (written !== null) {
    return bad(about, `${dataDir} is not writable: ${written}`, 'make it writable for the user that runs taktgeber');
  }
  const format = await findFormat(dataDir);
  if (typeof format === 'string') return bad(about, format, 'restore a backup with "taktgeber restore"');
  if (format === null) return warning(about, `${dataDir} is empty`, 'fill it with "taktgeber up"');
  if (format > newestFormat()) {
    return bad(
      about,
      `${dataDir} has format ${format}, and this program supports up to ${newestFormat()}`,
      'install the newer program',
    );
  }
  const holder = await findServiceHolder(dataDir, effects);
  const user = holder ? `process ${holder.pid} on ${holder.host} runs its jobs` : 'no process runs its jobs now';
  return good(about, `${dataDir}, format ${format}; ${user}`);
}

/** @returns the reason why a damaged one has no format */
async function findFormat(dataDir: string): Promise<number | string | null> {
  try {
    return await findDataFormat(dataDir);
  } catch (error) {
    if (error instanceof ExternalError) return error.message;
    throw error;
  }
}

/** @returns why it failed; null when it did not, or the folder does not exist but can be made */
async function tryToWrite(dataDir: string): Promise<string | null> {
  const file = path.join(nearestFolder(dataDir), `.doctor-${randomBytes(6).toString('hex')}.tmp`);
  try {
    await writeFile(file, 'can this be written?');
    await rm(file);
    return null;
  } catch (error) {
    if (isOfTheSystem(error)) return error.message;
    throw error;
  }
}

export async function checkDisk({ config }: Examined): Promise<Finding> {
  const about = 'disk';
  const { freeBytes, freeFiles } = await readDisk(nearestFolder(config.dataDir));
  const sentence = `${(freeBytes / 1e9).toFixed(1)} GB free`;
  const remedy = 'free space, or lower the settings raw.* and retention.*';
  if (isDiskLow(freeBytes, config)) return bad(about, sentence, remedy);
  if (freeFiles !== null && freeFiles < SCARCE_FREE_FILES) {
    return warning(about, `it has room for only ${freeFiles} more files`, remedy);
  }
  return good(about, sentence);
}

/** The folder, or the first above it that exists. */
function nearestFolder(folder: string): string {
  return existsSync(folder) || folder === path.dirname(folder) ? folder : nearestFolder(path.dirname(folder));
}

/** Whether the api can listen, or does so already. */
export async function checkPort({ config, effects, signal }: Examined): Promise<Finding> {
  const { host, port } = config;
  const about = `port ${port}`;
  const taken = await tryToListen(host, port);
  if (taken === null) return good(about, `${host}:${port} is free`);
  if (taken !== 'EADDRINUSE') {
    return bad(about, `cannot listen on ${host}:${port}: ${taken}`, 'correct the settings host and port');
  }
  const local = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host;
  const url = `http://${local.includes(':') ? `[${local}]` : local}:${port}/v1/health`;
  try {
    await effects.http({ url, timeoutSeconds: 5, maxBytes: 100_000, signal });
    return good(about, `a running taktgeber answers on ${host}:${port}`);
  } catch (error) {
    if (!(error instanceof ExternalError)) throw error;
    const remedy = 'if it is taktgeber, see its log; otherwise stop the other program or choose another port';
    return bad(about, `${host}:${port} is taken, and ${error.message}`, remedy);
  }
}

/** @returns null when it works, else the code of the error */
async function tryToListen(host: string, port: number): Promise<string | null> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host, port }, resolve);
    });
    await new Promise((resolve) => server.close(resolve));
    return null;
  } catch (error) {
    if (isSystemError(error, 'EADDRINUSE')) return 'EADDRINUSE';
    if (isOfTheSystem(error)) return error.code ?? error.message;
    throw error;
  }
}
