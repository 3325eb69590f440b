import { UnreadableAnswer } from '../../model/problem.ts';
import { emptyUpdate, type ListedFile, type SourceUpdate } from '../../model/realtime.ts';
import { findText, getObject, isJsonObject, type JsonObject } from '../json-answer.ts';
import { gbfsFiles } from './gbfs-files.ts';
import { type Envelope, isLanguage, listObjects, type ReadContext } from './read-envelope.ts';

/**
 * Reads the list of files: by language in version 2, one list in version 3. Files that Taktgeber does not need are
 * ignored.
 * @throws UnreadableAnswer `no_files` if it lists no file that can be read
 */
export function parseDiscovery({ data, major }: Envelope, context: ReadContext): SourceUpdate {
  const listed = listObjects(major === 3 ? data : chooseLanguage(data, context.language), 'feeds');
  const files = new Map<string, ListedFile>();
  for (const one of listed) {
    const name = one === null ? undefined : findText(one, 'name');
    const file = name === undefined || !Object.hasOwn(gbfsFiles, name) ? undefined : gbfsFiles[name];
    if (one === null || name === undefined || file === undefined) continue;
    const url = readAddress(findText(one, 'url'), name, context);
    if (url !== null && !files.has(file.part)) files.set(file.part, { part: file.part, url });
  }
  if (files.size === 0) {
    throw new UnreadableAnswer('no_files', 'the auto-discovery file lists no file of GBFS that can be read');
  }
  return { ...emptyUpdate, listedFiles: [...files.values()], recordCount: listed.length };
}

/** The files of the preferred language, else of the first. Some publishers write the list of version 3 in version 2. */
function chooseLanguage(data: JsonObject, language: string): JsonObject {
  if (Array.isArray(data.feeds)) return data;
  const languages = Object.keys(data).filter((tag) => isJsonObject(data[tag]));
  const chosen = languages.find((tag) => isLanguage(tag, language)) ?? languages[0];
  return chosen === undefined ? {} : getObject(data, chosen);
}

function readAddress(text: string | undefined, name: string, { report, hosts, isSecure }: ReadContext): string | null {
  if (text === undefined || !/^https?:/i.test(text) || !URL.canParse(text)) {
    report('bad_file_address', name, text ?? 'absent');
    return null;
  }
  const { host, protocol } = new URL(text);
  if (!hosts.includes(host) || (isSecure && protocol !== 'https:')) {
    report('file_on_other_host', name, `${protocol}//${host} is not in fileHosts`);
    return null;
  }
  return text;
}
