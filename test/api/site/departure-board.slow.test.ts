import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import { projectPath, readProjectFile } from '../../../pipeline/effects/project-files.ts';
import { escapeMarkup } from '../../../pipeline/model/escape-markup.ts';
import { callOf, reportOf, stopOf, timeOf, tripOf } from '../../support/worlds/live-reports.ts';
import { at, reportInTown } from '../engine/live-town.ts';
import { openService } from '../service-app.ts';

const PROGRAM = 'api/site/departure-board.mjs';

const run = (...args: string[]) => promisify(execFile)(process.execPath, [projectPath(PROGRAM), ...args]);

test('the program of the page shows the realtime board of a stop', async () => {
  const late = callOf(stopOf('k'), { departure: timeOf(at('08:24')) });
  const gone = reportOf(tripOf('t3'), { relationship: 'cancelled' });
  const world = await reportInTown([reportOf(tripOf('t1'), { calls: [late] }), gone], {
    reportedAt: '08:00',
    now: '08:00',
  });
  const app = await openService(world, { clock: fixedClock(at('08:00')) });
  const base = await app.listen({ host: '127.0.0.1', port: 0 });
  const { stdout } = await run('kirche', base);
  expect(stdout.split('\n').slice(0, 3)).toEqual([
    'Kirche',
    expect.stringMatching(/^08:20 1 Ziel +now 08:24$/),
    expect.stringMatching(/^0|^1/),
  ]);
  await expect(run('nirgendwo', base)).rejects.toThrow('no stop is called nirgendwo');
  await expect(run('', base)).rejects.toThrow('invalid_parameter');
});

test('the page shows that program of twenty lines', async () => {
  const program = await readProjectFile(PROGRAM);
  expect(program.trimEnd().split('\n')).toHaveLength(20);
  const world = await reportInTown([], { reportedAt: '08:00', now: '08:00' });
  const page = await (await openService(world)).inject({ url: '/departure-board' });
  expect(page.body).toContain(escapeMarkup(program));
});
