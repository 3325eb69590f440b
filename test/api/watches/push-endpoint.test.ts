import { describe, expect, test } from 'vitest';
import { allowEndpoints } from '../../../api/watches/push-endpoint.ts';

const pushHosts = 'push.example.org, *.push.example.net';

describe('push endpoints', () => {
  test.each([
    ['https://push.example.org/abc', true],
    ['https://push.example.org:443/abc', true],
    ['https://PUSH.example.org/abc', true],
    ['https://a.push.example.net/abc', true],
    ['https://b.a.push.example.net/abc', true],
    ['https://push.example.net/abc', false],
    ['https://evilpush.example.org/abc', false],
    ['https://push.example.org.evil.example/abc', false],
    ['https://push.example.org:8443/abc', false],
    ['https://user@push.example.org/abc', false],
    ['https://push.example.org@evil.example/abc', false],
    ['http://push.example.org/abc', false],
    ['ftp://push.example.org/abc', false],
    ['https://10.0.0.1/abc', false],
    ['push.example.org', false],
    ['', false],
  ])('%s: %s', (endpoint, expected) => {
    for (const allowLoopbackPushes of [false, true]) {
      expect(allowEndpoints({ pushHosts, allowLoopbackPushes })(endpoint)).toBe(expected);
    }
  });
});

describe('also allow this machine in a test, and no other', () => {
  test.each([
    ['http://127.0.0.1:4711/abc', true],
    ['http://127.1:80/abc', true],
    ['http://[::1]:4711/abc', true],
    ['http://localhost:4711/abc', true],
    ['https://127.0.0.1:4711/abc', false],
    ['http://user@127.0.0.1/abc', false],
    ['http://127.0.0.1.example.org/abc', false],
    ['http://localhost.example.org/abc', false],
    ['http://0.0.0.0/abc', false],
    ['http://[::ffff:127.0.0.1]/abc', false],
    ['http://10.0.0.1/abc', false],
    ['http://169.254.169.254/abc', false],
  ])('%s: %s', (endpoint, expected) => {
    expect(allowEndpoints({ pushHosts, allowLoopbackPushes: true })(endpoint)).toBe(expected);
    expect(allowEndpoints({ pushHosts, allowLoopbackPushes: false })(endpoint)).toBe(false);
  });
});
