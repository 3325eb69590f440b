import { beforeAll, describe, expect, test } from 'vitest';
import type { PublishedMap } from '../../../pipeline/snapshots/network-map-files.ts';
import { publishedMap } from '../../pipeline/network-maps/published-map.ts';
import { openWorld, type World } from '../../support/worlds/board-world.ts';
import { town } from '../engine/live-town.ts';
import { openService } from '../service-app.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld(town);
});

async function open(url: string, maps: readonly PublishedMap[], { language = 'de', status = 200 } = {}) {
  const app = await openService(world, { overrides: { site: { examples: [], listNetworkMaps: () => maps } } });
  const answer = await app.inject({ url, headers: { 'accept-language': language } });
  expect(answer.statusCode).toBe(status);
  return answer.body;
}

const hostile = publishedMap('wien-tram', '<svg/>', {
  title: '<script>alert(1)</script>',
  attribution: '"><img onerror=x>',
});

describe('the pages of network maps', () => {
  test('state that there are none', async () => {
    expect(await open('/network-maps', [])).toContain('Es gibt noch keine Netzpläne.');
    expect(await open('/network-maps', [], { language: 'en' })).toContain('No map has been drawn yet.');
  });

  test('link each map to its page and file', async () => {
    const page = await open('/network-maps', [
      publishedMap('wien-tram', '<svg/>', { title: 'Wien: Straßenbahn', bytes: 123_456 }),
    ]);
    expect(page).toContain('href="/network-maps/wien-tram"');
    expect(page).toMatch(/<img src="\/network-maps\/files\/wien-tram-[0-9a-f]{16}\.svg"/);
    expect(page).toContain('Herunterladen (SVG, 120 kB)');
    expect(page).toContain('gültig ab 13. Dezember 2026');
  });

  test('show an image that can be zoomed, and a link for PDF', async () => {
    const pdf = publishedMap('own-netz', '%PDF-', { format: 'pdf', file: 'own-netz-0.pdf', title: 'Netz' });
    const page = await open('/network-maps/wien-tram', [hostile, pdf]);
    expect(page).toContain('id="map-view"');
    expect(await open('/network-maps/own-netz', [hostile, pdf])).toContain('href="/network-maps/files/own-netz-0.pdf"');
    expect(await open('/network-maps/other', [hostile], { status: 404 })).toContain('Diesen Netzplan gibt es nicht.');
  });

  test.each(['/network-maps', '/network-maps/wien-tram'])('escape names: %s', async (url) => {
    const page = await open(url, [hostile]);
    expect(page).not.toContain('<script>alert');
    expect(page).not.toContain('<img onerror');
  });
});
