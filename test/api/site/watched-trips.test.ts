import { readFile } from 'node:fs/promises';
import vm from 'node:vm';
import { beforeEach, describe, expect, test } from 'vitest';
import { projectPath } from '../../../pipeline/effects/project-files.ts';

type Listener = (event: object) => void;

interface ShownPage {
  readonly url: string;
  focus(): string;
}

const program = await readFile(projectPath('api/site/service-worker.mjs'), 'utf8');
const watched = { title: 'Anger → Kirche 08:00', address: '/trips?from=at%3Aa&to=at%3Ak&legs=r' };
const stored = new Map([['/watched-trips/w1', JSON.stringify(watched)]]);

let listeners: Map<string, Listener>;
let notifications: unknown[];
let opened: string[];
let pages: ShownPage[];

beforeEach(() => {
  listeners = new Map();
  notifications = [];
  opened = [];
  pages = [];
  const self = {
    location: { origin: 'https://taktgeber.example' },
    addEventListener: (name: string, listener: Listener) => listeners.set(name, listener),
    registration: { showNotification: async (title: string, options: object) => notifications.push([title, options]) },
    clients: {
      claim: async () => {},
      matchAll: async () => pages,
      openWindow: async (url: string) => opened.push(url),
    },
  };
  const match = async (path: string) => {
    const text = stored.get(path);
    return text === undefined ? undefined : { json: async () => JSON.parse(text) as unknown };
  };
  const names = ['watched-trips', 'former', 'now'];
  const caches = {
    open: async () => ({ match }),
    keys: async () => names,
    delete: async (name: string) => opened.push(`dropped ${name}`),
  };
  vm.runInNewContext(program, { self, caches, URL, release: { version: 'now', files: [] } });
});

/** Sends an event to the service worker, and waits for what it does. */
async function send(name: string, event: object): Promise<void> {
  let work: Promise<unknown> = Promise.resolve();
  const waitUntil = (promise: Promise<unknown>) => {
    work = promise;
  };
  listeners.get(name)!({ ...event, waitUntil });
  await work;
}

const push = (watchId: string) => {
  const event = { id: 'e1', kind: 'delay', text: 'S1 ist 7 Minuten verspätet.' };
  return send('push', { data: { json: () => ({ watchId, event }) } });
};
const tap = (address: string) => send('notificationclick', { notification: { close: () => {}, data: { address } } });

describe('the service worker', () => {
  test('shows the text of an event of a watched trip, once per event', async () => {
    await push('w1');
    const options = { body: 'S1 ist 7 Minuten verspätet.', tag: 'e1', data: { address: watched.address } };
    expect(notifications).toEqual([[watched.title, options]]);
  });

  test('shows an event of a trip that it does not know, since every push must be shown', async () => {
    await push('w2');
    expect(notifications).toEqual([['Taktgeber', expect.objectContaining({ data: { address: '/trips' } })]]);
  });

  test('opens the trip on a tap, or the page that shows it', async () => {
    await tap(watched.address);
    expect(opened).toEqual([`https://taktgeber.example${watched.address}`]);
    pages = [{ url: `https://taktgeber.example${watched.address}`, focus: () => opened.push('focused') as never }];
    await tap(watched.address);
    expect(opened.at(-1)).toBe('focused');
  });

  test('keeps the watched trips when a new release drops the files of the former one', async () => {
    await send('activate', {});
    expect(opened).toEqual(['dropped former']);
  });
});
