// Draws the logo as PNG, where SVG is not accepted: home screens, and previews of shared links.
import { crc32, deflateSync } from 'node:zlib';

/** The logo of `api/site/shell/icons.ts`, on 32 × 32: a square with round corners, and four strokes. */
const SIZE = 32;
const CORNER = 8;
const STROKE = 3;
const strokes = [
  { x: 7.5, top: 9, bottom: 23 },
  { x: 13.2, top: 17, bottom: 23 },
  { x: 18.8, top: 17, bottom: 23 },
  { x: 24.5, top: 17, bottom: 23 },
];
const RED = [0xb8, 0x0d, 0x28];
const WHITE = [0xff, 0xff, 0xff];
const PAPER = [0xf8, 0xf7, 0xf3];

/** A maskable icon, which may be cropped to any shape: the square fills it, and the strokes stay in the safe zone. */
export function drawIcon(pixels) {
  const scale = pixels / SIZE;
  return encode(pixels, pixels, (x, y) => {
    const [logoX, logoY] = [0.5 + (x / scale / SIZE - 0.5) * 1.2, 0.5 + (y / scale / SIZE - 0.5) * 1.2];
    return mix(RED, WHITE, coverStrokes(logoX * SIZE, logoY * SIZE, scale / 1.2));
  });
}

/** The picture of shared links: the logo on paper. @see https://ogp.me */
export function drawPreview(width, height) {
  const scale = (height * 0.5) / SIZE;
  const [left, top] = [(width - SIZE * scale) / 2, (height - SIZE * scale) / 2];
  return encode(width, height, (x, y) => {
    const [logoX, logoY] = [(x - left) / scale, (y - top) / scale];
    if (Math.abs(logoX - SIZE / 2) > SIZE || Math.abs(logoY - SIZE / 2) > SIZE) return PAPER;
    const square = mix(PAPER, RED, coverSquare(logoX, logoY, scale));
    return mix(square, WHITE, coverStrokes(logoX, logoY, scale));
  });
}

/** Share of a pixel within a shape, from the distance of its centre to the edge; negative is inside. */
function cover(distance, scale) {
  return Math.min(1, Math.max(0, 0.5 - distance * scale));
}

function coverSquare(x, y, scale) {
  const [dx, dy] = [x, y].map((at) => Math.abs(at - SIZE / 2) - (SIZE / 2 - CORNER));
  return cover(Math.hypot(Math.max(dx, 0), Math.max(dy, 0)) + Math.min(Math.max(dx, dy), 0) - CORNER, scale);
}

function coverStrokes(x, y, scale) {
  let nearest = Number.POSITIVE_INFINITY;
  for (const one of strokes) {
    nearest = Math.min(nearest, Math.hypot(x - one.x, y - Math.min(Math.max(y, one.top), one.bottom)));
  }
  return cover(nearest - STROKE / 2, scale);
}

function mix(below, above, share) {
  if (share === 0) return below;
  return below.map((value, i) => Math.round(value + (above[i] - value) * share));
}

/** @param colorAt colour at the centre of a pixel @see https://www.w3.org/TR/png-3/ */
function encode(width, height, colorAt) {
  const rows = Buffer.alloc((width * 3 + 1) * height);
  for (let y = 0, at = 0; y < height; y++) {
    // Each row begins with its filter type: 0, none.
    at++;
    for (let x = 0; x < width; x++) {
      for (const value of colorAt(x + 0.5, y + 0.5)) rows[at++] = value;
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits for each of red, green and blue.
  header.set([8, 2], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const parts = [chunk('IHDR', header), chunk('IDAT', deflateSync(rows, { level: 9 })), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([signature, ...parts]);
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const whole = Buffer.alloc(body.length + 8);
  whole.writeUInt32BE(data.length, 0);
  body.copy(whole, 4);
  whole.writeUInt32BE(crc32(body), body.length + 4);
  return whole;
}
