import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findFreePort } from '../../support/fakes/free-port.ts';
import { runTool } from '../tools.ts';
import { findJdk, getMavenFile } from './java.ts';
import type { S3Address } from './s3.ts';
import { endWithProcess, makeServiceFolder, type ServiceProcess, startService } from './service.ts';

const VERSION = '476';
const ARTIFACT = `io.trino:trino-server:${VERSION}:tar.gz`;
/** Other plugins are omitted, since each takes memory and a second of the start. */
const PLUGINS = ['iceberg', 'hive', 'postgresql', 'memory', 'tpch'];
const READY_MILLISECONDS = 180_000;
/** Trino requires Java 24 or later; this version was tested with 25. */
const JAVA = [24, 25] as const;

const JVM_OPTIONS = [
  '-XX:+ExplicitGCInvokesConcurrent',
  '-XX:+ExitOnOutOfMemoryError',
  '-XX:-OmitStackTraceInFastThrow',
  '-XX:ReservedCodeCacheSize=256M',
  '-Djdk.attach.allowAttachSelf=true',
  '-XX:+EnableDynamicAgentLoading',
  '--enable-native-access=ALL-UNNAMED',
  '--sun-misc-unsafe-memory-access=allow',
  '-Dfile.encoding=UTF-8',
];

/** The properties of a catalog file, by their names in Trino's documentation. */
type CatalogProperties = Readonly<Record<string, string>>;

interface TrinoOptions {
  /** Catalog files by name. */
  readonly catalogs: Readonly<Record<string, CatalogProperties>>;
  /** Number of workers; without any, the coordinator computes. */
  readonly workers?: number;
  /** Megabytes of each process. */
  readonly coordinatorHeap?: number;
  readonly workerHeap?: number;
}

export interface TrinoService {
  /** `http://127.0.0.1:<port>` of the coordinator. */
  readonly address: string;
  readonly version: string;
  /** Number of computing processes. */
  readonly nodes: number;
  /** Process ids of all its processes. */
  readonly pids: readonly number[];
  /** Kills a worker, like a crash. */
  killWorker(index: number): Promise<void>;
  /** Runs one statement, for setup and readiness. @throws Error with the message of Trino */
  query(sql: string): Promise<readonly (readonly unknown[])[]>;
  stop(): Promise<void>;
}

/**
 * Starts Trino on loopback: a coordinator and the requested number of workers.
 * @throws Error with the end of its log if it cannot be installed or is not ready in time
 */
