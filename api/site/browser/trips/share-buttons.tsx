import { useEffect, useState } from 'preact/hooks';
import { texts } from './page-texts.ts';

/** Buttons that share the URL of this state and print the trip. */
export function ShareButtons() {
  const [message, setMessage] = useState('');
  useEffect(openAllForPrint, []);
  const share = async () => {
    try {
      if (navigator.share) await navigator.share({ title: document.title, url: location.href });
      else {
        await navigator.clipboard.writeText(location.href);
        setMessage(texts.trip.copied);
      }
    } catch (error) {
      // Closing the system dialog is not an error.
      if (!(error instanceof DOMException && error.name === 'AbortError')) setMessage(texts.trip.notCopied);
    }
  };
  return (
    <p class="share">
      <button type="button" onClick={share}>
        {texts.trip.share}
      </button>
      <button type="button" onClick={() => print()}>
        {texts.trip.print}
      </button>
      <span role="status">{message}</span>
    </p>
  );
}

/** Expands all details of the chosen trip for printing, and collapses them afterwards. */
function openAllForPrint(): () => void {
  let opened: readonly HTMLDetailsElement[] = [];
  const open = () => {
    opened = [...document.querySelectorAll<HTMLDetailsElement>('.chosen details:not([open])')];
    for (const one of opened) one.open = true;
  };
  const close = () => {
    for (const one of opened) one.open = false;
  };
  addEventListener('beforeprint', open);
  addEventListener('afterprint', close);
  return () => {
    removeEventListener('beforeprint', open);
    removeEventListener('afterprint', close);
  };
}
