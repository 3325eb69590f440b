import { expect, test } from 'vitest';
import { clientNetwork } from '../../../api/plugins/admission.ts';

test.each([
  ['192.0.2.17', '192.0.2.17'],
  ['::ffff:192.0.2.17', '192.0.2.17'],
  ['::FFFF:192.0.2.17', '192.0.2.17'],
  ['0:0:0:0:0:ffff:192.0.2.17', '192.0.2.17'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002:ffff::1', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['1::', '1:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['64:ff9b::192.0.2.33', '64:ff9b:0:0::/64'],
  ['1:2:3:4:5:6:7', '1:2:3:4:5:6:7'],
  ['1::2::3', '1::2::3'],
  ['no address', 'no address'],
  ['', ''],
])('%s belongs to %s', (address, network) => {
  expect(clientNetwork(address)).toBe(network);
});

test('cuts forged addresses', () => {
  expect(clientNetwork('x'.repeat(10_000))).toHaveLength(64);
});
