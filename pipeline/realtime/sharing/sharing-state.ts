import type { SourceUpdate } from '../../model/realtime.ts';
import type { Instant } from '../../model/service-time.ts';
import { noSharing } from '../../snapshots/sharing-contract.ts';
import { buildSharingTables, type SharingTables } from './build-sharing-tables.ts';
import type { SharingMemory } from './sharing-memory.ts';

interface SharingAnswer {
  readonly part: string;
  readonly fetchedAt: Instant;
  readonly update: Pick<SourceUpdate, 'sharing' | 'publishedAt' | 'isFrozen' | 'listedFiles'>;
}

/** The stock of all sharing systems. The same answers build the same tables, in any order of their parts. */
export interface SharingState {
  apply(sourceId: string, answer: SharingAnswer): void;
  /** Records that the last answer to a request is unchanged. */
  confirm(sourceId: string, part: string, seenAt: Instant): void;
  build(): SharingTables;
  /** Records of a system that contradict each other, by code. */
  countContradictions(sourceId: string): Readonly<Record<string, number>>;
}

export function createSharingState(
  sources: readonly { readonly id: string; readonly maxAgeSeconds: number }[],
): SharingState {
  const memories = new Map<string, SharingMemory>();
  // Cached until something changes, because other sources publish every second.
  let built: ReturnType<typeof buildSharingTables> | null = null;
  const rebuild = () => {
    built ??= buildSharingTables([...memories.values()]);
    return built;
  };
  const open = (id: string): SharingMemory => {
    const { maxAgeSeconds } = sources.find((source) => source.id === id)!;
    const memory = memories.get(id) ?? { id, maxAgeSeconds, reports: new Map() };
    memories.set(id, memory);
    return memory;
  };
  return {
    apply(sourceId, { part, fetchedAt, update }) {
      const { sharing, publishedAt, isFrozen, listedFiles } = update;
      if (listedFiles !== undefined) {
        keepListed(open(sourceId), listedFiles);
        built = null;
      }
      // A frozen answer does not renew the stock.
      if (sharing === undefined || isFrozen) return;
      const kept = { part, report: sharing, seenAt: publishedAt ?? fetchedAt, isDated: publishedAt !== null };
      open(sourceId).reports.set(sharing.kind, kept);
      built = null;
    },
    confirm(sourceId, part, seenAt) {
      for (const kept of memories.get(sourceId)?.reports.values() ?? []) {
        if (kept.part !== part || kept.isDated) continue;
        kept.seenAt = seenAt;
        built = null;
      }
    },
    build: () => (memories.size === 0 ? noSharing : rebuild().tables),
    countContradictions: (sourceId) => (memories.size === 0 ? {} : (rebuild().contradictions.get(sourceId) ?? {})),
  };
}

/** Drops the reports of files that are no longer listed. */
function keepListed({ reports }: SharingMemory, listed: readonly { readonly part: string }[]): void {
  for (const [kind, { part }] of reports) {
    if (!listed.some((file) => file.part === part)) reports.delete(kind);
  }
}
