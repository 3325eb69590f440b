import { beforeAll, describe, expect, test } from 'vitest';
import { openWorld, type World } from '../../support/worlds/board-world.ts';
import { town } from '../engine/live-town.ts';
import { openService } from '../service-app.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld(town);
});

async function open(mapTiles: { readonly url: string; readonly attribution: string | null } | null) {
  const app = await openService(world, { overrides: { site: { examples: [], mapTiles } } });
  const { headers, body } = await app.inject({ url: '/map' });
  const other = await app.inject({ url: '/' });
  return {
    policy: String(headers['content-security-policy']),
    body,
    otherPolicy: String(other.headers['content-security-policy']),
  };
}

describe('the page /map', () => {
  test('requests no other server unless one is configured', async () => {
    const { policy, body } = await open(null);
    expect(policy).not.toContain('connect-src');
    expect(body).not.toContain('data-tiles');
  });

  test('requests and credits the configured tile server, unlike other pages', async () => {
    const { policy, body, otherPolicy } = await open({
      url: 'https://tiles.example.org/{z}/{x}/{y}.png',
      attribution: '© A & <b>',
    });
    expect(policy).toContain("connect-src 'self' https://tiles.example.org");
    expect(body).toContain('data-tiles="https://tiles.example.org/{z}/{x}/{y}.png"');
    expect(body).toContain('© A &amp; &lt;b&gt;');
    expect(otherPolicy).not.toContain('tiles.example.org');
  });
});
