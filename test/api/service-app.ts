import type { FastifyInstance } from 'fastify';
import { onTestFinished } from 'vitest';
import { type AppOptions, buildApp } from '../../api/app.ts';
import type { Timetable } from '../../api/engine/timetable.ts';
import { allHandlers } from '../../api/routes/handlers.ts';
import { type Clock, fixedClock } from '../../pipeline/effects/clock.ts';
import type { World } from '../support/board-world.ts';

export interface ServiceOptions {
  readonly clock: Clock;
  /** When each source was last asked with success. */
  readonly sourceChecks?: Readonly<Record<string, string>>;
  readonly overrides?: Partial<AppOptions<Timetable>>;
}

/** The whole service on one timetable, with the contract's own routes and fair use off. */
export function serviceOptions(world: World, { clock, sourceChecks = {}, overrides }: ServiceOptions) {
  const handlers = allHandlers({
    clock,
    references: world.references,
    getSourceChecks: () => sourceChecks,
    timetableMaxAgeSeconds: 36 * 3600,
  });
  const options: AppOptions<Timetable> = {
    clock,
    handlers,
    snapshots: { current: () => ({ value: world.timetable, dataVersion: world.timetable.manifest.id }) },
    answersVersion: 'test',
    fairUse: { unitsPerMinute: 0, burst: 0 },
    site: { examples: [] },
    ...overrides,
  };
  return options;
}

/** Builds the service; it is closed when the test is over. */
export async function openService(world: World, options: Partial<ServiceOptions> = {}): Promise<FastifyInstance> {
  const app = await buildApp(serviceOptions(world, { clock: fixedClock('2026-03-16T07:30:00Z'), ...options }));
  onTestFinished(() => app.close());
  return app;
}
