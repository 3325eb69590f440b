/** Longer than any address with a zone; anything beyond came out of a forged header. */
const MAX_ADDRESS_CHARACTERS = 64;

/**
 * The part of a client's address that one customer holds: an IPv4 address, or the /64 that a line is given in IPv6.
 * An IPv4 address wrapped in IPv6 counts as IPv4. What is no address at all is taken as it stands.
 */
export function clientNetwork(address: string): string {
  const bare = address.slice(0, MAX_ADDRESS_CHARACTERS).toLowerCase().replace(/%.*$/, '');
  if (!bare.includes(':')) return bare;
  const mapped = /^(?:0{0,4}:){0,5}:?(?:ffff:)(\d+\.\d+\.\d+\.\d+)$/.exec(bare);
  if (mapped) return mapped[1]!;
  const groups = expandGroups(bare);
  return groups ? `${groups.slice(0, 4).join(':')}::/64` : bare;
}

/** The eight groups of an IPv6 address without leading zeros; null when it is not one. */
function expandGroups(address: string): string[] | null {
  const [head, tail, ...more] = address.split('::');
  if (more.length > 0) return null;
  const left = splitGroups(head!);
  const right = tail === undefined ? [] : splitGroups(tail);
  const missing = 8 - left.length - right.length;
  if (tail === undefined ? missing !== 0 : missing < 1) return null;
  const groups = [...left, ...Array<string>(missing).fill('0'), ...right];
  return groups.every((group) => /^[0-9a-f]{1,4}$/.test(group)) ? groups.map((g) => g.replace(/^0+(?=.)/, '')) : null;
}

/** A dotted last part (`64:ff9b::192.0.2.1`) stands for two groups, which lie outside of the /64. */
function splitGroups(text: string): string[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => (group.includes('.') ? ['0', '0'] : [group]));
}
