import { tmpdir } from 'node:os';
import { useRunFolder } from './memory-folder.ts';

/** Gives a run of tests a separate folder on the disk, where its files share what they ingest: more than fits in memory. */
export default function useDiskFolder(): () => void {
  return useRunFolder(tmpdir());
}
