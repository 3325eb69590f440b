import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { routes } from '../../../api/contract/routes.ts';
import { createReferences, type JourneyName, REFERENCE_KEY_BYTES } from '../../../api/engine/read/references.ts';
import {
  findRefusal,
  openWorld,
  queryArrivals,
  queryDepartures,
  queryJourney,
  TEST_KEY,
  type World,
} from '../../support/worlds/board-world.ts';
import { mergeNothing, soundFeed } from '../../support/worlds/ingest.ts';
import { withFiles } from '../../support/worlds/text-feed.ts';

const references = createReferences(TEST_KEY);
const stranger = createReferences(Buffer.alloc(REFERENCE_KEY_BYTES, 9));

const journey = fc.record({
  tripKey: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  day: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
});
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

test('round-trip through encoding', () => {
  fc.assert(
    fc.property(journey, fc.string({ unit: 'grapheme' }), (name, content) => {
      expect(references.openJourney(references.sealJourney(name))).toEqual(name);
      expect(references.openPage(references.sealPage(content))).toBe(content);
    }),
  );
});

test('are stable for a journey while the key is valid, and distinct between journeys', () => {
  fc.assert(
    fc.property(journey, journey, (one, other) => {
      const isSame = one.tripKey === other.tripKey && one.day === other.day;
      expect(references.sealJourney(one) === references.sealJourney(other)).toBe(isSame);
      expect(createReferences(Buffer.from(TEST_KEY)).sealJourney(one)).toBe(references.sealJourney(one));
    }),
  );
});

test('are equal from the cache and newly encoded, beyond its capacity too', () => {
  const forgetful = createReferences(TEST_KEY);
  const names = Array.from({ length: 21_000 }, (_, i): JourneyName => ({ tripKey: BigInt(i), day: 20_000 }));
  const first = forgetful.sealJourney(names[0]!);
  for (const name of names) forgetful.sealJourney(name);
  expect(forgetful.sealJourney(names[0]!)).toBe(first);
});

test('are short and safe in a URL', () => {
  fc.assert(
    fc.property(journey, (name) => {
      expect(references.sealJourney(name)).toMatch(/^[A-Za-z0-9_-]{39}$/);
    }),
  );
  // The limit of the contract, which a longer format would exceed.
  expect(references.sealJourney({ tripKey: 0n, day: 0 }).length).toBeLessThanOrEqual(380);
});

test('reveal neither trip nor day', () => {
  const one = references.sealJourney({ tripKey: 1n, day: 20_000 });
  const next = references.sealJourney({ tripKey: 1n, day: 20_001 });
  const same = [...one].filter((letter, i) => letter === next[i]).length;
  // 39 letters of 64 agree by chance in 0.6 places; an unencrypted number would agree in most.
  expect(same).toBeLessThan(10);
});

describe('only references made with this key are read', () => {
  const ref = references.sealJourney({ tripKey: 0x0123_4567_89ab_cdefn, day: 20_528 });

  test('any one character changed', () => {
    for (let i = 0; i < ref.length; i++) {
      for (const letter of LETTERS) {
        if (letter !== ref[i]) expect(references.openJourney(ref.slice(0, i) + letter + ref.slice(i + 1))).toBeNull();
      }
    }
  });

  test('cut anywhere, or longer', () => {
    for (let i = 0; i < ref.length; i++) {
      expect(references.openJourney(ref.slice(0, i))).toBeNull();
      expect(references.openJourney(ref.slice(i + 1))).toBeNull();
      expect(references.openJourney(`${ref.slice(0, i)}A${ref.slice(i)}`)).toBeNull();
    }
  });

  test.each([
    ['padded', `${ref}=`],
    ['in the other alphabet', Buffer.from(ref, 'base64url').toString('base64')],
    ['with blanks', ` ${ref}`],
    ['with a line end', `${ref}\n`],
    ['in a different case', ref.toUpperCase()],
    ['percent-encoded', ref.replace(/./, (letter) => `%${letter.charCodeAt(0).toString(16)}`)],
    ['as hexadecimal', Buffer.from(ref, 'base64url').toString('hex')],
    ['twice', ref + ref],
    ['nothing', ''],
  ])('in another spelling: %s', (_what, text) => {
    expect(references.openJourney(text)).toBeNull();
  });

  test('a last letter with spare bits set decodes to the same bytes, but is rejected', () => {
    const last = LETTERS.indexOf(ref.at(-1)!);
    const spelling = ref.slice(0, -1) + LETTERS[last + 1]!;
    expect(Buffer.from(spelling, 'base64url')).toEqual(Buffer.from(ref, 'base64url'));
    expect(references.openJourney(spelling)).toBeNull();
  });

  test('junk', () => {
    const bytes = fc.uint8Array({ maxLength: 60 }).map((raw) => Buffer.from(raw).toString('base64url'));
    fc.assert(
      fc.property(fc.oneof(fc.string(), bytes), (junk) => {
        expect(references.openJourney(junk)).toBeNull();
        expect(references.openPage(junk)).toBeNull();
      }),
    );
  });

  test('of another key', () => {
    fc.assert(
      fc.property(journey, (name) => {
        expect(stranger.openJourney(references.sealJourney(name))).toBeNull();
      }),
    );
    expect(stranger.openPage(references.sealPage('x'))).toBeNull();
  });

  test('a page token is not a journey reference, and vice versa', () => {
    expect(references.openPage(ref)).toBeNull();
    expect(references.openJourney(references.sealPage('thirteen byte'))).toBeNull();
  });
});

