import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { XMLValidator } from 'fast-xml-parser';
import { parse } from 'yaml';
import { ExternalError, isSystemError } from '../effects/external-error.ts';
import type { ServiceDate } from '../model/service-time.ts';
import { MAX_OPERATOR_BYTES, type MapFormat, mapFormats, type PublishedMap } from '../snapshots/network-map-files.ts';

/** A map that the operator has drawn, with its bytes. */
interface OperatorMap {
  readonly map: PublishedMap;
  readonly content: Buffer;
}

export interface OperatorMaps {
  readonly maps: readonly OperatorMap[];
  /** Refused files, with the reason in a sentence. */
  readonly refused: readonly string[];
}

/** Description of a file in `maps.yaml`; by default its name is the title. */
interface Description {
  readonly title?: unknown;
  readonly region?: unknown;
  readonly validFrom?: unknown;
  readonly attribution?: unknown;
}

/** Describes the files of the folder: `maps: {<file>: {title, region, validFrom, attribution}}`. */
const DESCRIPTIONS = 'maps.yaml';
/** Maximum number of files read. */
const MAX_FILES = 100;

const mebibytes = (bytes: number) => `${(bytes / 1024 ** 2).toFixed(1)} MiB`;

/**
 * Reads the PDF, PNG and SVG files of a folder. Refuses files with other content, files that are too large alone or
 * with the previous ones, and malformed ones.
 * @throws ExternalError `maps_folder_unreadable`
 */
export async function readOperatorMaps(
  folder: string,
  maxFileBytes: number,
  maxTotalBytes = MAX_OPERATOR_BYTES,
): Promise<OperatorMaps> {
  const names = (await listFiles(folder)).filter((name) => !name.startsWith('.') && name !== DESCRIPTIONS).sort();
  const { descriptions, problem } = await readDescriptions(folder);
  const maps: OperatorMap[] = [];
  const refused = problem === null ? [] : [problem];
  let totalBytes = 0;
  for (const name of names.slice(0, MAX_FILES)) {
    const read = await readMap(folder, name, { maxFileBytes, description: descriptions[name] ?? {} });
    if (typeof read === 'string') refused.push(read);
    else if (maps.some(({ map }) => map.id === read.map.id))
      refused.push(`${name} has the id ${read.map.id} of another file`);
    else if (totalBytes + read.map.bytes > maxTotalBytes)
      refused.push(`${name} does not fit: all files together may have ${mebibytes(maxTotalBytes)}`);
    else {
      maps.push(read);
      totalBytes += read.map.bytes;
    }
  }
  if (names.length > MAX_FILES) refused.push(`of ${names.length} files the first ${MAX_FILES} were read`);
  return { maps, refused };
}

async function listFiles(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (cause) {
    throw new ExternalError('maps_folder_unreadable', `${folder} cannot be read: ${(cause as Error).message}`, {
      cause,
    });
  }
}

async function readDescriptions(
  folder: string,
): Promise<{ descriptions: Readonly<Record<string, Description>>; problem: string | null }> {
  try {
    const { maps } = (parse(await readFile(path.join(folder, DESCRIPTIONS), 'utf8')) ?? {}) as { maps?: object };
    if (maps !== null && typeof maps === 'object' && !Array.isArray(maps)) {
      return { descriptions: maps as Readonly<Record<string, Description>>, problem: null };
    }
    return { descriptions: {}, problem: `${DESCRIPTIONS} must hold "maps:" with a file on each line` };
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return { descriptions: {}, problem: null };
    return { descriptions: {}, problem: `${DESCRIPTIONS} cannot be read: ${(error as Error).message.split('\n')[0]}` };
  }
}

/** @returns the reason in a sentence if the file is refused */
async function readMap(
  folder: string,
  name: string,
  { maxFileBytes, description }: { readonly maxFileBytes: number; readonly description: Description },
): Promise<OperatorMap | string> {
  const format = mapFormats.find((one) => name.toLowerCase().endsWith(`.${one}`));
  if (!format) return `${name} is neither a PDF nor a PNG nor an SVG file by its name`;
  const file = path.join(folder, name);
  const facts = await stat(file).catch(() => null);
  if (!facts?.isFile()) return `${name} is not a readable file`;
  if (facts.size > maxFileBytes) return `${name} is larger than ${mebibytes(maxFileBytes)}: ${mebibytes(facts.size)}`;
  const content = await readFile(file).catch(() => null);
  if (!content) return `${name} may not be read`;
  const problem = findProblem(content, format);
  if (problem) return `${name} ${problem}`;
  const sha256 = createHash('sha256').update(content).digest('hex');
  const title =
    oneLine(description.title) ??
    name
      .slice(0, -format.length - 1)
      .replace(/[_\s]+/g, ' ')
      .trim();
  const id = `own-${toId(name.slice(0, -format.length - 1))}`;
  const map: PublishedMap = {
    id,
    title,
    region: oneLine(description.region) ?? title,
    format,
    file: `${id}-${sha256.slice(0, 16)}.${format}`,
    bytes: content.length,
    sha256,
    validFrom: toDate(description.validFrom),
    attribution: oneLine(description.attribution),
    layout: null,
  };
  return { map, content };
}

/** Magic bytes of the formats. */
const signatures = {
  pdf: Buffer.from('%PDF-'),
  png: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
} as const;

function findProblem(content: Buffer, format: MapFormat): string | null {
  if (format === 'svg') return findSvgProblem(content);
  const signature = signatures[format];
  const isIt = content.subarray(0, signature.length).equals(signature);
  return isIt ? null : `is not a ${format.toUpperCase()} file, judging by its first bytes`;
}

function findSvgProblem(content: Buffer): string | null {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    return 'is not a text in UTF-8';
  }
  // Nested entities can exhaust a reader's memory; no drawing program needs them.
  if (/<!ENTITY/i.test(text)) return 'defines entities, which are not served';
  const start = text.replace(/<\?[\s\S]*?\?>|<!--[\s\S]*?-->|<!DOCTYPE[^>[]*>/g, '').trimStart();
  if (!/^<(\w+:)?svg[\s>]/.test(start)) return 'is not an SVG file: its first element is another one';
  const checked = XMLValidator.validate(text);
  return checked === true ? null : `is not well-formed XML: ${checked.err.msg} (line ${checked.err.line})`;
}

function oneLine(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  return value.replace(/\s+/g, ' ').trim().slice(0, 300) || null;
}

function toDate(value: unknown): ServiceDate | null {
  return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) ? (value as ServiceDate) : null;
}

function toId(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').replaceAll('ß', 'ss').toLowerCase();
  return (
    plain
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '')
      .slice(0, 60) || 'map'
  );
}
