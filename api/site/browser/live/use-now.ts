import { useEffect, useState } from 'preact/hooks';
import { nowMilliseconds } from './server-clock.ts';

/** The service's time, in milliseconds since 1970; the component is drawn again every `seconds` while it is seen. */
export function useNow(seconds: number): number {
  const [, setCount] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => document.hidden || setCount((count) => count + 1), seconds * 1000);
    return () => clearInterval(timer);
  }, [seconds]);
  return nowMilliseconds();
}
