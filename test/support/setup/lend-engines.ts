import { DuckDBInstance } from '@duckdb/node-api';

// Making an engine takes as long as dozens of small statements: it registers all that SQL knows. So the engines of a worker
// are lent, one borrower at a time: each gets an empty database attached to an engine of the very same settings, and
// whatever it has set is undone when it closes. Engines that were locked, or that fail to be cleaned, are not lent again.

/** What `openDuckdb` asks for; engines that were asked for anything else are made, and not lent. */
const USUAL = [
  'autoinstall_known_extensions',
  'autoload_known_extensions',
  'threads',
  'memory_limit',
  'temp_directory',
];

/** By their settings. */
const idle = new Map<string, DuckDBInstance[]>();

class LentInstance extends DuckDBInstance {
  readonly #own: DuckDBInstance;
  readonly #idle: DuckDBInstance[];
  readonly #changed = new Set<string>();

  constructor(own: DuckDBInstance, mates: DuckDBInstance[]) {
    super((own as unknown as { db: ConstructorParameters<typeof DuckDBInstance>[0] }).db);
    this.#own = own;
    this.#idle = mates;
  }

  override async connect() {
    const connection = await super.connect();
    await connection.run(`attach if not exists ':memory:' as lent; use lent`);
    const run = connection.run.bind(connection);
    connection.run = (sql, ...rest) => {
      for (const [, name] of sql.matchAll(/(?:^|;)\s*set\s+(?!variable\b|TimeZone\b)(\w+)\s*=/g))
        this.#changed.add(name!);
      return run(sql, ...rest);
    };
    return connection;
  }

  override closeSync(): void {
    if (this.#changed.has('lock_configuration')) {
      this.#own.closeSync();
      return;
    }
    // Files may change within the second and size by which the engine would know them again.
    const clean = [
      'detach lent',
      ...[...this.#changed].map((name) => `reset ${name}`),
      'set enable_external_file_cache = false',
      'reset enable_external_file_cache',
    ];
    runAll(this.#own, clean).then(
      () => this.#idle.push(this.#own),
      () => this.#own.closeSync(),
    );
  }
}

async function runAll(instance: DuckDBInstance, statements: readonly string[]): Promise<void> {
  const connection = await instance.connect();
  try {
    await connection.run(statements.join('; '));
  } finally {
    connection.closeSync();
  }
}

const create = DuckDBInstance.create;

async function lend(path?: string, options: Record<string, string> = {}): Promise<DuckDBInstance> {
  const { temp_directory: folder, ...settings } = options;
  const names = Object.keys(options);
  const isUsual = names.includes('autoload_known_extensions') && names.every((name) => USUAL.includes(name));
  if (path !== ':memory:' || !isUsual) return create(path, options);
  const key = JSON.stringify([settings, folder !== undefined]);
  const mates = idle.get(key) ?? [];
  idle.set(key, mates);
  const known = mates.pop();
  if (known === undefined) return new LentInstance(await create(path, options), mates);
  try {
    if (folder !== undefined) await runAll(known, [`set temp_directory = '${folder.replaceAll("'", "''")}'`]);
    return new LentInstance(known, mates);
  } catch {
    // It has written into its folder, and takes no other one.
    known.closeSync();
    return new LentInstance(await create(path, options), mates);
  }
}

// Of a worker: its files share their modules, and this is one of them.
if (DuckDBInstance.create.name !== lend.name) DuckDBInstance.create = lend;