export async function startTrino(options: TrinoOptions): Promise<TrinoService> {
  const { workers = 1, coordinatorHeap = workers > 0 ? 1024 : 2048, workerHeap = 1536 } = options;
  const java = path.join(await findJdk(JAVA), 'bin', 'java');
  const installation = await unpackTrino();
  const { folder, remove } = await makeServiceFolder('trino');
  const address = `http://127.0.0.1:${await findFreePort()}`;
  const processes: ServiceProcess[] = [];
  const stop = endWithProcess(async () => {
    for (const one of [...processes].reverse()) await one.stop();
    await remove();
  });
  try {
    const common = { java, installation, folder, address, catalogs: options.catalogs };
    const computes = workers === 0;
    processes.push(await startNode({ ...common, name: 'coordinator', heap: coordinatorHeap, computes }));
    for (let i = 0; i < workers; i++) {
      processes.push(await startNode({ ...common, name: `worker ${i}`, heap: workerHeap, computes: true }));
    }
    const query = (sql: string) => runStatement(address, sql);
    const nodes = Math.max(1, workers);
    await waitForNodes(query, workers + 1);
    const pids = processes.map(({ pid }) => pid);
    return { address, version: VERSION, nodes, pids, killWorker: (i) => processes[i + 1]!.kill(), query, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface NodeOptions {
  readonly java: string;
  readonly installation: string;
  readonly folder: string;
  readonly address: string;
  readonly catalogs: TrinoOptions['catalogs'];
  readonly name: string;
  readonly heap: number;
  readonly computes: boolean;
}

async function startNode({ java, installation, folder, address, catalogs, ...node }: NodeOptions) {
  const isCoordinator = node.name === 'coordinator';
  const port = isCoordinator ? Number(new URL(address).port) : await findFreePort();
  const home = path.join(folder, node.name.replace(' ', '-'));
  await writeProperties(path.join(home, 'config.properties'), {
    coordinator: String(isCoordinator),
    ...(isCoordinator && { 'node-scheduler.include-coordinator': String(node.computes) }),
    'http-server.http.port': String(port),
    'discovery.uri': address,
    'plugin.dir': path.join(installation, 'plugin'),
    'catalog.config-dir': path.join(folder, 'catalog'),
    'query.max-memory-per-node': `${Math.floor(node.heap * 0.5)}MB`,
    'memory.heap-headroom-per-node': `${Math.floor(node.heap * 0.25)}MB`,
    'node.environment': 'interop',
    'node.id': node.name.replace(' ', '-'),
    'node.internal-address': '127.0.0.1',
  });
  for (const [name, properties] of Object.entries(catalogs)) {
    await writeProperties(path.join(folder, 'catalog', `${name}.properties`), properties);
  }
  const flags = [`-Xms${node.heap / 4}M`, `-Xmx${node.heap}M`, `-Dconfig=${path.join(home, 'config.properties')}`];
  const classes = ['-cp', `${path.join(installation, 'lib')}/*`, 'io.trino.server.TrinoServer'];
  return startService({
    name: `Trino ${node.name}`,
    program: java,
    args: [...JVM_OPTIONS, ...flags, ...classes],
    folder: home,
    readyMilliseconds: READY_MILLISECONDS,
    async isReady() {
      const info = await (await fetch(`http://127.0.0.1:${port}/v1/info`)).json();
      return (info as { starting: boolean }).starting === false;
    },
  });
}

async function writeProperties(file: string, properties: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  const lines = Object.entries(properties).map(([name, value]) => `${name}=${value}\n`);
  await writeFile(file, lines.join(''));
}

async function waitForNodes(query: TrinoService['query'], wanted: number): Promise<void> {
  const until = Date.now() + READY_MILLISECONDS;
  while (Date.now() < until) {
    const active = await query(`select count(*) from system.runtime.nodes where state = 'active'`).catch(() => [[0]]);
    if (Number(active[0]?.[0]) >= wanted) return;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new Error(`Trino did not find its ${wanted} nodes after ${READY_MILLISECONDS / 1000} s`);
}

// ---- Installation --------------------------------------------------------------------------------

/**
 * Installs the server with the required plugins into the temporary folder, where later runs reuse it. The Iceberg plugin
 * contains the PostgreSQL driver that its JDBC catalog needs.
 */
async function unpackTrino(): Promise<string> {
  const root = path.join(tmpdir(), `taktgeber-interop-trino-${VERSION}`);
  const top = `trino-server-${VERSION}`;
  const installation = path.join(root, top);
  const mark = path.join(root, 'unpacked.txt');
  const wanted = PLUGINS.join(' ');
  if ((await readFile(mark, 'utf8').catch(() => '')) === wanted) return installation;
  const archive = await getMavenFile(ARTIFACT);
  await rm(root, { recursive: true, force: true });
  await mkdir(root, { recursive: true });
  // Jars that plugins share are hard links to the first one in the archive, so all are unpacked before others go.
  await runTool('tar', ['-xzf', archive, '-C', root], '');
  const plugins = path.join(installation, 'plugin');
  for (const name of await readdir(plugins)) {
    if (!PLUGINS.includes(name)) await rm(path.join(plugins, name), { recursive: true });
  }
  await writeFile(mark, wanted);
  return installation;
}

// ---- Catalogs ------------------------------------------------------------------------------------

/**
 * A catalog of Iceberg tables whose pointers are in PostgreSQL (`iceberg_tables`, `iceberg_namespace_properties`).
 * @param database address of the database; its tables are made beforehand
 * @param warehouse `file:///…` or `s3://<bucket>/…`
 * @param name under which the tables are entered (`catalog_name`)
 */
export function icebergJdbcCatalog(
  database: string,
  warehouse: string,
  { name = 'taktgeber', s3 }: { readonly name?: string; readonly s3?: S3Address } = {},
): CatalogProperties {
  const { host, pathname, username, password } = new URL(database);
  return {
    'connector.name': 'iceberg',
    'iceberg.catalog.type': 'jdbc',
    'iceberg.jdbc-catalog.catalog-name': name,
    'iceberg.jdbc-catalog.driver-class': 'org.postgresql.Driver',
    'iceberg.jdbc-catalog.connection-url': `jdbc:postgresql://${host}${pathname}`,
    'iceberg.jdbc-catalog.connection-user': username,
    'iceberg.jdbc-catalog.connection-password': password,
    'iceberg.jdbc-catalog.default-warehouse-dir': warehouse,
    ...fileSystems(s3),
  };
}

/** A catalog whose tables are added by `call <catalog>.system.register_table(…)`. @param folder for the files of the catalog */
export function icebergFileCatalog(folder: string, { s3 }: { readonly s3?: S3Address } = {}): CatalogProperties {
  return {
    'connector.name': 'iceberg',
    'iceberg.catalog.type': 'TESTING_FILE_METASTORE',
    'hive.metastore.catalog.dir': `local://${folder}`,
    'iceberg.register-table-procedure.enabled': 'true',
    ...fileSystems(s3),
  };
}

/** `file:///` and `local://` below the root, `s3://` if there is a store. */
function fileSystems(s3: S3Address | undefined): CatalogProperties {
  return {
    'fs.native-local.enabled': 'true',
    'local.location': '/',
    ...(s3 && {
      'fs.native-s3.enabled': 'true',
      's3.endpoint': s3.endpoint,
      's3.region': s3.region,
      's3.path-style-access': 'true',
      's3.aws-access-key': s3.accessKeyId,
      's3.aws-secret-key': s3.secretAccessKey,
    }),
  };
}

// ---- Statements ----------------------------------------------------------------------------------

interface Page {
  readonly nextUri?: string;
  readonly data?: readonly (readonly unknown[])[];
  readonly error?: { readonly message: string };
}

async function runStatement(address: string, sql: string): Promise<readonly (readonly unknown[])[]> {
  const headers = { 'X-Trino-User': 'interop' };
  const rows: (readonly unknown[])[] = [];
  let response = await fetch(`${address}/v1/statement`, { method: 'POST', headers, body: sql });
  for (;;) {
    if (!response.ok) throw new Error(`Trino answers with ${response.status}: ${await response.text()}`);
    const page = (await response.json()) as Page;
    if (page.error) throw new Error(page.error.message);
    rows.push(...(page.data ?? []));
    if (!page.nextUri) return rows;
    response = await fetch(page.nextUri, { headers });
  }
}
