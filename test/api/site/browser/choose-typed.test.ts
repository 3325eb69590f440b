import { expect, test } from 'vitest';
import type { Stop } from '../../../../api/contract/v2-basics.ts';
import { chooseTyped } from '../../../../api/site/view-model/choose-typed.ts';

test.each<[text: string, names: readonly string[], chosen: string | null]>([
  ['the only result', ['Anger'], 'Anger'],
  ['hauptplatz', ['Hauptplatz', 'Hauptplatz Süd'], 'Hauptplatz'],
  ['Hauptplatz', ['Hauptplatz', 'Hauptplatz'], null],
  ['prater', ['Wien Praterstern', 'Stadionbad'], 'Wien Praterstern'],
  ['kaertner ring', ['Kärtner Ring, Oper', 'Kärntner Straße'], null],
  ['kartner RING', ['Kärtner Ring, Oper', 'Kärntner Straße'], 'Kärtner Ring, Oper'],
  ['wien', ['Wien Hbf', 'Wien Meidling'], null],
  ['wien', [], null],
  [' ', ['Anger'], null],
])('"%s" among %j means %s', (text, names, chosen) => {
  const found = names.map((name, i) => ({ id: `${i}`, name }) as Stop);
  expect(chooseTyped(text, found)?.name ?? null).toBe(chosen);
});
