import { createECDH } from 'node:crypto';
import { expect, test } from 'vitest';
import { createSigner } from '../../../api/push/sign-requests.ts';
import { decryptPush, verifyVapid } from '../../support/fakes/push-protocol.ts';
import { vapidKeys } from './push-cases.ts';

/** RFC 8291, section 5 and appendix A. */
const example = {
  privateKey: 'q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  body:
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl' +
    '7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
};

test('the receiver decrypts the example of RFC 8291, and rejects any modification', () => {
  const curve = createECDH('prime256v1');
  curve.setPrivateKey(example.privateKey, 'base64url');
  const secrets = { curve, auth: Buffer.from(example.auth, 'base64url') };
  const body = Buffer.from(example.body, 'base64url');
  expect(decryptPush(body, secrets)).toBe('When I grow up, I want to be a watermelon');
  for (const place of [0, 100, body.length - 1]) {
    const altered = Buffer.from(body);
    altered[place]! ^= 1;
    expect(() => decryptPush(altered, secrets)).toThrow();
  }
  expect(() => decryptPush(body, { ...secrets, auth: Buffer.alloc(16) })).toThrow();
});

const ORIGIN = 'https://push.example.org';
const now = () => Date.now() / 1000;
const header = await createSigner(vapidKeys, 'mailto:ops@example.org')(ORIGIN);
const [, otherBody] = (await createSigner(vapidKeys, 'mailto:other@example.org')(ORIGIN)).split('.');

test.each([
  ['another push service', header, 'https://other.example.org', now(), 'a token for https://push.example.org'],
  ['a token that has ended', header, ORIGIN, now() + 86_400, 'a token that has ended'],
  ['a token that lasts too long', header, ORIGIN, now() - 86_400, 'a token for more than a day'],
  [
    'another content',
    header.replace(/\.[\w-]+\./, `.${otherBody}.`),
    ORIGIN,
    now(),
    'a signature that is not of the key',
  ],
  ['no token', 'Bearer abc', ORIGIN, now(), 'no vapid credentials'],
])('the receiver rejects %s', (_what, authorization, audience, nowSeconds, message) => {
  expect(() => verifyVapid(authorization, audience, nowSeconds)).toThrow(message);
});

test('the receiver identifies the sender', () => {
  expect(verifyVapid(header, ORIGIN, now())).toEqual({ contact: 'mailto:ops@example.org', key: vapidKeys.publicKey });
});
