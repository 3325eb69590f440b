import { execFileSync } from 'node:child_process';
import { beforeAll, expect, test } from 'vitest';
import { type Example, listExamples } from '../../../api/site/pages/examples.ts';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import { openWorld, type World } from '../../support/worlds/board-world.ts';
import { soundFeed } from '../../support/worlds/ingest.ts';
import { withFiles } from '../../support/worlds/text-feed.ts';
import { openService } from '../service-app.ts';

/** A stop whose id contains special characters of shells. */
const trickyFeed = withFiles(soundFeed, {
  'stops.txt': soundFeed.get('stops.txt')!.replace('a,Anger', "a'$a,Anger"),
  'stop_times.txt': soundFeed.get('stop_times.txt')!.replaceAll(',a,', ",a'$a,"),
});

let world: World;
beforeAll(async () => {
  world = await openWorld({ at: trickyFeed });
});

const findCommand = (examples: readonly Example[]) =>
  examples.flatMap((example) => ('command' in example ? example.command : []))[0];

test('every link and the request of the command are answered', async () => {
  const app = await openService(world, { clock: fixedClock('2026-03-03T06:30:07Z') });
  const examples = listExamples(world.timetable, 'http://x');
  expect(examples.map(({ label }) => label.en.split(/[ :]/)[0])).toEqual(['Next', 'Trips', 'Search', 'Health']);
  for (const example of examples) {
    if ('href' in example) expect((await app.inject({ url: example.href })).statusCode, example.href).toBe(200);
  }
  // A shell splits the command line as it would for curl.
  const words = findCommand(examples)!.replace(/^curl/, 'printf "%s\\n"');
  const [url, header, contentType, data, payload] = execFileSync('sh', ['-c', words], { encoding: 'utf8' }).split('\n');
  expect([url, header, contentType, data]).toEqual(['http://x/v2/trips', '-H', 'content-type: application/json', '-d']);
  const headers = { 'content-type': 'application/json' };
  const answer = await app.inject({ method: 'POST', url: '/v2/trips', headers, payload: payload! });
  expect([answer.statusCode, payload]).toEqual([200, expect.stringContaining("a'$a")]);
});

test('there are fewer with less data', () => {
  expect(listExamples(null, 'http://x').map(({ label }) => label.en)).toEqual(['Health of the service']);
  expect(findCommand(listExamples(world.timetable, null))).toBeUndefined();
});
