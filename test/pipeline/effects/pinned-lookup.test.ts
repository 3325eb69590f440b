import { expect, test } from 'vitest';
import { ExternalError } from '../../../pipeline/effects/external-error.ts';
import { pinLookup, shareLookups } from '../../../pipeline/effects/pinned-lookup.ts';
import { isPublicAddress } from '../../../pipeline/effects/public-addresses.ts';
import { resolvingTo } from '../../api/push/push-cases.ts';

const refuse = (hostname: string) => new ExternalError('address_refused', `${hostname} is refused`);

/** What Node's sockets receive for a name. */
function lookUp(addresses: readonly string[], all: boolean): Promise<readonly unknown[]> {
  const lookup = pinLookup(resolvingTo(...addresses), isPublicAddress, refuse);
  return new Promise((resolve, reject) => {
    lookup('push.example.org', { all }, (error, ...found) => (error ? reject(error) : resolve(found)));
  });
}

test('keeps only public addresses of a name', async () => {
  const addresses = ['10.0.0.1', '2a00::1', '127.0.0.1', '1.1.1.1'];
  expect(await lookUp(addresses, true)).toEqual([
    [
      { address: '2a00::1', family: 6 },
      { address: '1.1.1.1', family: 4 },
    ],
  ]);
  expect(await lookUp(addresses, false)).toEqual(['2a00::1', 6]);
});

test.each([[[]], [['10.0.0.1', '::1']]])('keeps none of %j', async (addresses) => {
  for (const all of [true, false]) {
    await expect(lookUp(addresses, all)).rejects.toMatchObject({ code: 'address_refused' });
  }
});

test('resolves a name once for concurrent requests, and again later', async () => {
  const requested: string[] = [];
  const resolve = shareLookups(async (name) => {
    requested.push(name);
    if (name === 'b') throw new Error('no such name');
    return [{ address: '1.1.1.1', family: 4 }];
  });
  const answers = await Promise.allSettled(['a', 'b', 'a', 'b'].map(resolve));
  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected']);
  expect(requested).toEqual(['a', 'b']);
  await resolve('a');
  expect(requested).toEqual(['a', 'b', 'a']);
});
