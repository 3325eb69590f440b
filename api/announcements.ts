import { ExternalError } from '../pipeline/effects/external-error.ts';
import type { Log } from '../pipeline/effects/log.ts';
import { hashAnnouncements, readAnnouncements } from '../pipeline/snapshots/announcements-file.ts';
import type { Announcement } from '../pipeline/snapshots/parse-announcements.ts';
import { holdSnapshot, type LiveSnapshotHolder } from './plugins/snapshot-holder.ts';

/**
 * Follows the announcement file that operators edit. An edit is served within a second; a file with errors is logged, and
 * the last valid version stays in use.
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
