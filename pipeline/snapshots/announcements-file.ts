import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isSeq, parseDocument } from 'yaml';
import { ExternalError, isSystemError } from '../effects/external-error.ts';
import { writeFileAtomically } from '../effects/files.ts';
import { formatUtc, type Instant } from '../model/service-time.ts';
import { ANNOUNCEMENTS_KEY, type Announcement, parseAnnouncements } from './parse-announcements.ts';

export interface AnnouncementsFile {
  /** Of the content: equal hashes are equal announcements. */
  readonly hash: string;
  readonly announcements: readonly Announcement[];
  readonly problems: readonly string[];
}

/** Reads the file that ops edit; one that is not there is empty. @throws ExternalError when it cannot be read */
export async function readAnnouncements(file: string): Promise<AnnouncementsFile> {
  const source = await readSource(file);
  return { hash: hashOf(source), ...parseAnnouncements(source) };
}

/** @returns the hash of the present content, as `readAnnouncements` */
export async function hashAnnouncements(file: string): Promise<string> {
  return hashOf(await readSource(file));
}

function hashOf(source: string): string {
  return createHash('sha256').update(source).digest('hex').slice(0, 16);
}

async function readSource(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return '';
    throw new ExternalError('announcements_unreadable', `${file} cannot be read: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** Members of an entry as they are written: only those that are given. */
export type NewAnnouncement = Readonly<Record<string, unknown>> & { readonly id: string };

/**
 * Adds an entry at the end of the list; comments and order of the file stay.
 * @returns the problems of the file with it; nothing is written when there are some
 */
export async function addAnnouncement(file: string, entry: NewAnnouncement): Promise<readonly string[]> {
  return edit(file, (document) => {
    const list = document.get(ANNOUNCEMENTS_KEY, true);
    if (isSeq(list)) {
      // An empty list is often written as [], and stays on one line otherwise.
      if (list.items.length === 0) list.flow = false;
      list.add(document.createNode(entry));
    } else document.set(ANNOUNCEMENTS_KEY, document.createNode([entry]));
  });
}

/**
 * Closes an announcement: it stays in the file and is not shown from then on.
 * @returns as `addAnnouncement`
 */
export async function closeAnnouncement(file: string, id: string, instant: Instant): Promise<readonly string[]> {
  const { announcements } = await readAnnouncements(file);
  const index = announcements.findIndex((announcement) => announcement.id === id);
  return edit(file, (document) => document.setIn([ANNOUNCEMENTS_KEY, index, 'closedAt'], formatUtc(instant * 1000)));
}

async function edit(
  file: string,
  change: (document: ReturnType<typeof parseDocument>) => void,
): Promise<readonly string[]> {
  const source = await readSource(file);
  const { problems } = parseAnnouncements(source);
  if (problems.length > 0) return problems;
  const document = parseDocument(source);
  change(document);
  const edited = document.toString({ lineWidth: 0 });
  const after = parseAnnouncements(edited).problems;
  if (after.length === 0) await writeFileAtomically(file, edited);
  return after;
}
