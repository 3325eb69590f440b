import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import type { Http, HttpRequest } from '../../../pipeline/effects/http.ts';
import { toSourceId } from '../../../pipeline/model/ids.ts';
import { type FetchSettings, fetchFeed } from '../../../pipeline/timetable/feed/fetch-feed.ts';
import { readFolderState } from '../../support/checks/folder-state.ts';
import { offlineHttp, silentLog, testSettings } from '../../support/worlds/ingest.ts';

export const id = toSourceId('test');
const limits = { ...testSettings, maxDownloadBytes: 1_000_000, downloadTimeoutSeconds: 30 };
export const NOW = '2026-03-01T23:30:00Z';

export function fetch(
  dataDir: string,
  location: string,
  more: {
    http?: Http;
    now?: string;
    headers?: Record<string, string>;
    isForced?: boolean;
    settings?: Partial<FetchSettings>;
    warn?: (sentence: string) => void;
  } = {},
) {
  const { http = offlineHttp, now = NOW, headers, isForced = false, warn = silentLog.warn } = more;
  const effects = { clock: fixedClock(now), http, log: { ...silentLog, warn } };
  const source = { id, location, ...(headers ? { headers } : {}) };
  return fetchFeed(source, dataDir, { ...limits, ...more.settings }, effects, { isForced });
}

/** All files except the record of the server's responses. */
export async function readStored(dataDir: string) {
  return new Map([...(await readFolderState(dataDir))].filter(([file]) => !file.startsWith('state/feeds')));
}

/** A server that responds in turn, and records its requests. */
export function fakeServer(answers: readonly { body: Uint8Array | null; headers?: Record<string, string> }[]) {
  const requests: HttpRequest[] = [];
  const http: Http = async (request) => {
    const { body, headers = {} } = answers[requests.length]!;
    requests.push(request);
    return {
      status: body ? 200 : 304,
      headers: new Headers(headers),
      body:
        body &&
        (async function* () {
          for (let at = 0; at < body.length; at += 100) yield body.subarray(at, at + 100);
        })(),
    };
  };
  return { http, requests };
}

/** @returns the origin of a server of this process */
export async function listen(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
