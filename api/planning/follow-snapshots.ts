import type { Published } from '../engine/realtime.ts';
import type { SnapshotHolder } from '../plugins/route-handler.ts';
import type { Planning } from './planning.ts';

/** Of memory, so that it costs nothing. */
const LOOK_MILLISECONDS = 250;

/**
 * Hands planning each new pair soon after it is served.
 * @returns once it is ready for the present one; `stop` ends the looking
 */
export async function followSnapshots(
  planning: Planning,
  snapshots: SnapshotHolder<Published>,
): Promise<{ stop(): void }> {
  await planning.follow(snapshots.current());
  const timer = setInterval(() => void planning.follow(snapshots.current()), LOOK_MILLISECONDS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
