import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { holdAnnouncements } from '../../api/announcements.ts';
import { fixedClock } from '../../pipeline/effects/clock.ts';
import { expectValidAnswer } from '../support/checks/contract-validator.ts';
import { openWorld, type World } from '../support/worlds/board-world.ts';
import { town } from './engine/live-town.ts';
import { openService } from './service-app.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld(town);
});

let file: string;
const warned: string[] = [];
const log = { info: () => {}, progress: () => {}, warn: (message: string) => void warned.push(message) };

beforeEach(async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'taktgeber-announcements-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  file = path.join(folder, 'announcements.yaml');
  warned.length = 0;
});

const one = (id: string, more = '') => `announcements:\n  - id: ${id}\n    title: T\n    text: U\n${more}`;

async function open() {
  const announcements = await holdAnnouncements(file, log);
  onTestFinished(() => announcements.close());
  const get = async (time = '2026-03-03T07:00:00Z') => {
    const held = announcements.current();
    const app = await openService(world, { clock: fixedClock(time), ...(held ? { announcements: held } : {}) });
    const answer = await app.inject({ url: '/v1/announcements' });
    expect(answer.statusCode).toBe(200);
    await expectValidAnswer('V1Announcements', answer.json());
    return answer.json() as { announcements: { id: string }[] };
  };
  return { announcements, get };
}

describe('/v1/announcements', () => {
  test('is empty without a file', async () => {
    const { get } = await open();
    expect(await get()).toEqual({ generatedAt: '2026-03-03T07:00:00.000Z', announcements: [] });
  });

  test('lists active announcements, with times in UTC', async () => {
    await writeFile(
      file,
      one(
        'a',
        '    priority: 3\n    activeFrom: 2026-03-03T08:00:00+01:00\n    url: https://example.org/\n    platforms: [web]\n',
      ),
    );
    const { get } = await open();
    expect((await get('2026-03-03T06:59:00Z')).announcements).toEqual([]);
    expect((await get()).announcements).toEqual([
      {
        id: 'a',
        title: 'T',
        text: 'U',
        kind: 'information',
        priority: 3,
        activeFrom: '2026-03-03T07:00:00.000Z',
        activeTo: null,
        url: 'https://example.org/',
        platforms: ['web'],
      },
    ]);
  });

  test('follows the file, and keeps the last valid version while the file has an error', async () => {
    await writeFile(file, one('a'));
    const { announcements, get } = await open();
    await writeFile(file, one('b'));
    await announcements.check();
    expect((await get()).announcements.map(({ id }) => id)).toEqual(['b']);
    await writeFile(file, one('c', '    priority: high\n'));
    await announcements.check();
    expect((await get()).announcements.map(({ id }) => id)).toEqual(['b']);
    expect(warned.join()).toContain('line 5: priority must be a whole number to 100');
    await rm(file);
    await announcements.check();
    expect((await get()).announcements).toEqual([]);
  });
});
