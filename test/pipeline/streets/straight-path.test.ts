import { describe, expect, it } from 'vitest';
import { straightPath } from '../../../pipeline/streets/walk-router.ts';
import { at } from './made-up-town.ts';

describe('a straight path', () => {
  const texts: readonly [east: number, north: number, de: string, en: string][] = [
    [0, 300, 'Etwa 390 m Richtung Norden', 'about 390 m to the north'],
    [200, 210, 'Etwa 380 m Richtung Nordosten', 'about 380 m to the northeast'],
    [300, 0, 'Etwa 390 m Richtung Osten', 'about 390 m to the east'],
    [200, -200, 'Etwa 370 m Richtung Südosten', 'about 370 m to the southeast'],
    [10, -300, 'Etwa 390 m Richtung Süden', 'about 390 m to the south'],
    [-200, -200, 'Etwa 370 m Richtung Südwesten', 'about 370 m to the southwest'],
    [-1, 0, 'Etwa 10 m Richtung Westen', 'about 10 m to the west'],
    [-3000, 3000, 'Etwa 5,5 km Richtung Nordwesten', 'about 5.5 km to the northwest'],
    [0, 765, 'Etwa 990 m Richtung Norden', 'about 990 m to the north'],
    [0, 800, 'Etwa 1,0 km Richtung Norden', 'about 1.0 km to the north'],
  ];
  it.each(texts)('%d m east, %d m north', (east, north, de, en) => {
    const listSteps = (language: 'de' | 'en') => straightPath(at(0, 0), at(east, north), 'foot', language).steps;
    expect(listSteps('de')).toEqual([
      { instruction: `${de} gehen. Der genaue Weg ist nicht bekannt.`, maneuver: 'straightLine', from: 0, to: 1 },
    ]);
    expect(listSteps('en')).toEqual([
      { instruction: `Walk ${en}. The exact way is not known.`, maneuver: 'straightLine', from: 0, to: 1 },
    ]);
  });

  it('is a third longer than the straight line, and slower in a wheelchair', () => {
    const points = [at(0, 0), at(0, 1000)] as const;
    expect(straightPath(...points, 'foot', 'de')).toMatchObject({ distanceMeters: 1300, durationSeconds: 996, points });
    expect(straightPath(...points, 'wheelchair', 'de')).toMatchObject({ distanceMeters: 1300, durationSeconds: 1170 });
  });

  it('to the same place has length 0', () => {
    expect(straightPath(at(5, 5), at(5, 5), 'foot', 'de')).toEqual({
      distanceMeters: 0,
      durationSeconds: 0,
      points: [at(5, 5), at(5, 5)],
      steps: [{ instruction: 'Ziel erreicht.', maneuver: 'straightLine', from: 0, to: 1 }],
    });
    expect(straightPath(at(5, 5), at(5, 5), 'foot', 'en').steps[0]!.instruction).toBe('You have arrived.');
  });
});
