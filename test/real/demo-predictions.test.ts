import { once } from 'node:events';
import { expect, test } from 'vitest';
import type { PredictionBatch, V1Predictions, V1Status } from '../../api/contract/definitions.ts';
import { request, requestUntil, startDemo } from '../support/fakes/running-demo.ts';

/** Includes a simulated month, training on it, and the first vehicles observed afterwards. */
const PATIENCE_MILLISECONDS = 480_000;

/** At night there may be no vehicle near the requested place. */
const MORNING = '2026-09-15T07:30:00+02:00';

test(
  'the demo learns from its past, and then predicts running trips',
  async () => {
    const { url, child } = await startDemo(MORNING);
    const before = await request<V1Status>(`${url}/v1/status`, 'V1Status');
    expect(before.measurement).toMatchObject({ predictionsAvailable: false, state: 'unavailable' });
    const isReady = ({ measurement: { state } }: V1Status) => state === 'live';
    const queryStatus = (isWanted: (status: V1Status) => boolean) =>
      requestUntil<V1Status>(`${url}/v1/status`, 'V1Status', isWanted, 1000, PATIENCE_MILLISECONDS);
    const started = performance.now();
    await queryStatus(isReady);
    const firstSeconds = (performance.now() - started) / 1000;
    // Each source has its own model; until it is trained, and for other sources, a prior predicts.
    const sources = ['austria_gtfs_rt', 'stmk_gtfs_rt', 'wien_gtfs_rt'];
    const status = await queryStatus(({ measurement }) =>
      sources.every((source) => measurement.evidenceSources.includes(source)),
    );
    const allSeconds = (performance.now() - started) / 1000;
    process.stdout.write(
      `forecasts after ${firstSeconds.toFixed(0)} s, of all sources after ${allSeconds.toFixed(0)} s\n`,
    );
    expect(status.measurement.evidenceSources).toEqual(expect.arrayContaining(sources));
    await expectPredictions(url);
    child.kill('SIGINT');
    expect((await once(child, 'exit'))[0]).toBe(0);
  },
  PATIENCE_MILLISECONDS + 120_000,
);

async function expectPredictions(url: string): Promise<void> {
  const near = `${url}/v1/predictions?lat=48.2&lon=16.37&radius=10000&limit=200`;
  const { predictions } = await requestUntil<V1Predictions>(near, 'V1Predictions', ({ count }) => count > 0);
  const jids = predictions.map(({ jid }) => jid);
  const batch = await fetch(`${url}/v2/predictions/batch`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ journeyRefs: jids }),
  });
  expect(((await batch.json()) as PredictionBatch).predictions.length).toBeGreaterThan(0);
}
