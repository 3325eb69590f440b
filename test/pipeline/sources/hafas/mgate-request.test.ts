import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { parseTimestamp } from '../../../../pipeline/model/service-time.ts';
import { vaoProfile } from '../../../../pipeline/sources/hafas/create-hafas-source.ts';
import type { HafasProfileData } from '../../../../pipeline/sources/hafas/load-profile.ts';
import { loadHafasProfile } from '../../../../pipeline/sources/hafas/load-profile.ts';
import { buildMgateRequest, type Md5, type MgateCall } from '../../../../pipeline/sources/hafas/mgate-request.ts';

const md5: Md5 = (bytes) => createHash('md5').update(bytes).digest('hex');
const now = parseTimestamp('2025-05-20T17:00:00+02:00')!;
const own = { ...vaoProfile, auth: { type: 'AID', aid: 'of-the-test' }, salt: '73616c7a' };

/** The requests of hafas-client itself, made through its own interface; the fake response is unreadable. */
async function requestWithHafasClient(
  data: Partial<HafasProfileData>,
  send: (client: Record<string, (...args: unknown[]) => Promise<unknown>>) => Promise<unknown>,
): Promise<{ query: string; body: unknown }> {
  // Its network code fails to load if a proxy is set.
  for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'LOCAL_ADDRESS']) vi.stubEnv(name, '');
  const { createClient } = await import(`${'hafas-client'}`);
  const received: { query: string; body: unknown }[] = [];
  const server = createServer(async (request, response) => {
    received.push({ query: request.url!.slice(2), body: JSON.parse(await text(request)) });
    response.writeHead(503).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    // It brings an agent that supports only https.
    const transformReq = (_ctx: unknown, request: object) => ({ ...request, agent: undefined });
    const profile = { ...data, endpoint, transformReq, trip: true, radar: true, remarksGetPolyline: false };
    await send(createClient(profile, 'taktgeber test')).catch(() => undefined);
  } finally {
    server.closeAllConnections();
    server.close();
  }
  return received[0]!;
}

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('a request as a value', () => {
  const when = new Date(now * 1000);
  const board: MgateCall = { method: 'StationBoard', type: 'DEP', stopId: '490134900', from: now, durationMinutes: 45 };

  it.each<[string, MgateCall, Parameters<typeof requestWithHafasClient>[1]]>([
    ['departures', board, (client) => client.departures!('490134900', { when, duration: 45 })],
    ['arrivals', { ...board, type: 'ARR' }, (client) => client.arrivals!('490134900', { when, duration: 45 })],
    [
      'a trip',
      { method: 'JourneyDetails', jid: '1|101|0|81|20052025' },
      (client) => client.trip!('1|101|0|81|20052025', {}),
    ],
    [
      'vehicles',
      { method: 'JourneyGeoPos', box: { south: 48.1, west: 16.2, north: 48.3, east: 16.5 }, at: now, maxVehicles: 50 },
      (client) => client.radar!({ south: 48.1, west: 16.2, north: 48.3, east: 16.5 }, { when, results: 50, frames: 1 }),
    ],
    [
      'messages',
      { method: 'HimSearch', from: now, maxMessages: 20 },
      (client) => client.remarks!({ from: when, results: 20 }),
    ],
    ['the server', { method: 'ServerInfo' }, (client) => client.serverInfo!({})],
  ])('for %s equals that of hafas-client', async (_name, call, send) => {
    const profile = await loadHafasProfile(null, { ...own, endpoint: 'https://hafas.example.org/mgate.exe' });
    const { url, body } = buildMgateRequest(profile, call, md5);
    expect(url).toBe('https://hafas.example.org/mgate.exe');
    expect(JSON.parse(body)).toEqual((await requestWithHafasClient(own, send)).body);
  });

  it.each<[string, Partial<HafasProfileData>]>([
    ['a checksum', { addChecksum: true }],
    ['mic and mac', { addMicMac: true }],
    ['a salt of bytes', { addMicMac: true, salt: Buffer.from('Salz') }],
  ])('is signed as by hafas-client: %s', async (_name, signing) => {
    const profile = await loadHafasProfile(null, { ...own, ...signing, endpoint: 'https://hafas.example.org/x' });
    const { url } = buildMgateRequest(profile, { method: 'ServerInfo' }, md5);
    const { query } = await requestWithHafasClient({ ...own, ...signing }, (client) => client.serverInfo!({}));
    expect(query).not.toBe('');
    expect(url.split('?')[1]).toBe(query.replace(/^\?/, ''));
  });

  it("contains the endpoint's local time, also on days with a clock change", async () => {
    const profile = await loadHafasProfile(null, { ...own, endpoint: 'https://hafas.example.org/x' });
    const from = parseTimestamp('2025-10-26T02:30:00+01:00')!;
    const { svcReqL } = JSON.parse(buildMgateRequest(profile, { ...board, from }, md5).body);
    expect(svcReqL[0].req).toMatchObject({ date: '20251026', time: '023000', dur: 45 });
  });
});
