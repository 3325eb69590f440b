import { ExternalError } from '../pipeline/effects/external-error.ts';
import type { Log } from '../pipeline/effects/log.ts';
import { hashAnnouncements, readAnnouncements } from '../pipeline/snapshots/announcements-file.ts';
import type { Announcement } from '../pipeline/snapshots/parse-announcements.ts';
import { holdSnapshot, type LiveSnapshotHolder } from './plugins/snapshot-holder.ts';

/**
 * The announcements of the file that ops edit, as it was when it was last without problems: an edit is served within a
 * second, and a mistake in it is logged and changes nothing.
 */
export async function holdAnnouncements(file: string, log: Log): Promise<LiveSnapshotHolder<readonly Announcement[]>> {
  return holdSnapshot<readonly Announcement[]>(
    {
      readCurrentId: () => hashAnnouncements(file),
      read: async () => {
        const { hash, announcements, problems } = await readAnnouncements(file);
        if (problems.length === 0) return { id: hash, value: announcements };
        const more = problems.length === 1 ? '' : `, and ${problems.length - 1} more`;
        throw new ExternalError(
          'announcements_invalid',
          `${file}: ${problems[0]}${more}; see taktgeber announcements check`,
        );
      },
    },
    { log },
  );
}
