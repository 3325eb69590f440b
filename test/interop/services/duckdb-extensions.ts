import path from 'node:path';
import { type Duckdb, sqlText } from '../../../pipeline/effects/duckdb.ts';
import { installPythonPackages, runTool } from '../tools.ts';

/** In order of their dependencies. */
const EXTENSIONS = ['avro', 'httpfs', 'iceberg'];

/**
 * Loads the Iceberg reader, with support for object stores, that matches the version of the engine.
 * @throws Error if its extensions cannot be installed for this version
 */
export async function loadIcebergReader(db: Duckdb): Promise<void> {
  const [row] = await db.query('select version() as version');
  const version = String(row!.version).replace(/^v/, '');
  const packages = EXTENSIONS.map((name) => `duckdb-extension-${name}==${version}`);
  const python = await installPythonPackages(`duckdb-${version}`, packages);
  const list = `import sysconfig; print(sysconfig.get_path('purelib'))`;
  const site = (await runTool(python, ['-c', list], '')).trim();
  for (const name of EXTENSIONS) {
    const file = path.join(site, `duckdb_extension_${name}`, 'extensions', `v${version}`, `${name}.duckdb_extension`);
    await db.run(`load ${sqlText(file)}`);
  }
}
