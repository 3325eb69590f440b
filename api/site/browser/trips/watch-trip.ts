import { listLegRefs } from '../../../contract/leg-refs.ts';
import type { Trip } from '../../../contract/v2-trip.ts';
import type { WatchState } from '../../../contract/v2-watch.ts';
import { listLegItems } from '../../view-model/leg-items.ts';
import { describeTripTitle } from '../../view-model/trip-title.ts';
import { TRY_DATA } from '../../view-model/try-path.ts';
import { fetchJson } from '../fetch/fetch-json.ts';
import { pageLanguage } from '../page/language.ts';

/** Name of the storage of ids, and of the cache from which the service worker reads title and address of a trip. */
const WATCHED = 'watched-trips';
const MAX_WATCHED = 20;

interface WatchedTrip {
  /** Identifies the trip by its rides. */
  readonly legs: string;
  readonly watchId: string;
}

/** Whether the browser has web push; over HTTP only on this machine. */
export function canWatch(): boolean {
  return 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;
}

/** Id of the watch of a trip in this browser; `null` if it is not watched. */
export function findWatch(legs: string): string | null {
  return readWatched().find((one) => one.legs === legs)?.watchId ?? null;
}

/**
 * Asks for permission, subscribes, and watches the trip.
 * @param key public key of the service
 * @returns id of the watch
 * @throws ApiError, or a DOMException of the browser: `NotAllowedError` without permission
 */
export async function watchTrip(trip: Trip, key: string): Promise<string> {
  if ((await Notification.requestPermission()) !== 'granted') throw new DOMException('not granted', 'NotAllowedError');
  const subscription = await subscribe(key);
  const legs = listLegRefs(trip);
  const { answer } = await fetchJson<WatchState>(`${TRY_DATA}/trips/watch`, {
    body: { legs, language: pageLanguage(), delivery: { kind: 'webPush', subscription } },
  });
  const cache = await caches.open(WATCHED);
  const page = { title: describeTripTitle(trip), address: location.pathname + location.search };
  await cache.put(cachePath(answer.watchId), new Response(JSON.stringify(page)));
  writeWatched([{ legs: listLegItems(legs), watchId: answer.watchId }, ...readWatched()]);
  return answer.watchId;
}

/** @throws ApiError */
export async function endWatch(watchId: string): Promise<void> {
  await fetchJson(`${TRY_DATA}/trips/unwatch`, { body: { watchId } });
  await (await caches.open(WATCHED)).delete(cachePath(watchId));
  writeWatched(readWatched().filter((one) => one.watchId !== watchId));
}

/** Subscribes, also after the key of the service has changed. */
async function subscribe(key: string): Promise<object> {
  const { pushManager } = await navigator.serviceWorker.ready;
  const options = { userVisibleOnly: true, applicationServerKey: key };
  const subscription = await pushManager.subscribe(options).catch(async (error: unknown) => {
    if (!(error instanceof DOMException && error.name === 'InvalidStateError')) throw error;
    await (await pushManager.getSubscription())?.unsubscribe();
    return pushManager.subscribe(options);
  });
  const { endpoint, keys } = subscription.toJSON();
  return { endpoint, keys: { p256dh: keys?.p256dh, auth: keys?.auth } };
}

function cachePath(watchId: string): string {
  return `/${WATCHED}/${watchId}`;
}

function readWatched(): readonly WatchedTrip[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(WATCHED) ?? '[]');
    return Array.isArray(stored) ? (stored as readonly WatchedTrip[]) : [];
  } catch {
    return [];
  }
}

/** Without storage a trip is watched, but the button does not show it after the page is loaded again. */
function writeWatched(trips: readonly WatchedTrip[]): void {
  try {
    localStorage.setItem(WATCHED, JSON.stringify(trips.slice(0, MAX_WATCHED)));
  } catch {
    // Full, or disabled.
  }
}