test.each([0, 16, 31, 33, 64])('a key of %d bytes is rejected', (length) => {
  expect(() => createReferences(Buffer.alloc(length))).toThrow(RangeError);
});

describe('journeys by reference', () => {
  const MORNING = '2026-03-03T07:30:00+01:00';
  let world: World;
  let ref: string;
  beforeAll(async () => {
    world = await openWorld({ at: soundFeed });
    ref = (await queryDepartures(world, 'at:a', { time: MORNING })).departures[0]!.journeyRef!;
  });

  test('every board uses the same reference for a trip on a service date', async () => {
    const boards = [
      (await queryDepartures(world, 'at:b', { time: MORNING })).departures,
      (await queryArrivals(world, 'at:b', { time: MORNING })).arrivals,
      (await queryArrivals(world, 'at:c', { time: MORNING })).arrivals,
    ];
    expect(boards.map(([row]) => row!.journeyRef)).toEqual([ref, ref, ref]);
    const journeyOfRef = await queryJourney(world, ref, { now: MORNING });
    expect([journeyOfRef.ref, journeyOfRef.serviceDate]).toEqual([ref, '2026-03-03']);
  });

  test('another day has another reference', async () => {
    const next = await queryDepartures(world, 'at:a', { time: '2026-03-04T07:30:00+01:00' });
    expect(next.departures[0]!.journeyRef).not.toBe(ref);
  });

  test('a restarted service with a reloaded timetable uses the same reference', async () => {
    const grown = await openWorld({
      at: withFiles(soundFeed, {
        'trips.txt': `${soundFeed.get('trips.txt')}0,r,daily\n`,
        'stop_times.txt': `${soundFeed.get('stop_times.txt')}0,c,1,05:00:00,05:00:00\n0,a,2,05:20:00,05:20:00\n`,
      }),
    });
    const restarted = { ...grown, references: createReferences(TEST_KEY) };
    const board = await queryDepartures(restarted, 'at:a', { time: MORNING });
    expect(board.departures[0]!.journeyRef).toBe(ref);
    expect(await queryJourney(restarted, ref, { now: MORNING })).toEqual(
      await queryJourney(world, ref, { now: MORNING }),
    );
  });

  test('the same trip id of another source is another journey', async () => {
    const both = await openWorld({ at: soundFeed, other: soundFeed }, { settings: { merging: mergeNothing } });
    const [mine] = (await queryDepartures(both, 'at:a', { time: MORNING })).departures;
    const [theirs] = (await queryDepartures(both, 'other:a', { time: MORNING })).departures;
    expect(mine!.journeyRef).toBe(ref);
    expect(theirs!.journeyRef).not.toBe(ref);
    expect((await queryJourney(both, theirs!.journeyRef!, { now: MORNING })).stops[0]!.id).toBe('other:a');
  });

  test('a trip that has left the timetable has expired', async () => {
    const without = await openWorld({
      at: withFiles(soundFeed, {
        'trips.txt': soundFeed.get('trips.txt')!.replace('t1,r,daily\n', ''),
        'stop_times.txt': soundFeed.get('stop_times.txt')!.replace(/t1,.*\n/g, ''),
      }),
    });
    expect(await findRefusal(() => queryJourney(without, ref, { now: MORNING }))).toBe('journey_expired');
  });

  const tripKey = () => references.openJourney(ref)!.tripKey;
  const dayOf = (date: string) => Date.parse(date) / 86_400_000;

  test.each([
    ['before the timetable begins', '2026-03-01'],
    ['after it ends', '2026-03-09'],
    ['in another century', '2126-03-03'],
  ])('a day without service has expired: %s', async (_when, date) => {
    const sealed = references.sealJourney({ tripKey: tripKey(), day: dayOf(date) });
    expect(await findRefusal(() => queryJourney(world, sealed, { now: MORNING }))).toBe('journey_expired');
  });

  // Three days after 3 March end with 6 March, Austrian time.
  test.each([
    ['2026-03-03T23:59:59+01:00', 'here'],
    ['2026-03-06T23:59:59+01:00', 'here'],
    ['2026-03-07T00:00:00+01:00', 'journey_expired'],
    ['2027-03-07T00:00:00+01:00', 'journey_expired'],
    // Not expired: future days are valid as long as the timetable.
    ['2026-01-01T00:00:00+01:00', 'here'],
  ])('at %s it is %s', async (now, expected) => {
    const outcome = await queryJourney(world, ref, { now }).then(
      () => 'here',
      (error: { code: string }) => error.code,
    );
    expect(outcome).toBe(expected);
  });

  test('a modified reference is unknown, not expired', async () => {
    const altered = (ref[0] === 'A' ? 'B' : 'A') + ref.slice(1);
    for (const wrong of [altered, ref.slice(1), `${ref}=`, 'x', '']) {
      expect(await findRefusal(() => queryJourney(world, wrong, { now: MORNING }))).toBe('unknown_journey');
    }
  });

  test('the contract documents both refusals', () => {
    const route = routes.find(({ operationId }) => operationId === 'getJourney')!;
    expect(route.problems).toEqual(expect.arrayContaining(['unknown_journey', 'journey_expired', 'unknown_stop']));
  });
});
