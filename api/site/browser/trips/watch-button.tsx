import { useState } from 'preact/hooks';
import { listLegRefs } from '../../../contract/leg-refs.ts';
import type { Trip } from '../../../contract/v2-trip.ts';
import { listLegItems } from '../../view-model/leg-items.ts';
import { ApiError } from '../fetch/fetch-json.ts';
import { findPlace } from '../page/mount.ts';
import { describeFailure, texts } from './page-texts.ts';
import { canWatch, endWatch, findWatch, watchTrip } from './watch-trip.ts';

/** Watches the trip by web push; nothing where browser or service cannot. */
export function WatchButton({ trip }: { readonly trip: Trip }) {
  const key = findPlace('trips').dataset.pushKey ?? '';
  const legs = listLegItems(listLegRefs(trip));
  const [watchId, setWatchId] = useState(() => findWatch(legs));
  const [isBusy, setBusy] = useState(false);
  const [message, setMessage] = useState('');
  if (key === '' || !canWatch()) return null;
  const toggle = async () => {
    setBusy(true);
    setMessage('');
    try {
      if (watchId === null) {
        setWatchId(await watchTrip(trip, key));
      } else {
        await endWatch(watchId);
        setWatchId(null);
      }
    } catch (error) {
      setMessage(explain(error));
    }
    setBusy(false);
  };
  return (
    <p class="watch">
      <button type="button" disabled={isBusy} onClick={() => void toggle()}>
        {watchId === null ? texts.trip.watch.start : texts.trip.watch.stop}
      </button>
      <span role="status">{message || (watchId === null ? '' : texts.trip.watch.on)}</span>
    </p>
  );
}

function explain(error: unknown): string {
  if (error instanceof ApiError) return describeFailure(error.code);
  const isDenied = error instanceof DOMException && error.name === 'NotAllowedError';
  return isDenied ? texts.trip.watch.denied : texts.trip.watch.failed;
}
