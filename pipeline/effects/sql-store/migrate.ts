import { ExternalError } from '../external-error.ts';
import type { SqlConnection, SqlDatabase } from './sql-database.ts';
import type { StoreSchema } from './store-schema.ts';

/**
 * Brings the tables to the newest version, in one transaction.
 * @throws ExternalError `<name>_store_too_new` where a newer version of the program has written them
 */
export async function migrate(
  database: SqlDatabase,
  schema: StoreSchema,
  engine: 'sqlite' | 'postgres',
): Promise<void> {
  const { name, holds, migrations, postgresLock } = schema;
  await database.transaction(async (connection) => {
    if (engine === 'postgres') await connection.query(`select pg_advisory_xact_lock(${postgresLock})`);
    await connection.query(`create table if not exists ${name}_version (version bigint not null)`);
    const version = await readVersion(connection, schema);
    if (version > migrations.length) {
      throw new ExternalError(
        `${name}_store_too_new`,
        `the store of ${holds} has version ${version}; this program supports up to ${migrations.length}`,
      );
    }
    if (version === migrations.length) return;
    for (const statements of migrations.slice(version)) {
      for (const statement of statements) await connection.query(statement);
    }
    await connection.query(`delete from ${name}_version`);
    await connection.query(`insert into ${name}_version (version) values (?)`, [migrations.length]);
  });
}

async function readVersion(connection: SqlConnection, { name }: StoreSchema): Promise<number> {
  const [row] = await connection.query(`select version from ${name}_version`);
  return (row?.version as number | undefined) ?? 0;
}
