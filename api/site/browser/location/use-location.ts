import { useState } from 'preact/hooks';
import type { Coord } from '../../../contract/v2-basics.ts';
import { locationTexts } from '../../texts/location.ts';
import { pageLanguage } from '../page/language.ts';

/** Four decimals: about eleven metres, which is the accuracy of phones and no more than a shared link should say. */
const COORDINATE_DIGITS = 4;
const TIMEOUT_MILLISECONDS = 15_000;

interface Location {
  /** What the user should know about the request; empty before it and after success. */
  readonly message: string;
  readonly hasFailed: boolean;
  locate(): void;
}

/** Requests the position of the user from the browser. @returns null if the browser has no geolocation */
export function useLocation(onLocate: (position: Coord) => void): Location | null {
  const { locating, notLocated } = locationTexts[pageLanguage()];
  const [state, setState] = useState<'idle' | 'locating' | 'failed'>('idle');
  if (!('geolocation' in navigator)) return null;
  const locate = () => {
    setState('locating');
    navigator.geolocation.getCurrentPosition(
      ({ coords: { latitude, longitude } }) => {
        setState('idle');
        onLocate({ lat: roundDegrees(latitude), lon: roundDegrees(longitude) });
      },
      () => setState('failed'),
      { timeout: TIMEOUT_MILLISECONDS },
    );
  };
  const messages = { idle: '', locating, failed: notLocated };
  return { message: messages[state], hasFailed: state === 'failed', locate };
}

function roundDegrees(degrees: number): number {
  return Number(degrees.toFixed(COORDINATE_DIGITS));
}
