import { useState } from 'preact/hooks';
import { texts } from './page-texts.ts';

/** Four decimals: about eleven metres, which is the accuracy of phones. */
const COORDINATE_DIGITS = 4;
const TIMEOUT_MILLISECONDS = 15_000;

interface HereButtonProps {
  /** Receives the position as `lat,lon`. */
  readonly onLocate: (place: string) => void;
}

/** Fills a field with the user's position; absent if the browser has no geolocation. */
export function HereButton({ onLocate }: HereButtonProps) {
  const [message, setMessage] = useState('');
  if (!('geolocation' in navigator)) return null;
  const locate = () => {
    setMessage(texts.form.locating);
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => {
        setMessage('');
        onLocate([coords.latitude, coords.longitude].map((degrees) => degrees.toFixed(COORDINATE_DIGITS)).join());
      },
      () => setMessage(texts.form.notLocated),
      { timeout: TIMEOUT_MILLISECONDS },
    );
  };
  return (
    <>
      <button class="here" type="button" onClick={locate}>
        {texts.form.here}
      </button>
      <span class="here-state" role="status">
        {message}
      </span>
    </>
  );
}
