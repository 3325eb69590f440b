import { BlockList, isIP } from 'node:net';

/**
 * Blocks of IPv4 that are not of the public network, or lead somewhere else than they say.
 * @see IANA IPv4 Special-Purpose Address Registry
 */
const special4: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/**
 * Blocks inside of 2000::/3 that are not of the public network, or carry an IPv4 address (6to4, Teredo). All other
 * special blocks of IPv6, those of mapped and translated IPv4 addresses included, are outside of it.
 * @see IANA IPv6 Special-Purpose Address Registry
 */
const special6: readonly (readonly [network: string, prefix: number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

const special = new BlockList();
for (const [network, prefix] of special4) special.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of special6) special.addSubnet(network, prefix, 'ipv6');

const globalUnicast6 = new BlockList();
globalUnicast6.addSubnet('2000::', 3, 'ipv6');

/** @returns false also if it is not an address */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !special.check(address, 'ipv4');
    case 6:
      // A zone, as in `fe80::1%eth0`, belongs to addresses of one link.
      return !address.includes('%') && globalUnicast6.check(address, 'ipv6') && !special.check(address, 'ipv6');
    default:
      return false;
  }
}

/** @returns false also if it is not an address, and for an IPv4 address in the form of IPv6 */
export function isLoopbackAddress(address: string): boolean {
  return address === '::1' || (isIP(address) === 4 && address.startsWith('127.'));
}
