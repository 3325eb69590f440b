import { useEffect, useState } from 'preact/hooks';
import { texts } from './page-texts.ts';

/** The address of this state for somebody else, and the trip on paper. */
export function ShareButtons() {
  const [told, setTold] = useState('');
  useEffect(openAllForPrint, []);
  const share = async () => {
    try {
      if (navigator.share) await navigator.share({ title: document.title, url: location.href });
      else {
        await navigator.clipboard.writeText(location.href);
        setTold(texts.trip.copied);
      }
    } catch (error) {
      // Whoever closes the dialog of the system does not want to share.
      if (!(error instanceof DOMException && error.name === 'AbortError')) setTold(texts.trip.notCopied);
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
      <span role="status">{told}</span>
    </p>
  );
}

/** On paper nothing can be opened: all details of the chosen trip are, and are closed again afterwards. */
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
