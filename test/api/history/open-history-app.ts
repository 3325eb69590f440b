import type { FastifyInstance } from 'fastify';
import type { HistoryLimits } from '../../../api/history/history-engine.ts';
import { type Clock, fixedClock } from '../../../pipeline/effects/clock.ts';
import { openTemplateFolders } from '../../support/setup/template-folders.ts';
import { openWorld } from '../../support/worlds/board-world.ts';
import type { HistoryCall, HistoryQueryInput } from '../../support/worlds/history-calls.ts';
import {
  lastForecastDefinition,
  openHistories,
  otherDefinition,
  publishCalls,
} from '../../support/worlds/history-world.ts';
import { town } from '../engine/live-town.ts';
import { noHistory, openService } from '../service-app.ts';

/** A Tuesday; the days of the tests are before it. */
export const HISTORY_TODAY = '2026-01-20T08:00:00Z';

interface HistoryAppOptions {
  readonly clock?: Clock;
  readonly limits?: Partial<HistoryLimits>;
  readonly sources?: readonly string[];
  /** Whether the marts also contain other limits, and counts by final forecasts. */
  readonly hasOtherDefinition?: boolean;
}

// The same calls give the same marts, which take most of a second to build.
const published = openTemplateFolders(
  'taktgeber-history-',
  (folder, { calls, hasOtherDefinition }: { calls: readonly HistoryCall[]; hasOtherDefinition: boolean }) =>
    publishCalls(folder, calls, undefined, hasOtherDefinition ? [otherDefinition, lastForecastDefinition] : []),
);

/** The folder with the published marts of some calls; read-only. */
export function publishOnce(calls: readonly HistoryCall[], hasOtherDefinition = false): Promise<string> {
  return published(JSON.stringify([calls, hasOtherDefinition]), { calls, hasOtherDefinition });
}

/** The service with the history of some calls and a timetable; closed after the test. */
export async function openHistoryApp(
  calls: readonly HistoryCall[],
  { clock = fixedClock(HISTORY_TODAY), limits = {}, sources = [], hasOtherDefinition = false }: HistoryAppOptions = {},
): Promise<FastifyInstance> {
  const snapshots = await openHistories(await publishOnce(calls, hasOtherDefinition), clock, limits);
  const history = { ...noHistory, snapshots, sources: new Set(sources) };
  return openService(await openWorld(town), { clock, history });
}

export function historyUrl(
  family: 'v1' | 'v2',
  input: Partial<HistoryQueryInput> & { readonly stopId?: string },
): string {
  const { stops: _, ...query } = input;
  const filters = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : `${name}=${encodeURIComponent(value)}`,
  );
  return `/${family}/history${filters.length === 0 ? '' : `?${filters.join('&')}`}`;
}
