// Caches the files of the site and the last board, so that it starts without a network, and shows events of watched trips. The service prepends `release`:
// the version of its files, and the files that a board needs.
const OFFLINE = '/offline';
/** Title and address of each watched trip, which the page of trips stores. */
const WATCHED = 'watched-trips';
const BOARD = /^\/stops\/[^/]+$/;
const KEPT = /^\/(?:site\/(?!data\/)|favicon\.svg$)/;

self.addEventListener('install', (event) => {
  event.waitUntil(keep([OFFLINE, '/favicon.svg', ...release.files]).then(() => self.skipWaiting()));
});

self.addEventListener('activate', (event) => {
  event.waitUntil(dropFormerReleases().then(() => self.clients.claim()));
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== self.location.origin) return;
  if (request.mode === 'navigate') event.respondWith(answerPage(request, pathname, event));
  else if (KEPT.test(pathname)) event.respondWith(answerFile(request, event));
});

self.addEventListener('push', (event) => {
  event.waitUntil(showEvent(event.data.json()));
});

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(openPage(event.notification.data.address));
});

/** Every push must show a notification. The tag replaces one that shows the same event. */
async function showEvent({ watchId, event }) {
  const cache = await caches.open(WATCHED);
  const known = await cache.match(`/${WATCHED}/${watchId}`);
  const { title, address } = known ? await known.json() : { title: 'Taktgeber', address: '/trips' };
  await self.registration.showNotification(title, { body: event.text, tag: event.id, data: { address } });
}

async function openPage(address) {
  const url = new URL(address, self.location.origin).href;
  const pages = await self.clients.matchAll({ type: 'window' });
  const shown = pages.find((page) => page.url === url);
  return shown ? shown.focus() : self.clients.openWindow(url);
}

async function keep(paths) {
  const cache = await caches.open(release.version);
  await cache.addAll(paths);
}

async function dropFormerReleases() {
  const names = await caches.keys();
  await Promise.all(
    names.filter((name) => name !== release.version && name !== WATCHED).map((name) => caches.delete(name)),
  );
}

/** Network first; without one the last board, or the offline page. */
async function answerPage(request, pathname, event) {
  try {
    const response = await fetch(request);
    if (response.ok && BOARD.test(pathname)) event.waitUntil(keepBoard(request, response.clone()));
    return response;
  } catch (error) {
    const cache = await caches.open(release.version);
    // Pages vary by language, which does not change within one browser.
    const known = await cache.match(request, { ignoreVary: true });
    if (known) return known;
    const board = pathname === '/' ? await findBoard(cache) : undefined;
    if (board) return Response.redirect(board.url);
    const offline = await cache.match(OFFLINE, { ignoreVary: true });
    if (offline) return offline;
    throw error;
  }
}

/** Only the board that was opened last is kept. */
async function keepBoard(request, response) {
  const cache = await caches.open(release.version);
  const former = await findBoard(cache);
  if (former && former.url !== request.url) await cache.delete(former, { ignoreVary: true });
  await cache.put(request, response);
}

async function findBoard(cache) {
  const requests = await cache.keys();
  return requests.find(({ url }) => BOARD.test(new URL(url).pathname));
}

/** File names contain a hash of the content, so a cached file is never out of date. */
async function answerFile(request, event) {
  const cache = await caches.open(release.version);
  const known = await cache.match(request);
  if (known) return known;
  const response = await fetch(request);
  if (response.ok) event.waitUntil(cache.put(request, response.clone()));
  return response;
}
