import type { Instant } from '../../pipeline/model/service-time.ts';
import { AUSTRIA, localDate } from '../../pipeline/model/service-time.ts';

/** What the verdict is based on; null: it could not be read, which is among the problems. */
interface StatusFacts {
  readonly timetable: { readonly endDate: string } | null;
  readonly realtime: { readonly sources: readonly { readonly source: string; readonly status: string }[] } | null;
  readonly jobs:
    | readonly { readonly job: string; readonly hasFailed: boolean; readonly freshness: string | null }[]
    | null;
  readonly shards: readonly { readonly job: string; readonly failed: number }[] | null;
  readonly problems: readonly string[];
}

/**
 * The state of the service in one line: `OK`, `ATTENTION` with everything that needs an operator, or `NOT READY` as long as
 * there is nothing to serve.
 */
export function describeVerdict(facts: StatusFacts, now: Instant): string {
  const troubles = listTroubles(facts, now);
  if (facts.timetable === null && facts.problems.length === 0)
    return ['NOT READY: no timetable', ...troubles].join('; ');
  if (troubles.length > 0) return `ATTENTION: ${troubles.join('; ')}`;
  const fresh = facts.realtime?.sources.filter(({ status }) => status === 'fresh').length ?? 0;
  const realtime = fresh === 0 ? 'no realtime' : `${fresh} fresh realtime ${fresh === 1 ? 'source' : 'sources'}`;
  return `OK: timetable until ${facts.timetable!.endDate}, ${realtime}, no failed jobs`;
}

function listTroubles({ timetable, realtime, jobs, shards, problems }: StatusFacts, now: Instant): string[] {
  const hasEnded = timetable !== null && timetable.endDate < localDate(now, AUSTRIA);
  const stale = realtime?.sources.filter(({ status }) => status === 'stale').map(({ source }) => source) ?? [];
  const failed = jobs?.filter(({ hasFailed }) => hasFailed).map(({ job }) => job) ?? [];
  const overdue = jobs?.filter(({ freshness }) => freshness === 'stale').map(({ job }) => job) ?? [];
  const refused = shards?.filter((shard) => shard.failed > 0).map(({ job }) => job) ?? [];
  return [
    ...(problems.length > 0 ? [`unreadable: ${problems.map((problem) => problem.split(':')[0]).join(', ')}`] : []),
    ...(hasEnded ? [`the timetable ended on ${timetable.endDate}`] : []),
    ...describeList('stale realtime', stale),
    ...describeList('failed', failed),
    ...describeList('overdue', overdue),
    ...describeList('failed shards of', refused),
  ];
}

function describeList(label: string, names: readonly string[]): string[] {
  return names.length === 0 ? [] : [`${label}: ${names.join(', ')}`];
}
