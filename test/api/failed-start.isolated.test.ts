import { createServer } from 'node:net';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { ApiConfig } from '../../api/api-config.ts';
import { startApi } from '../../api/start-api.ts';
import { fixedClock } from '../../pipeline/effects/clock.ts';
import { silentLog, temporaryFolder } from '../support/worlds/ingest.ts';
import { apiConfig } from './api-config.ts';

/** Parts of the service that fail, and how often planning was opened and closed. */
const world = vi.hoisted(() => ({ failing: [] as string[], opened: 0, closed: 0 }));

const failIf = vi.hoisted(() => (part: string) => {
  if (world.failing.includes(part)) throw new Error(`no ${part}`);
});

vi.mock('../../api/planning/create-planning.ts', async (importOriginal) => {
  const real = await importOriginal<typeof import('../../api/planning/create-planning.ts')>();
  const createThreadPlanning: typeof real.createThreadPlanning = ({ limits, log }) => {
    world.opened++;
    const planning = real.createPlanning(() => ({}) as never, { limits: { ...limits, threads: 0 }, log });
    return {
      ...planning,
      async close() {
        world.closed++;
        failIf('end');
        await planning.close();
      },
    };
  };
  return { ...real, createThreadPlanning };
});
vi.mock('../../api/network-maps.ts', async (importOriginal) => {
  const real = await importOriginal<typeof import('../../api/network-maps.ts')>();
  const holdNetworkMaps: typeof real.holdNetworkMaps = async (...all) => {
    failIf('network maps');
    return real.holdNetworkMaps(...all);
  };
  return { ...real, holdNetworkMaps };
});
vi.mock('../../api/app.ts', async (importOriginal) => {
  const real = await importOriginal<typeof import('../../api/app.ts')>();
  const buildApp: typeof real.buildApp = async (...all) => {
    failIf('routes');
    return real.buildApp(...all);
  };
  return { ...real, buildApp };
});

beforeEach(() => {
  Object.assign(world, { failing: [], opened: 0, closed: 0 });
});

async function start(changes: Partial<ApiConfig> = {}) {
  const planner = { threads: 1, maxQueued: 1, timeLimitSeconds: 1, startLimitSeconds: 1 };
  const config = apiConfig(await temporaryFolder(), { planner, ...changes });
  return startApi(config, { clock: fixedClock('2026-03-03T06:30:07Z'), log: silentLog });
}

test.each(['network maps', 'routes'])('a start without %s closes planning', async (part) => {
  world.failing = [part];
  await expect(start()).rejects.toThrow(`no ${part}`);
  expect(world).toMatchObject({ opened: 1, closed: 1 });
});

test('a part that cannot be closed does not hide why the service cannot start', async () => {
  world.failing = ['network maps', 'end'];
  await expect(start()).rejects.toThrow('no network maps');
  expect(world).toMatchObject({ opened: 1, closed: 1 });
});

test('a start on a port in use closes planning', async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => void taken.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => void taken.close(() => resolve())));
  const { port } = taken.address() as { port: number };
  await expect(start({ port })).rejects.toMatchObject({ code: 'port_in_use' });
  expect(world).toMatchObject({ opened: 1, closed: 1 });
});

test('a service closes planning once, when it is closed', async () => {
  const server = await start();
  expect(world).toMatchObject({ opened: 1, closed: 0 });
  await server.close();
  expect(world).toMatchObject({ opened: 1, closed: 1 });
});
