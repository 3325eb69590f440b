import { promises as dns, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';

/** All addresses of a host name. @throws the system error of the resolver */
export type ResolveHost = (hostname: string) => Promise<readonly LookupAddress[]>;

export const resolveBySystem: ResolveHost = (hostname) => dns.lookup(hostname, { all: true });

/**
 * Resolves a name once for all concurrent requests: the system resolves in the few threads that also read the
 * disk, and pushes go to few hosts.
 */
export function shareLookups(resolve: ResolveHost): ResolveHost {
  const underWay = new Map<string, ReturnType<ResolveHost>>();
  return (hostname) => {
    const known = underWay.get(hostname);
    if (known) return known;
    const lookup = resolve(hostname).finally(() => underWay.delete(hostname));
    underWay.set(hostname, lookup);
    return lookup;
  };
}

/**
 * The resolution of a connection: a name is resolved once, and the connection is made to an address that was checked, so
 * that a second answer of the resolver cannot lead elsewhere. TLS still verifies the name.
 * @param refuse error of a host without any allowed address
 */
export function pinLookup(
  resolve: ResolveHost,
  isAllowed: (address: string) => boolean,
  refuse: (hostname: string) => Error,
): LookupFunction {
  return (hostname, { all }, callback) => {
    const answer = (found: readonly LookupAddress[]) => {
      const allowed = found.filter(({ address }) => isAllowed(address));
      const [first] = allowed;
      if (!first) callback(refuse(hostname), '');
      else if (all) callback(null, allowed);
      else callback(null, first.address, first.family);
    };
    resolve(hostname).then(answer, (error) => callback(error, ''));
  };
}
