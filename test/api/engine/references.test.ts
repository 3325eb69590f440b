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

test('what was written is read again', () => {
  fc.assert(
    fc.property(journey, fc.string({ unit: 'grapheme' }), (name, content) => {
      expect(references.openJourney(references.sealJourney(name))).toEqual(name);
      expect(references.openPage(references.sealPage(content))).toBe(content);
    }),
  );
});

test('a journey has one reference for as long as the key lives, and no two share one', () => {
  fc.assert(
    fc.property(journey, journey, (one, other) => {
      const isSame = one.tripKey === other.tripKey && one.day === other.day;
      expect(references.sealJourney(one) === references.sealJourney(other)).toBe(isSame);
      expect(createReferences(Buffer.from(TEST_KEY)).sealJourney(one)).toBe(references.sealJourney(one));
    }),
  );
});

test('what is remembered is what would be made: also beyond what fits', () => {
  const forgetful = createReferences(TEST_KEY);
  const names = Array.from({ length: 21_000 }, (_, i): JourneyName => ({ tripKey: BigInt(i), day: 20_000 }));
  const first = forgetful.sealJourney(names[0]!);
  for (const name of names) forgetful.sealJourney(name);
  expect(forgetful.sealJourney(names[0]!)).toBe(first);
});

test('a reference is short and safe in an address', () => {
  fc.assert(
    fc.property(journey, (name) => {
      expect(references.sealJourney(name)).toMatch(/^[A-Za-z0-9_-]{39}$/);
    }),
  );
  // The contract's own bound, which a longer format would have to keep.
  expect(references.sealJourney({ tripKey: 0n, day: 0 }).length).toBeLessThanOrEqual(380);
});

test('it shows neither trip nor day', () => {
  const one = references.sealJourney({ tripKey: 1n, day: 20_000 });
  const next = references.sealJourney({ tripKey: 1n, day: 20_001 });
  const same = [...one].filter((letter, i) => letter === next[i]).length;
  // 39 letters of 64 agree by chance in 0.6 places; an unencrypted number would agree in most.
  expect(same).toBeLessThan(10);
});

describe('nothing but what this key made is read', () => {
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
    ['in other case', ref.toUpperCase()],
    ['percent-encoded', ref.replace(/./, (letter) => `%${letter.charCodeAt(0).toString(16)}`)],
    ['as hexadecimal', Buffer.from(ref, 'base64url').toString('hex')],
    ['twice', ref + ref],
    ['nothing', ''],
  ])('another spelling: %s', (_what, text) => {
    expect(references.openJourney(text)).toBeNull();
  });

  test('a letter whose spare bits are set means the same bytes, and is refused all the same', () => {
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

  test('what another key made', () => {
    fc.assert(
      fc.property(journey, (name) => {
        expect(stranger.openJourney(references.sealJourney(name))).toBeNull();
      }),
    );
    expect(stranger.openPage(references.sealPage('x'))).toBeNull();
  });

  test('a page token is no journey, and the other way round', () => {
    expect(references.openPage(ref)).toBeNull();
    expect(references.openJourney(references.sealPage('thirteen byte'))).toBeNull();
  });
});

test.each([0, 16, 31, 33, 64])('a key of %d bytes is refused', (length) => {
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

  test('every board names a trip on a service date by the same text', async () => {
    const boards = [
      (await queryDepartures(world, 'at:b', { time: MORNING })).departures,
      (await queryArrivals(world, 'at:b', { time: MORNING })).arrivals,
      (await queryArrivals(world, 'at:c', { time: MORNING })).arrivals,
    ];
    expect(boards.map(([row]) => row!.journeyRef)).toEqual([ref, ref, ref]);
    const journeyOfRef = await queryJourney(world, ref, { now: MORNING });
    expect([journeyOfRef.ref, journeyOfRef.serviceDate]).toEqual([ref, '2026-03-03']);
  });

  test('another day is another text', async () => {
    const next = await queryDepartures(world, 'at:a', { time: '2026-03-04T07:30:00+01:00' });
    expect(next.departures[0]!.journeyRef).not.toBe(ref);
  });

  test('so does a service that was started anew, on a timetable that was loaded anew', async () => {
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
  ])('a day on which it does not run has expired: %s', async (_when, date) => {
    const sealed = references.sealJourney({ tripKey: tripKey(), day: dayOf(date) });
    expect(await findRefusal(() => queryJourney(world, sealed, { now: MORNING }))).toBe('journey_expired');
  });

  // Three days after 3 March end with the 6th, by clocks in Austria.
  test.each([
    ['2026-03-03T23:59:59+01:00', 'here'],
    ['2026-03-06T23:59:59+01:00', 'here'],
    ['2026-03-07T00:00:00+01:00', 'journey_expired'],
    ['2027-03-07T00:00:00+01:00', 'journey_expired'],
    // Not yet: it can be asked for as long before as the timetable goes.
    ['2026-01-01T00:00:00+01:00', 'here'],
  ])('at %s it is %s', async (now, expected) => {
    const outcome = await queryJourney(world, ref, { now }).then(
      () => 'here',
      (error: { code: string }) => error.code,
    );
    expect(outcome).toBe(expected);
  });

  test('an altered one is unknown, not expired', async () => {
    const altered = (ref[0] === 'A' ? 'B' : 'A') + ref.slice(1);
    for (const wrong of [altered, ref.slice(1), `${ref}=`, 'x', '']) {
      expect(await findRefusal(() => queryJourney(world, wrong, { now: MORNING }))).toBe('unknown_journey');
    }
  });

  test('the contract names both refusals', () => {
    const route = routes.find(({ operationId }) => operationId === 'getJourney')!;
    expect(route.problems).toEqual(expect.arrayContaining(['unknown_journey', 'journey_expired', 'unknown_stop']));
  });
});
