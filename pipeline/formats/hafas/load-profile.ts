import type { HafasProfile, HafasProfileData } from './hafas-profile.ts';
import { formatDate, formatTime, parseDateTime } from './mgate-time.ts';

/**
 * The parts of hafas-client that are pure functions, each with the name that a profile has it by. Its `index.js` and
 * `lib/` are never loaded: they bring a network client, which fails when a proxy is set in the environment.
 */
const PURE_PARTS: Readonly<Record<string, string>> = {
  parseArrival: 'parse/arrival.js',
  parseDeparture: 'parse/departure.js',
  parseHint: 'parse/hint.js',
  parseIcon: 'parse/icon.js',
  parseLine: 'parse/line.js',
  parseLocation: 'parse/location.js',
  parseMovement: 'parse/movement.js',
  parseOperator: 'parse/operator.js',
  parsePlatform: 'parse/platform.js',
  parseProductsBitmask: 'parse/products-bitmask.js',
  parsePrognosisType: 'parse/prognosis-type.js',
  parseStopover: 'parse/stopover.js',
  parseWarning: 'parse/warning.js',
  parseWhen: 'parse/when.js',
  formatCoord: 'format/coord.js',
  formatProductsFilter: 'format/products-filter.js',
  formatRadarReq: 'format/radar-req.js',
  formatRectangle: 'format/rectangle.js',
  formatRemarksReq: 'format/remarks-req.js',
  formatStation: 'format/station.js',
  formatStationBoardReq: 'format/station-board-req.js',
  formatTripReq: 'format/trip-req.js',
};

/** Functions that the library exports under another name than profiles have them by. */
const EXPORTED_AS: Readonly<Record<string, string>> = { parseProductsBitmask: 'parseBitmask' };

const PROFILE_NAME = /^[a-z][a-z0-9-]*$/;

type Exports = Readonly<Record<string, unknown>>;

/**
 * Loads hafas-client's functions and puts an endpoint's data on top. The first time that takes a fifth of a second and
 * 13 MB, which is why it is not loaded where no source needs it.
 * @param base name of a profile of hafas-client whose data and dialect are taken first; null: none
 * @param data takes the place of the base's
 * @returns a profile whose data is as given: whether it is complete is for `checkProfile`
 * @throws RangeError when hafas-client has no profile of that name
 */
export async function loadHafasProfile(base: string | null, data: Partial<HafasProfileData>): Promise<HafasProfile> {
  const parts = await Promise.all(Object.entries(PURE_PARTS).map(loadFunction));
  const profile: Exports = {
    ...Object.fromEntries(parts),
    parseDateTime,
    formatDate,
    formatTime,
    parseStationName: (_ctx: unknown, name: string) => name,
    transformReqBody: (_ctx: unknown, body: unknown) => body,
    // Shapes of messages are of no use here, and not every endpoint knows the member.
    remarksGetPolyline: false,
    ...(base === null ? {} : await loadNamedProfile(base)),
    ...data,
  };
  return profile as unknown as HafasProfile;
}

/** A version of the library without a function is refused here, not in the middle of an answer. */
async function loadFunction([name, path]: readonly [string, string]): Promise<readonly [string, unknown]> {
  const loaded = (await loadPart(path))[EXPORTED_AS[name] ?? name];
  if (typeof loaded !== 'function') throw new TypeError(`hafas-client has no ${name}`);
  return [name, loaded];
}

async function loadNamedProfile(name: string): Promise<object> {
  // The name becomes part of a path.
  if (!PROFILE_NAME.test(name)) throw new RangeError(`"${name}" cannot name a profile of hafas-client`);
  try {
    return (await loadPart(`p/${name}/index.js`)).profile as object;
  } catch (error) {
    throw new RangeError(`hafas-client has no profile "${name}"`, { cause: error });
  }
}

async function loadPart(path: string): Promise<Exports> {
  return import(`hafas-client/${path}`);
}
