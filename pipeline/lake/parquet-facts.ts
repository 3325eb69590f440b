import { sqlName, sqlText } from '../effects/duckdb.ts';
import { readCodeVersion } from '../effects/project-files.ts';
import { readSourceCredits } from './source-credits.ts';

/**
 * To be raised when a column of the lake or the marts gets another name, type or meaning.
 *
 * - 1: instants were TIMESTAMP without a zone, trip keys unsigned. Files of it have no metadata.
 * - 2: instants are UTC by their type, trip keys are signed.
 */
export const LAKE_SCHEMA_VERSION = 2;

/** What is not known, said by name: a key that is missing would say that nobody has thought of it. */
const UNKNOWN = 'unknown';

/**
 * The option of COPY that writes into a Parquet file what it is: `table`, `source`, `attribution`, `licence`,
 * `schema_version` and `code_version`. What is of several sources names them one by one.
 * @param sources ids; none where rows may be of any
 */
export async function parquetFacts(dataDir: string, table: string, sources: readonly string[]): Promise<string> {
  const credits = await readSourceCredits(dataDir);
  const told = (name: 'attribution' | 'licence') => {
    const texts = sources.map((id) => [id, credits[id]?.[name] ?? UNKNOWN] as const);
    const [only] = texts;
    if (!only) return UNKNOWN;
    return texts.length === 1 ? only[1] : texts.map(([id, text]) => `${id}: ${text}`).join('; ');
  };
  return keyValues({
    table,
    source: sources.length === 0 ? UNKNOWN : sources.join(', '),
    attribution: told('attribution'),
    licence: told('licence'),
    schema_version: String(LAKE_SCHEMA_VERSION),
    code_version: await readCodeVersion(),
  });
}

function keyValues(facts: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(facts).map(([name, value]) => `${sqlName(name)}: ${sqlText(value)}`);
  return `kv_metadata {${pairs.join(', ')}}`;
}
