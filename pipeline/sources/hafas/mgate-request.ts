import type { GeoBox } from '../../model/geo.ts';
import type { Instant } from '../../model/service-time.ts';
import type { FormatContext, HafasProfile } from './load-profile.ts';
import type { MgateObject } from './mgate-answer.ts';

/** Calls that an endpoint supports. */
export type MgateCall =
  | {
      readonly method: 'StationBoard';
      readonly type: 'DEP' | 'ARR';
      readonly stopId: string;
      readonly from: Instant;
      readonly durationMinutes: number;
    }
  | { readonly method: 'JourneyDetails'; readonly jid: string }
  | { readonly method: 'JourneyGeoPos'; readonly box: GeoBox; readonly at: Instant; readonly maxVehicles: number }
  | { readonly method: 'HimSearch'; readonly from: Instant; readonly maxMessages: number }
  | { readonly method: 'ServerInfo' };

interface MgateRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string;
}

/** MD5 of bytes as lower-case hexadecimal digits. Passed in, since this room is pure and imports no built-ins. */
export type Md5 = (bytes: Uint8Array) => string;

const headers = { accept: 'application/json', 'content-type': 'application/json' };

/**
 * The request that hafas-client would send for a call, as a value.
 * @see hafas-client, lib/request.js; docs/hafas-mgate-api.md, "Authentication"
 */
export function buildMgateRequest(profile: HafasProfile, call: MgateCall, md5: Md5): MgateRequest {
  const body = JSON.stringify(
    profile.transformReqBody(toContext(profile, {}), {
      lang: profile.defaultLanguage ?? 'de',
      svcReqL: [toServiceRequest(profile, call)],
      client: profile.client,
      ext: profile.ext,
      ver: profile.ver,
      auth: profile.auth,
    }),
  );
  const signature = sign(profile, body, md5).toString();
  return { url: signature === '' ? profile.endpoint : `${profile.endpoint}?${signature}`, headers, body };
}

function toContext(profile: HafasProfile, opt: MgateObject): FormatContext {
  return { profile, opt };
}

function toServiceRequest(profile: HafasProfile, call: MgateCall): MgateObject {
  switch (call.method) {
    case 'StationBoard': {
      const context = toContext(profile, {
        when: toDate(call.from),
        duration: call.durationMinutes,
        direction: null,
        line: null,
        results: null,
        // A board with onward calls saves one request per trip.
        stopovers: profile.departuresGetPasslist === true,
        includeRelatedStations: true,
      });
      return profile.formatStationBoardReq(context, profile.formatStation(call.stopId), call.type);
    }
    case 'JourneyDetails':
      return profile.formatTripReq(toContext(profile, { polyline: false }), call.jid);
    case 'JourneyGeoPos': {
      const { north, west, south, east } = call.box;
      const opt = { when: toDate(call.at), results: call.maxVehicles, duration: 30, frames: 1, tripId: null };
      return profile.formatRadarReq(toContext(profile, opt), north, west, south, east);
    }
    case 'HimSearch': {
      const opt = { results: call.maxMessages, from: toDate(call.from), to: null, products: null, polylines: false };
      return profile.formatRemarksReq(toContext(profile, opt));
    }
    case 'ServerInfo':
      return { meth: 'ServerInfo', req: { getVersionInfo: true } };
  }
}

function toDate(instant: Instant): Date {
  return new Date(instant * 1000);
}

/** `checksum` is a hash of body and salt; `mic` one of the body, and `mac` one of `mic` and salt. */
function sign({ addChecksum, addMicMac, salt }: HafasProfile, body: string, md5: Md5): URLSearchParams {
  const query = new URLSearchParams();
  const bodyBytes = toBytes(body);
  const saltBytes = typeof salt === 'string' ? readHexadecimal(salt) : (salt ?? new Uint8Array());
  if (addChecksum) query.set('checksum', md5(concat(bodyBytes, saltBytes)));
  if (addMicMac) {
    const mic = md5(bodyBytes);
    query.set('mic', mic);
    query.set('mac', md5(concat(toBytes(mic), saltBytes)));
  }
  return query;
}

function toBytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function readHexadecimal(text: string): Uint8Array {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array {
  const whole = new Uint8Array(first.length + second.length);
  whole.set(first);
  whole.set(second, first.length);
  return whole;
}
