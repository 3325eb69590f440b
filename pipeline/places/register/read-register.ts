import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { type Duckdb, openDuckdb, readSql, sqlPath } from '../../effects/duckdb.ts';
import { ExternalError, isSystemError } from '../../effects/external-error.ts';
import { listNames, sizeOf } from '../../effects/files.ts';
import { hashFile } from '../../effects/hash-file.ts';
import { isPlaceNumber, toPlaceRef } from '../../model/place-id.ts';
import { PLACE_UNITS_PER_DEGREE, type PlaceInput } from '../../snapshots/places-contract.ts';
import type { PlaceRows, RefusedReason } from '../rows/place-rows.ts';
import { fromGaussKrueger } from './gauss-krueger.ts';

/** Columns that are read, by table; the register has further ones. */
const tables = {
  ADRESSE: [
    ...['ADRCD', 'GKZ', 'OKZ', 'PLZ', 'SKZ', 'HAUSNRZAHL1', 'HAUSNRBUCHSTABE1', 'HAUSNRVERBINDUNG1'],
    ...['HAUSNRZAHL2', 'HAUSNRBUCHSTABE2', 'RW', 'HW', 'EPSG'],
  ],
  STRASSE: ['SKZ', 'STRASSENNAME'],
  ORTSCHAFT: ['OKZ', 'ORTSNAME'],
  GEMEINDE: ['GKZ', 'GEMEINDENAME'],
} as const;
type TableName = keyof typeof tables;
const tableNames = Object.keys(tables) as TableName[];

/** The unpacked address register: "Adresse Relationale Tabellen" of the BEV. */
export interface RegisterFiles {
  readonly input: PlaceInput;
  readonly files: Readonly<Record<TableName, string>>;
}

/** A longer first line is not a header. */
const MAX_HEADER_BYTES = 8192;

/**
 * Finds the files of the register in a folder, and checks their headers.
 * @throws ExternalError `register_unreadable`
 */
export async function findRegister(folder: string): Promise<RegisterFiles> {
  const names = await listNames(folder);
  const files: Partial<Record<TableName, string>> = {};
  const hash = createHash('sha256');
  let bytes = 0;
  for (const table of tableNames) {
    const name = names.find((one) => one.toUpperCase() === `${table}.CSV`);
    if (name === undefined) throw unreadable(`${folder} has no file ${table}.csv`);
    const file = path.join(folder, name);
    await checkHeader(file, table);
    files[table] = file;
    hash.update(await hashFile(file));
    bytes += await sizeOf(file);
  }
  const input = { name: path.basename(folder), bytes, sha256: hash.digest('hex') };
  return { input, files: files as Record<TableName, string> };
}

function unreadable(what: string): ExternalError {
  return new ExternalError('register_unreadable', `${what}: expected are the unpacked tables of the address register`);
}

async function checkHeader(file: string, table: TableName): Promise<void> {
  const columns = (await readFirstLine(file))
    .replace(/^\uFEFF/, '')
    .split(';')
    .map((column) => column.replace(/^"|"$/g, '').trim().toUpperCase());
  const missing = tables[table].filter((column) => !columns.includes(column));
  if (missing.length > 0) throw unreadable(`${file} lacks the column ${missing[0]}`);
}

async function readFirstLine(file: string): Promise<string> {
  const handle = await open(file, 'r').catch((cause: unknown) => {
    if (isSystemError(cause, 'EISDIR')) throw unreadable(`${file} is a folder`);
    throw cause;
  });
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAX_HEADER_BYTES), 0, MAX_HEADER_BYTES, 0);
    return buffer.toString('utf8', 0, bytesRead).split(/\r?\n/, 1)[0] ?? '';
  } finally {
    await handle.close();
  }
}

interface ReadOptions {
  readonly signal: AbortSignal;
  readonly threads?: number;
  readonly memoryLimit?: string;
}

/**
 * Adds the addresses of the register after those of the map.
 * @throws ExternalError `register_unreadable` for lines that do not have the columns of the header
 */
