import { useEffect, useState } from 'preact/hooks';
import { nowMilliseconds } from './server-clock.ts';

/** Returns the time of the service in milliseconds since 1970, and rerenders every `seconds` while the page is visible. */
export function useNow(seconds: number): number {
  const [, setCount] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => document.hidden || setCount((count) => count + 1), seconds * 1000);
    return () => clearInterval(timer);
  }, [seconds]);
  return nowMilliseconds();
}
