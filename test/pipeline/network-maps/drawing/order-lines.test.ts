import { describe, expect, test } from 'vitest';
import { sortClockwise } from '../../../../pipeline/network-maps/drawing/draw-map.ts';
import { layOut } from '../../../../pipeline/network-maps/drawing/lay-out.ts';
import { CrossingCounter, orderLines } from '../../../../pipeline/network-maps/drawing/order-lines.ts';
import { readNetwork } from './town-plan.ts';

/** Crossings of a network after ordering, and in the worst case. */
function count(plan: string, ways: Readonly<Record<string, string>>): { ordered: number; least: number } {
  const network = readNetwork(plan, ways);
  const layout = layOut(network);
  const clockwise = sortClockwise(layout);
  const counter = new CrossingCounter(layout.schematic, clockwise);
  const costOf = (orders: readonly (readonly number[])[]) =>
    layout.schematic.nodes.reduce((sum, _, node) => sum + counter.costAt(node, orders), 0);
  const { edges } = layout.schematic;
  let least = Number.POSITIVE_INFINITY;
  const tryAll = (edge: number, orders: readonly (readonly number[])[]) => {
    if (edge === edges.length) least = Math.min(least, costOf(orders));
    else for (const order of permute(edges[edge]!.lines)) tryAll(edge + 1, [...orders, order]);
  };
  tryAll(0, []);
  return { ordered: costOf(orderLines(layout.schematic, clockwise)), least };
}

function permute(items: readonly number[]): number[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((item) => permute(items.filter((other) => other !== item)).map((rest) => [item, ...rest]));
}

describe('the order of lines', () => {
  test.each([
    ['of two that part', 'a  c\n b  \nd  e\n', { 1: 'abc', 2: 'abe' }, 0],
    ['of two that meet and part again on the same sides', 'a   d\n bc  \ne   f', { 1: 'abcd', 2: 'ebcf' }, 0],
    ['of two that swap sides', 'a   d\n bc  \ne   f', { 1: 'abcf', 2: 'ebcd' }, 1],
    ['of three, one of which ends', 'a   d\n bc  \ne   f', { 1: 'abcd', 2: 'ebcf', 3: 'abc' }, 0],
    ['around a ring', 'ab\ncd', { 1: 'abdca', 2: 'abd', 3: 'dca' }, null],
  ])('%s has the minimum of crossings', (_, plan, ways, crossings) => {
    const { ordered, least } = count(plan, ways as Record<string, string>);
    expect(ordered).toBeCloseTo(least);
    if (crossings !== null) expect(Math.round(ordered)).toBe(crossings);
  });
});