export async function readRegister(register: RegisterFiles, rows: PlaceRows, options: ReadOptions): Promise<void> {
  rows.addresses.firstRegistered = rows.addresses.length;
  const db = await openDuckdb(options);
  try {
    await loadTables(db, register);
    await addAddresses(db, rows);
  } finally {
    db.close();
  }
}

async function loadTables(db: Duckdb, { files }: RegisterFiles): Promise<void> {
  for (const table of tableNames) {
    const columns = tables[table].join(', ');
    const source = `read_csv(${sqlPath(files[table])}, delim = ';', quote = '"', header = true, all_varchar = true)`;
    try {
      // Keys are unique in the register; a repeated one must not multiply addresses.
      const isMain = table === 'ADRESSE';
      const distinct = isMain ? '' : `distinct on (${tables[table][0]})`;
      await db.run(`create temp table register_${table} as select ${distinct} ${columns} from ${source}`);
    } catch (cause) {
      if (db.options.signal?.aborted) throw cause;
      throw new ExternalError('register_unreadable', `${files[table]} cannot be read as a table of the register`, {
        cause,
      });
    }
  }
}

async function addAddresses(db: Duckdb, rows: PlaceRows): Promise<void> {
  const sql = await readSql('pipeline/places/register/sql/addresses.sql');
  await db.streamColumns(sql, (count, column) => {
    const [code, street, number, postcode, village, municipality, east, north, epsg] = Array.from(
      { length: 9 },
      (_, i) => column(i),
    );
    for (let i = 0; i < count; i++) {
      addAddress(rows, {
        code: Number(code!.get(i)),
        street: String(street!.get(i)),
        number: String(number!.get(i)),
        postcode: String(postcode!.get(i)),
        village: String(village!.get(i)),
        municipality: String(municipality!.get(i)),
        point: fromGaussKrueger(Number(east!.get(i)), Number(north!.get(i)), Number(epsg!.get(i))),
        hasCoordinates: !Number.isNaN(Number(east!.get(i))) && !Number.isNaN(Number(north!.get(i))),
      });
    }
  });
}

interface RegisterRow {
  readonly code: number;
  readonly street: string;
  readonly number: string;
  readonly postcode: string;
  readonly village: string;
  readonly municipality: string;
  readonly point: { readonly lat: number; readonly lon: number } | null;
  readonly hasCoordinates: boolean;
}

function findRefusal({ hasCoordinates, point, street, number, code }: RegisterRow): RefusedReason | null {
  if (!hasCoordinates) return 'no_coordinates';
  if (point === null) return 'unknown_coordinate_system';
  if (street === '') return 'no_street';
  return /^\d/.test(number) && isPlaceNumber(code) ? null : 'bad_number';
}

function addAddress({ texts, addresses, tallies }: PlaceRows, row: RegisterRow): void {
  tallies.addresses.read++;
  const refusal = findRefusal(row);
  if (refusal !== null || row.point === null) {
    tallies.addresses.refuse(refusal ?? 'unknown_coordinate_system');
    return;
  }
  const { town, district } = splitVillage(row.village);
  const area = [district, row.municipality].filter((name) => name !== '' && name !== town).join(' ');
  addresses.street.push(texts.numberOf(row.street === row.village ? town : row.street));
  addresses.number.push(texts.numberOf(row.number));
  addresses.postcode.push(texts.numberOf(row.postcode));
  addresses.town.push(texts.numberOf(town));
  addresses.area.push(texts.numberOf(area));
  addresses.lat.push(Math.round(row.point.lat * PLACE_UNITS_PER_DEGREE));
  addresses.lon.push(Math.round(row.point.lon * PLACE_UNITS_PER_DEGREE));
  addresses.ref.push(toPlaceRef('at', row.code));
}

/** Districts of cities are villages of the register: "Wien,Alsergrund", "Graz,06.Bez.:Jakomini". */
function splitVillage(village: string): { town: string; district: string } {
  const [town = '', district = ''] = village.split(',', 2);
  return { town: town.trim(), district: district.replace(/^.*:/, '').trim() };
}
