import { isTimeZone } from '../../model/service-time.ts';
import type { HafasProfile } from './hafas-profile.ts';
import { isObject, textOf } from './mgate-json.ts';

/**
 * What keeps a profile from being asked.
 * @returns one sentence for each thing; no sentence shows a key
 */
export function checkProfile(profile: Partial<HafasProfile>): string[] {
  const wrong: string[] = [];
  const mustBe = (isRight: boolean, name: string, what: string) => {
    if (!isRight) wrong.push(`profile.${name} must be ${what}`);
  };
  mustBe(isHttpAddress(profile.endpoint), 'endpoint', 'an http or https address');
  mustBe(isKnownZone(profile.timezone), 'timezone', 'an IANA time zone');
  mustBe(textOf(profile.locale) !== null, 'locale', 'a language tag');
  mustBe(isObject(profile.client), 'client', 'an object that names the client');
  mustBe(isObject(profile.auth), 'auth', "an object with the operator's key");
  mustBe(isProductList(profile.products), 'products', 'a list of {id, bitmasks, default}');
  if (profile.addChecksum || profile.addMicMac) {
    mustBe(isSalt(profile.salt), 'salt', 'hexadecimal digits where requests are signed');
  }
  return wrong;
}

function isHttpAddress(value: unknown): boolean {
  return typeof value === 'string' && /^https?:\/\//i.test(value) && URL.canParse(value);
}

function isKnownZone(value: unknown): boolean {
  return typeof value === 'string' && isTimeZone(value);
}

function isSalt(value: unknown): boolean {
  return value instanceof Uint8Array || isHexadecimal(value);
}

function isHexadecimal(value: unknown): boolean {
  return typeof value === 'string' && /^(?:[0-9a-f]{2})+$/i.test(value);
}

function isProductList(value: unknown): boolean {
  if (!Array.isArray(value) || value.length === 0) return false;
  return value.every(
    (product: unknown) =>
      isObject(product) &&
      textOf(product.id) !== null &&
      typeof product.default === 'boolean' &&
      Array.isArray(product.bitmasks) &&
      product.bitmasks.every(Number.isSafeInteger),
  );
}
