import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { ExternalError } from '../../effects/external-error.ts';
import { findJson, isThere, listFolders, listNames, syncFolder, writeJsonAtomically } from '../../effects/files.ts';
import { withTemporaryFolder } from '../../effects/temporary-folders.ts';
import { icebergFolder, workFolder } from '../../lake/paths.ts';
import { isNotedOf, type StoreIdentity, stateFolder } from './local-state.ts';
import type { StoreContext } from './store-context.ts';

/*
 * Metadata of Iceberg tables lie in the store under their own names, as readers look for them; the data files that they
 * name are contents of the trees `iceberg/<namespace>/<table>`.
 */

const HINT = 'version-hint.text';
const VERSION = /^v(\d+)\.metadata\.json$/;
const KEY = /^iceberg\/([A-Za-z0-9_-]+\/[A-Za-z0-9_-]+)\/metadata\/([A-Za-z0-9][A-Za-z0-9._-]*)$/;

/** By table and name, entity tags of the files that this folder has in common with the store. */
type Common = Record<string, Record<string, string>>;

function stateFile(dataDir: string): string {
  return path.join(stateFolder(dataDir), 'iceberg.json');
}

async function readCommon({ dataDir, store }: StoreContext): Promise<Common> {
  const stored = await findJson<StoreIdentity & { tables: Common }>(stateFile(dataDir));
  return stored && isNotedOf(stored, store) ? stored.tables : {};
}

async function writeCommon({ dataDir, store }: StoreContext, tables: Common): Promise<void> {
  await writeJsonAtomically(stateFile(dataDir), { url: store.url, endpoint: store.endpoint, tables });
}

const metadataFolder = (dataDir: string, table: string) =>
  path.join(icebergFolder(dataDir), ...table.split('/'), 'metadata');

const keyOf = (table: string, name: string) => `iceberg/${table}/metadata/${name}`;

/** What is named comes before what names it: manifests, then versions, then the hint. */
function orderOf(name: string): number {
  if (name === HINT) return Number.POSITIVE_INFINITY;
  const [, version] = VERSION.exec(name) ?? [];
  return version === undefined ? -1 : Number(version);
}

const inOrder = (names: readonly string[]) =>
  names
    .filter((name) => name === HINT || VERSION.test(name) || name.endsWith('.avro'))
    .sort((a, b) => orderOf(a) - orderOf(b));

/**
 * Publishes metadata that the store lacks, and removes expired metadata. Only one writer can take a version.
 * @returns number of files that were sent
 * @throws ExternalError `write_lost`, retryable, when another machine has published another version of that number
 */
export async function publishIcebergMetadata(context: StoreContext): Promise<number> {
  const common = await readCommon(context);
  let sent = 0;
  for (const table of await listTables(context.dataDir)) {
    context.signal?.throwIfAborted();
    const known = common[table] ?? {};
    const folder = metadataFolder(context.dataDir, table);
    const names = inOrder(await listNames(folder));
    for (const name of names) {
      if (known[name] !== undefined && name !== HINT) continue;
      const etag = await sendFile(context, table, name);
      if (etag === known[name]) continue;
      known[name] = etag;
      sent++;
      await writeCommon(context, { ...common, [table]: known });
    }
    for (const gone of Object.keys(known).filter((name) => !names.includes(name))) {
      await context.store.remove(keyOf(table, gone), context.signal);
      delete known[gone];
    }
    common[table] = known;
    if (names.length > 0) await writeCommon(context, common);
  }
  return sent;
}

async function listTables(dataDir: string): Promise<string[]> {
  const tables: string[] = [];
  for (const namespace of await listFolders(icebergFolder(dataDir))) {
    for (const name of await listFolders(path.join(icebergFolder(dataDir), namespace)))
      tables.push(`${namespace}/${name}`);
  }
  return tables.sort();
}

/** @returns its entity tag in the store */
async function sendFile(context: StoreContext, table: string, name: string): Promise<string> {
  const { store, dataDir, signal } = context;
  const content = await readFile(path.join(metadataFolder(dataDir, table), name));
  const key = keyOf(table, name);
  if (name === HINT) return sendHint(context, key, content);
  try {
    return await store.put(key, content, 'absent', signal);
  } catch (error) {
    if (!(error instanceof ExternalError) || error.code !== 'write_lost') throw error;
    const there = await store.get(key, null, signal);
    if (there !== null && there !== 'unchanged' && there.bytes.equals(content)) return there.etag;
    const sentence = `another machine has published ${name} of the Iceberg table ${table}: run the job again`;
    throw new ExternalError('write_lost', sentence, { isRetryable: true });
  }
}

/** The hint is for readers without a catalog, and may be behind; a newer one of another machine stays. */
async function sendHint({ store, signal }: StoreContext, key: string, content: Buffer): Promise<string> {
  const there = await store.get(key, null, signal);
  const isThere = there !== null && there !== 'unchanged';
  if (isThere && Number(there.bytes) >= Number(content)) return there.etag;
  return store.put(key, content, null, signal);
}

/**
 * Brings the metadata of all tables to the state of the store: manifests first, then versions, then the hint. Files that
 * were made here and never published stay, unless the store has others of their names.
 */
export async function fetchIcebergMetadata(context: StoreContext): Promise<number> {
  const common = await readCommon(context);
  const remote = await listRemote(context);
  let fetched = 0;
  for (const table of new Set([...remote.keys(), ...Object.keys(common)])) {
    const there = remote.get(table) ?? new Map<string, string>();
    const known = common[table] ?? {};
    const folder = metadataFolder(context.dataDir, table);
    for (const name of inOrder([...there.keys()])) {
      context.signal?.throwIfAborted();
      if (known[name] === there.get(name) && (await isThere(path.join(folder, name)))) continue;
      await fetchFile(context, table, name);
      known[name] = there.get(name)!;
      fetched++;
    }
    for (const gone of Object.keys(known).filter((name) => !there.has(name))) {
      await rm(path.join(folder, gone), { force: true });
      delete known[gone];
    }
    common[table] = known;
  }
  await writeCommon(context, common);
  return fetched;
}

async function listRemote({ store, signal }: StoreContext): Promise<Map<string, Map<string, string>>> {
  const tables = new Map<string, Map<string, string>>();
  for await (const { key, etag } of store.list('iceberg/', signal)) {
    const [, table, name] = KEY.exec(key) ?? [];
    if (table === undefined || name === undefined) continue;
    tables.set(table, (tables.get(table) ?? new Map()).set(name, etag));
  }
  return tables;
}

async function fetchFile({ store, dataDir, signal }: StoreContext, table: string, name: string): Promise<void> {
  const target = path.join(metadataFolder(dataDir, table), name);
  await mkdir(path.dirname(target), { recursive: true });
  await withTemporaryFolder(workFolder(dataDir), async (folder) => {
    const aside = path.join(folder, name);
    // Removed since it was listed: the next fetch sees it.
    if ((await store.download(keyOf(table, name), aside, signal)) === null) return;
    await rename(aside, target);
    await syncFolder(path.dirname(target));
  });
}
