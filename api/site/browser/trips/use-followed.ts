import { useRef } from 'preact/hooks';
import { type Polled, usePolled } from '../live/use-polled.ts';

/** `usePolled` that a reader can pause; the last answer then stays. */
export function useFollowed<Answer>(path: string | null, seconds: number, isPaused: boolean): Polled<Answer> {
  const polled = usePolled<Answer>(isPaused ? null : path, seconds);
  const last = useRef({ path, polled });
  if (!isPaused) last.current = { path, polled };
  return last.current.path === path ? last.current.polled : polled;
}
