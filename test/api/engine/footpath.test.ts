import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Footpath, FootpathRequest } from '../../../api/contract/definitions.ts';
import { findFootpath } from '../../../api/engine/footpath.ts';
import { openWalkRouter } from '../../../pipeline/streets/open-walk-router.ts';
import type { Point, WalkRouter } from '../../../pipeline/streets/walk-router.ts';
import { at, build, hasEngine, makeFolder, spot, writeTown } from '../../pipeline/streets/made-up-town.ts';
import { expectValidAnswer } from '../../support/checks/contract-validator.ts';

type Requests = Partial<Pick<FootpathRequest, 'profile' | 'language'>>;

const request = (from: Point, to: Point, { profile = 'foot', language = 'de' }: Requests = {}): FootpathRequest => ({
  from,
  to,
  profile,
  language,
});

/** Requests a footpath and checks it against the published schema. */
async function requestFootpath(
  walks: WalkRouter | null,
  from: Point,
  to: Point,
  requests?: Requests,
): Promise<Footpath> {
  const footpath = await findFootpath(walks, request(from, to, requests));
  await expectValidAnswer('Footpath', footpath);
  return footpath;
}

const tooLong = { code: 'no_path', message: 'The places are too far apart: the longest supported walk is 50 km.' };

describe('without streets', () => {
  it('is a straight line, and says so', async () => {
    expect(await requestFootpath(null, { lat: 47.5, lon: 13.5 }, { lat: 47.5, lon: 13.51 })).toEqual({
      distanceMeters: 977,
      durationSeconds: 749,
      polyline: [
        { lat: 47.5, lon: 13.5 },
        { lat: 47.5, lon: 13.51 },
      ],
      steps: [
        {
          instruction: 'Etwa 980 m Richtung Osten gehen. Der genaue Weg ist nicht bekannt.',
          maneuver: 'straightLine',
          polyFrom: 0,
          polyTo: 1,
        },
      ],
    });
  });

  it('has the same length in a wheelchair, but takes longer', async () => {
    const requests = { profile: 'wheelchair', language: 'en' } as const;
    const footpath = await requestFootpath(null, { lat: 47.5, lon: 13.5 }, { lat: 47.5, lon: 13.51 }, requests);
    expect(footpath).toMatchObject({ distanceMeters: 977, durationSeconds: 880 });
    expect(footpath.steps[0]!.instruction).toBe('Walk about 980 m to the east. The exact way is not known.');
  });

  it('has zero length from a place to itself', async () => {
    expect(await requestFootpath(null, at(0, 0), at(0, 0))).toMatchObject({ distanceMeters: 0, durationSeconds: 0 });
  });

  it('is limited to the maximum walking distance', async () => {
    expect(await requestFootpath(null, at(0, 0), at(0, 38_400))).toMatchObject({ distanceMeters: 49_920 });
    await expect(findFootpath(null, request(at(0, 0), at(0, 38_500)))).rejects.toMatchObject(tooLong);
    await expect(findFootpath(null, request({ lat: -90, lon: -180 }, { lat: 90, lon: 180 }))).rejects.toMatchObject(
      tooLong,
    );
  });

  it('returns a footpath or a refusal for any two points on earth', async () => {
    const point = fc.record({
      lat: fc.double({ min: -90, max: 90, noNaN: true }),
      lon: fc.double({ min: -180, max: 180, noNaN: true }),
    });
    await fc.assert(
      fc.asyncProperty(point, point, async (from, to) => {
        const near = { lat: Math.max(-90, Math.min(90, from.lat + to.lat / 500)), lon: from.lon };
        expect((await requestFootpath(null, from, near)).steps).toHaveLength(1);
        const far = await findFootpath(null, request(from, to)).catch((error: { code: string }) => error.code);
        if (typeof far === 'string') expect(far).toBe('no_path');
      }),
    );
  });
});

describe.runIf(hasEngine)('over streets', () => {
  let walks: WalkRouter;
  let remove: () => Promise<void>;
  beforeAll(async () => {
    const made = await makeFolder();
    remove = made.remove;
    const pbf = path.join(made.folder, 'town.osm.pbf');
    await writeTown(pbf);
    await build({ pbf, dataDir: made.folder });
    walks = (await openWalkRouter(made.folder))!;
  });
  afterAll(() => remove());

  it('gives each step its part of the line', async () => {
    const footpath = await requestFootpath(walks, spot('market'), spot('chapel'));
    expect(footpath).toMatchObject({ distanceMeters: 300, durationSeconds: 230 });
    expect(footpath.polyline).toHaveLength(4);
    expect(footpath.steps).toEqual([
      { maneuver: 'start', polyFrom: 0, polyTo: 1, instruction: 'Auf Stiegengasse Richtung Norden laufen.' },
      { maneuver: 'stairs', polyFrom: 1, polyTo: 2, instruction: 'Die Treppen nehmen.' },
      { maneuver: 'continue', polyFrom: 2, polyTo: 3, instruction: 'Weiter auf Stiegengasse.' },
      { maneuver: 'destination', polyFrom: 3, polyTo: 3, instruction: 'Ziel erreicht.' },
    ]);
  });

  it('avoids stairs in a wheelchair', async () => {
    const footpath = await requestFootpath(walks, spot('market'), spot('chapel'), {
      profile: 'wheelchair',
      language: 'en',
    });
    expect(Math.abs(footpath.distanceMeters! - 700)).toBeLessThanOrEqual(1);
    expect(footpath.steps.map(({ maneuver }) => maneuver)).not.toContain('stairs');
    expect(footpath.steps[0]!.instruction).toBe('Walk west on Hauptstraße.');
  });

  const refused: readonly [what: string, request: FootpathRequest, detail: string][] = [
    ['across the river', request(spot('west'), spot('bankWest')), 'The street network has no footpath'],
    [
      'across the river in a wheelchair',
      request(spot('west'), spot('bankWest'), { profile: 'wheelchair' }),
      'The street network has no wheelchair-accessible path',
    ],
    ['far from all streets', request(at(0, 2000), spot('west')), 'The street network has no footpath'],
    ['too far', request(at(0, 0), at(0, 50_100)), 'The places are too far apart: the longest supported walk is 50 km'],
  ];
  it.each(refused)('%s there is no footpath', async (_what, input, detail) => {
    await expect(findFootpath(walks, input)).rejects.toMatchObject({
      name: 'ApiProblem',
      code: 'no_path',
      message: expect.stringContaining(detail),
    });
  });

  it('has no length from a place to itself', async () => {
    expect(await requestFootpath(walks, spot('west'), spot('west'))).toMatchObject({
      distanceMeters: 0,
      durationSeconds: 0,
    });
  });
});
