import { describe, expect, test } from 'vitest';
import { isLoopbackAddress, isPublicAddress } from '../../../pipeline/effects/public-addresses.ts';

describe('accepts as public', () => {
  test.each([
    '1.1.1.1',
    '9.255.255.255',
    '11.0.0.0',
    '64.233.184.188',
    '100.63.255.255',
    '100.128.0.0',
    '128.0.0.0',
    '169.253.255.255',
    '172.15.255.255',
    '172.32.0.0',
    '192.0.1.0',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '2001:200::1',
    '2003::1',
    '2606:4700:4700::1111',
    '2a00:1450:4001:81b::200a',
    '3ffe:ffff::1',
  ])('%s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});

describe('rejects as not public', () => {
  test.each([
    ['this network', '0.0.0.0'],
    ['this network', '0.255.255.255'],
    ['private', '10.0.0.0'],
    ['private', '10.255.255.255'],
    ['of a carrier', '100.64.0.0'],
    ['of a carrier', '100.127.255.255'],
    ['loopback', '127.0.0.1'],
    ['loopback', '127.255.255.255'],
    ['of one link, metadata of a cloud', '169.254.169.254'],
    ['private', '172.16.0.0'],
    ['private', '172.31.255.255'],
    ['of protocols', '192.0.0.8'],
    ['of documentation', '192.0.2.1'],
    ['a relay to IPv6', '192.88.99.1'],
    ['private', '192.168.0.1'],
    ['of benchmarks', '198.18.0.0'],
    ['of benchmarks', '198.19.255.255'],
    ['of documentation', '198.51.100.7'],
    ['of documentation', '203.0.113.7'],
    ['multicast', '224.0.0.1'],
    ['multicast', '239.255.255.255'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['unspecified', '::'],
    ['loopback', '::1'],
    ['an IPv4-compatible address', '::7f00:1'],
    ['a mapped one', '::ffff:127.0.0.1'],
    ['a mapped one', '::ffff:a00:1'],
    ['a mapped one that is public', '::ffff:1.1.1.1'],
    ['a translated one', '64:ff9b::a00:1'],
    ['a translated one', '64:ff9b::1.1.1.1'],
    ['a translated one, local', '64:ff9b:1::1'],
    ['discarded', '100::1'],
    ['Teredo', '2001::1'],
    ['of benchmarks', '2001:2::1'],
    ['of a hash', '2001:20::1'],
    ['of documentation', '2001:db8::1'],
    ['6to4', '2002:7f00:1::1'],
    ['of documentation', '3fff::1'],
    ['of segment routing', '5f00::1'],
    ['local', 'fc00::1'],
    ['local', 'fdff:ffff::1'],
    ['of one link', 'fe80::1'],
    ['of one link, with its zone', 'fe80::1%eth0'],
    ['public, with a zone', '2a00:1450::1%eth0'],
    ['of one site', 'fec0::1'],
    ['multicast', 'ff02::1'],
    ['none', 'localhost'],
    ['none', ''],
    ['none', '1.1.1'],
  ])('%s: %s', (_what, address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

test.each([
  ['127.0.0.1', true],
  ['127.8.8.8', true],
  ['::1', true],
  ['::ffff:127.0.0.1', false],
  ['128.0.0.1', false],
  ['10.0.0.1', false],
  ['127.example.org', false],
  ['', false],
])('is %s an address of this machine: %s', (address, expected) => {
  expect(isLoopbackAddress(address)).toBe(expected);
});
