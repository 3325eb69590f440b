import type { HttpAnswer } from '../../pipeline/effects/http.ts';

/** Seconds that a check waits for an answer. */
export const PATIENCE_SECONDS = 20;

/** Reads no further than the first bytes: leaving the loop ends the transfer. */
export async function beginsAsZip({ body }: HttpAnswer): Promise<boolean> {
  for await (const chunk of body ?? []) return Buffer.from(chunk).subarray(0, 2).toString('latin1') === 'PK';
  return false;
}
