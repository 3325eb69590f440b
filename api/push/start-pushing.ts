import type { Clock } from '../../pipeline/effects/clock.ts';
import type { Log } from '../../pipeline/effects/log.ts';
import { resolveBySystem, shareLookups } from '../../pipeline/effects/pinned-lookup.ts';
import type { Outbox } from '../watches/outbox.ts';
import { allowEndpoints, type EndpointRules } from '../watches/push-endpoint.ts';
import { deliverPushes, type PushDelivery } from './deliver-pushes.ts';
import { createPushSender } from './send-push.ts';
import { createSigner } from './sign-requests.ts';
import type { VapidKeys } from './vapid-keys.ts';

export interface PushSettings extends EndpointRules {
  /** `mailto:` or `https:` address of the operator; null: the public address. */
  readonly pushContact: string | null;
}

/** Shorter than a claim, so that no push is under way twice. */
const ATTEMPT_MILLISECONDS = 10_000;

/** The library and some push services require a contact: this name is reserved for hosts that do not exist (RFC 6761). */
const NO_CONTACT = 'mailto:operator@contact.invalid';

/**
 * Begins to push the events of an outbox.
 * @param publicUrl public address of the service, where it has one
 */
export function startPushing(
  outbox: Outbox,
  { keys, settings, publicUrl }: { keys: VapidKeys; settings: PushSettings; publicUrl: string | null },
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): PushDelivery {
  const contact = settings.pushContact ?? (publicUrl?.startsWith('https://') ? publicUrl : NO_CONTACT);
  const sender = createPushSender({
    signRequest: createSigner(keys, contact),
    isEndpointAllowed: allowEndpoints(settings),
    resolve: shareLookups(resolveBySystem),
    attemptMilliseconds: ATTEMPT_MILLISECONDS,
    clock,
    random: Math.random,
  });
  return deliverPushes(outbox, sender, { clock, log });
}
