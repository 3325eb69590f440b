import type { SourceUpdate } from '../../../../pipeline/model/realtime.ts';
import type { Instant } from '../../../../pipeline/model/service-time.ts';
import type { FeedEntity, FeedHeader } from '../../../../pipeline/sources/gtfs-rt/feed-message.ts';
import { type FeedRules, normaliseFeed } from '../../../../pipeline/sources/gtfs-rt/normalise-feed.ts';

/** 2026-03-10, 8 in the morning in Vienna: fetch time of all messages of these tests. */
export const NOW = 1_773_126_000 as Instant;

export function normaliseEntities(
  entity: readonly FeedEntity[],
  header: Partial<FeedHeader> = {},
  rules: Partial<FeedRules> = {},
): SourceUpdate {
  const message = { header: { gtfsRealtimeVersion: '2.0', timestamp: NOW, ...header }, entity, problems: [] };
  return normaliseFeed(message, {
    source: 'test',
    fetchedAt: NOW,
    maxAgeSeconds: 300,
    measuredStopEvents: false,
    ...rules,
  });
}

/** `code @ place` of each problem. */
export function listProblems({ problems }: SourceUpdate): string[] {
  return problems.map(({ code, place }) => `${code} @ ${place}`);
}
