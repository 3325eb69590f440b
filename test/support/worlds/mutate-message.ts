/** Numbers in [0, 1), the same for the same seed (mulberry32). */
export type Random = () => number;

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const pick = <Item>(random: Random, items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!;

// ---- Bytes --------------------------------------------------------------------------------------

/** Flips, cuts off, removes, repeats or inserts bytes. */
export function mutateBytes(bytes: Uint8Array, random: Random): Uint8Array {
  const at = Math.floor(random() * bytes.length);
  const length = 1 + Math.floor(random() * 40);
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
  switch (Math.floor(random() * 5)) {
    case 0: {
      const flipped = bytes.slice();
      for (let i = 0; i <= length / 8; i++) {
        flipped[Math.floor(random() * bytes.length)]! ^= 1 << Math.floor(random() * 8);
      }
      return flipped;
    }
    case 1:
      return before;
    case 2:
      return Buffer.concat([before, after.subarray(length)]);
    case 3:
      return Buffer.concat([before, after.subarray(0, length), after]);
    default:
      return Buffer.concat([before, Uint8Array.from({ length }, () => Math.floor(random() * 256)), after]);
  }
}

// ---- Trees: JSON, and messages before they are encoded ---------------------------------------------

/** Unexpected values. NaN and infinity are not JSON: there they become null. */
const oddValues: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  1e308,
  -(2 ** 53),
  2 ** 31,
  2 ** 32,
  4_294_967_296_000,
  '',
  ' ',
  '-1',
  'x'.repeat(5000),
  '99:99:99',
  '20260230',
  '2026-13-41T25:61:00Z',
  '\u0000<b>&amp;"',
  [],
  {},
  [[[]]],
];

/** Placeholder of a value that is nested deeper than JSON.stringify can write. */
export const DEEP = '@deep';
const DEPTH = 20_000;

/** A tree as JSON. */
export function writeSpoilt(tree: unknown): string {
  return JSON.stringify(tree).replaceAll(`"${DEEP}"`, '['.repeat(DEPTH) + ']'.repeat(DEPTH));
}

/** A copy of a tree with one to three members removed, duplicated, of another type, or nested deep. */
export function mutateTree<Tree>(tree: Tree, random: Random): Tree {
  const copy = structuredClone(tree);
  const changes = 1 + Math.floor(random() * 3);
  for (let i = 0; i < changes; i++) {
    const members = listMembers(copy);
    if (members.length > 0) mutateMember(pick(random, members), random);
  }
  return copy;
}

interface Member {
  readonly parent: Record<string, unknown> | unknown[];
  readonly key: string;
}

function listMembers(tree: unknown): Member[] {
  if (tree === null || typeof tree !== 'object') return [];
  const parent = tree as Member['parent'];
  return Object.keys(parent).flatMap((key) => [
    { parent, key },
    ...listMembers((parent as Record<string, unknown>)[key]),
  ]);
}

function mutateMember({ parent, key }: Member, random: Random): void {
  const members = parent as Record<string, unknown>;
  const kind = Math.floor(random() * 8);
  if (kind === 0) {
    if (Array.isArray(parent)) parent.splice(Number(key), 1);
    else delete members[key];
  } else if (kind === 1) {
    if (Array.isArray(parent)) parent.push(structuredClone(parent[Number(key)]));
    else members[key] = [members[key], members[key]];
  } else if (kind === 2) members[key] = DEEP;
  else if (kind === 3) members[pick(random, Object.keys(members))] = structuredClone(members[key]);
  else members[key] = structuredClone(pick(random, oddValues));
}

// ---- XML ----------------------------------------------------------------------------------------

/** Removes, duplicates, nests or renames an element, or replaces its text. */
export function mutateXml(text: string, random: Random): string {
  const elements = [...text.matchAll(/<([\w:]+)(?:\s[^>]*)?>([^<]*)<\/\1>/g)];
  const { index, 0: whole, 1: name, 2: content } = pick(random, elements);
  const replace = (by: string) => text.slice(0, index) + by + text.slice(index + whole.length);
  const kind = Math.floor(random() * 8);
  if (kind === 0) return replace('');
  if (kind === 1) return replace(whole + whole);
  if (kind === 2) return replace(`<${name}>`.repeat(3000) + content + `</${name}>`.repeat(3000));
  if (kind === 3) return replace(whole.replaceAll(name!, pick(random, elements)[1]!));
  if (kind === 4) return replace(pick(random, elements)[0]);
  const odd = pick(
    random,
    oddValues.filter((value) => typeof value !== 'object'),
  );
  return replace(`<${name}>${String(odd)}</${name}>`);
}
