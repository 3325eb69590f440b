/** Rows of one GTFS file before serialisation; numbers are written as printed. */
export interface SampleTable {
  readonly header: readonly string[];
  readonly rows: SampleRow[];
}

export type SampleRow = readonly (string | number)[];

const NEEDS_QUOTES = /[",\r\n]/;
const BYTE_ORDER_MARK = '\uFEFF';

/** Dialect of a file; both options are oddities of real publishers that readers must accept. */
export interface CsvDialect {
  readonly hasByteOrderMark: boolean;
  readonly lineEnd: '\n' | '\r\n';
}

/**
 * Writes a table as RFC 4180 text, quoting a value only if necessary.
 * @throws RangeError if the width of a row differs from that of the header
 */
export function formatCsv(table: SampleTable, dialect: CsvDialect): string {
  const lines = [table.header.join(',')];
  for (const row of table.rows) {
    if (row.length !== table.header.length) {
      throw new RangeError(`row "${row.join(',')}" has ${row.length} values, the header has ${table.header.length}`);
    }
    lines.push(row.map(quote).join(','));
  }
  lines.push('');
  return (dialect.hasByteOrderMark ? BYTE_ORDER_MARK : '') + lines.join(dialect.lineEnd);
}

function quote(value: string | number): string {
  const text = String(value);
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Reads RFC 4180 text with a header line.
 * @returns one record per row, keyed by the names of the header
 * @throws RangeError with the line number if the width of a row differs from that of the header
 */
export function parseCsv(text: string): Record<string, string>[] {
  const [header = [], ...rows] = splitRows(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
  return rows.map((row, i) => {
    if (row.length !== header.length) {
      throw new RangeError(`row ${i + 1} after "${header.join(',')}" has ${row.length} values: ${row.join(',')}`);
    }
    return Object.fromEntries(header.map((name, column) => [name, row[column]!]));
  });
}

function splitRows(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  // One value and its terminator; the end of the text ends the last row unless a line end did.
  const valuePattern = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y;
  while (valuePattern.lastIndex < text.length) {
    const at = valuePattern.lastIndex;
    const match = valuePattern.exec(text);
    if (!match) throw new RangeError(`stray quote near "${text.slice(at, at + 40)}"`);
    row.push(match[1]?.replaceAll('""', '"') ?? match[2]!);
    if (match[3] === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}
