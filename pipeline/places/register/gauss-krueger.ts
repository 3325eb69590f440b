import { RADIANS_PER_DEGREE } from '../../model/geo.ts';

/** Bessel 1841 and WGS 84: semi-major axis in metres, and flattening. */
const bessel = { axis: 6_377_397.155, flattening: 1 / 299.152_812_8 };
const wgs84 = { axis: 6_378_137, flattening: 1 / 298.257_223_563 };

/** Central meridians of the three strips of Austria (MGI / Austria GK West, Central, East), by EPSG code. */
const meridians: ReadonlyMap<number, number> = new Map([
  [31254, 10 + 1 / 3],
  [31255, 13 + 1 / 3],
  [31256, 16 + 1 / 3],
]);
const FALSE_NORTHING = -5_000_000;

/** MGI to WGS 84 (EPSG 1618): metres, seconds of arc, parts per million. */
const shift = { x: 577.326, y: 90.129, z: 463.919, rx: 5.137, ry: 1.474, rz: 5.297, scale: 2.4232 };
const RADIANS_PER_SECOND = RADIANS_PER_DEGREE / 3600;

interface Ellipsoid {
  readonly axis: number;
  readonly flattening: number;
}

/**
 * Converts a coordinate of Austria's address register, some metres exact as the shift of the datum is.
 * @param east, north in metres, as published
 * @param epsg 31254, 31255 or 31256
 * @returns degrees of WGS 84; null for another coordinate system
 * @see EPSG Guidance Note 7-2: Transverse Mercator, Position Vector transformation
 */
export function fromGaussKrueger(east: number, north: number, epsg: number): { lat: number; lon: number } | null {
  const meridian = meridians.get(epsg);
  if (meridian === undefined || !Number.isFinite(east) || !Number.isFinite(north)) return null;
  const { lat, lon } = unproject(east, north - FALSE_NORTHING);
  return toDegrees(shiftDatum(toCartesian(lat, lon + meridian * RADIANS_PER_DEGREE)));
}

/** Latitude and longitude from the central meridian, in radians on Bessel's ellipsoid (Krüger's series). */
function unproject(east: number, north: number): { lat: number; lon: number } {
  const { axis, flattening } = bessel;
  const n = flattening / (2 - flattening);
  const [n2, n3, n4] = [n ** 2, n ** 3, n ** 4];
  const radius = (axis / (1 + n)) * (1 + n2 / 4 + n4 / 64);
  const [xi, eta] = [north / radius, east / radius];
  const beta = [
    n / 2 - (2 / 3) * n2 + (37 / 96) * n3 - n4 / 360,
    n2 / 48 + n3 / 15 - (437 / 1440) * n4,
    (17 / 480) * n3 - (37 / 840) * n4,
    (4397 / 161_280) * n4,
  ];
  let [xiBase, etaBase] = [xi, eta];
  for (const [i, factor] of beta.entries()) {
    const k = 2 * (i + 1);
    xiBase -= factor * Math.sin(k * xi) * Math.cosh(k * eta);
    etaBase -= factor * Math.cos(k * xi) * Math.sinh(k * eta);
  }
  const conformal = Math.asin(Math.sin(xiBase) / Math.cosh(etaBase));
  const delta = [
    2 * n - (2 / 3) * n2 - 2 * n3 + (116 / 45) * n4,
    (7 / 3) * n2 - (8 / 5) * n3 - (227 / 45) * n4,
    (56 / 15) * n3 - (136 / 35) * n4,
    (4279 / 630) * n4,
  ];
  const lat = delta.reduce((sum, factor, i) => sum + factor * Math.sin(2 * (i + 1) * conformal), conformal);
  return { lat, lon: Math.atan2(Math.sinh(etaBase), Math.cos(xiBase)) };
}

interface Cartesian {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

const squaredEccentricity = ({ flattening }: Ellipsoid) => flattening * (2 - flattening);

/** On the surface of Bessel's ellipsoid: the register has no heights. */
function toCartesian(lat: number, lon: number): Cartesian {
  const e2 = squaredEccentricity(bessel);
  const normal = bessel.axis / Math.sqrt(1 - e2 * Math.sin(lat) ** 2);
  return {
    x: normal * Math.cos(lat) * Math.cos(lon),
    y: normal * Math.cos(lat) * Math.sin(lon),
    z: normal * (1 - e2) * Math.sin(lat),
  };
}

function shiftDatum({ x, y, z }: Cartesian): Cartesian {
  const [rx, ry, rz] = [shift.rx, shift.ry, shift.rz].map((angle) => angle * RADIANS_PER_SECOND) as [
    number,
    number,
    number,
  ];
  const scale = 1 + shift.scale * 1e-6;
  return {
    x: shift.x + scale * (x - rz * y + ry * z),
    y: shift.y + scale * (rz * x + y - rx * z),
    z: shift.z + scale * (-ry * x + rx * y + z),
  };
}

/** Bowring's formula, exact to less than a millimetre near the surface. */
function toDegrees({ x, y, z }: Cartesian): { lat: number; lon: number } {
  const { axis, flattening } = wgs84;
  const e2 = squaredEccentricity(wgs84);
  const polar = axis * (1 - flattening);
  const distance = Math.hypot(x, y);
  const parametric = Math.atan2(z * axis, distance * polar);
  const lat = Math.atan2(
    z + (e2 / (1 - e2)) * polar * Math.sin(parametric) ** 3,
    distance - e2 * axis * Math.cos(parametric) ** 3,
  );
  return { lat: lat / RADIANS_PER_DEGREE, lon: Math.atan2(y, x) / RADIANS_PER_DEGREE };
}
