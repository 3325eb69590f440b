import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { afterAll } from 'vitest';
import type { HistoryLimits } from '../../../api/history/history-engine.ts';
import { type Clock, fixedClock } from '../../../pipeline/effects/clock.ts';
import { openWorld } from '../../support/board-world.ts';
import type { Asked, ToldCall } from '../../support/history-calls.ts';
import { openHistories, otherDefinition, publishCalls } from '../../support/history-world.ts';
import { town } from '../engine/live-town.ts';
import { noHistory, openService } from '../service-app.ts';

/** A Tuesday; the days of the tests lie before it. */
export const HISTORY_TODAY = '2026-01-20T08:00:00Z';

export interface HistoryAppOptions {
  readonly clock?: Clock;
  readonly limits?: Partial<HistoryLimits>;
  readonly sources?: readonly string[];
  /** Whether the marts also tell of other limits. */
  readonly hasOtherDefinition?: boolean;
}

// The same calls make the same marts, and making them takes most of a second. They go with the test file.
const published = new Map<string, Promise<string>>();
afterAll(async () => {
  for (const folder of published.values()) await rm(await folder, { recursive: true, force: true });
});

/** The folder in which the marts of some calls are published; not to be written to. */
export function publishOnce(calls: readonly ToldCall[], hasOtherDefinition = false): Promise<string> {
  const name = JSON.stringify([calls, hasOtherDefinition]);
  const known = published.get(name) ?? publish(calls, hasOtherDefinition);
  published.set(name, known);
  return known;
}

async function publish(calls: readonly ToldCall[], hasOtherDefinition: boolean): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'taktgeber-history-'));
  await publishCalls(folder, calls, undefined, hasOtherDefinition ? [otherDefinition] : []);
  return folder;
}

/** The service on the history of some calls and a town's timetable; closed when the test is over. */
export async function openHistoryApp(
  calls: readonly ToldCall[],
  { clock = fixedClock(HISTORY_TODAY), limits = {}, sources = [], hasOtherDefinition = false }: HistoryAppOptions = {},
): Promise<FastifyInstance> {
  const snapshots = await openHistories(await publishOnce(calls, hasOtherDefinition), clock, limits);
  const history = { ...noHistory, snapshots, sources: new Set(sources) };
  return openService(await openWorld(town), { clock, history });
}

export function historyUrl(family: 'v1' | 'v2', asked: Partial<Asked> & { readonly stopId?: string }): string {
  const { stops: _, ...query } = asked;
  const filters = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : `${name}=${encodeURIComponent(value)}`,
  );
  return `/${family}/history${filters.length === 0 ? '' : `?${filters.join('&')}`}`;
}
