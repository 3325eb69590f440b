import type { AlertEntity, AlertReport } from './realtime.ts';

/** A condition that always matches. */
export const anywhere: AlertEntity = { lines: [], stops: [], trips: [], directionId: null };

/**
 * Entities for lists that do not say what belongs together: the lines at the stops (all of a line when no stop is
 * named, all calls at a stop when no line is), and each trip separately.
 */
export function linesAtStops({ lines, stops, trips }: Pick<AlertReport, 'lines' | 'stops' | 'trips'>): AlertEntity[] {
  const places = { ...anywhere, lines: positionsOf(lines), stops: positionsOf(stops) };
  return [
    ...(lines.length + stops.length === 0 ? [] : [places]),
    ...(trips.length === 0 ? [] : [{ ...anywhere, trips: positionsOf(trips) }]),
  ];
}

function positionsOf(items: readonly unknown[]): number[] {
  return [...items.keys()];
}

/** Collects the items of an alert, each once, and returns their positions. */
export function collectOnce<Item>(): { readonly items: readonly Item[]; positionOf(item: Item): number } {
  const items: Item[] = [];
  const positions = new Map<string, number>();
  return {
    items,
    positionOf(item) {
      const key = JSON.stringify(item);
      const known = positions.get(key);
      if (known !== undefined) return known;
      positions.set(key, items.length);
      return items.push(item) - 1;
    },
  };
}

/**
 * Merges conditions that differ in one list only: together they match the same, and a long table of lines at stops
 * stays short.
 */
export function joinEntities(entities: readonly AlertEntity[]): AlertEntity[] {
  return (['stops', 'lines', 'trips'] as const).reduce<readonly AlertEntity[]>(joinByList, entities) as AlertEntity[];
}

function joinByList(entities: readonly AlertEntity[], list: 'lines' | 'stops' | 'trips'): AlertEntity[] {
  const groups = new Map<string, { readonly first: AlertEntity; readonly items: Set<number> }>();
  for (const entity of entities) {
    // An empty list always matches, so it must not be merged with a list that has items.
    const key = JSON.stringify([{ ...entity, [list]: [] }, entity[list].length === 0]);
    const group = groups.get(key) ?? { first: entity, items: new Set<number>() };
    for (const item of entity[list]) group.items.add(item);
    groups.set(key, group);
  }
  return [...groups.values()].map(({ first, items }) => ({ ...first, [list]: [...items].sort((a, b) => a - b) }));
}
