import { pathToFileURL } from 'node:url';
import { inflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { projectPath } from '../../pipeline/effects/project-files.ts';

/** A program of the build, which has no types. */
interface Pictures {
  drawIcon(pixels: number): Buffer;
  drawPreview(width: number, height: number): Buffer;
}
const { drawIcon, drawPreview }: Pictures = await import(
  pathToFileURL(projectPath('jobs/bootstrap/draw-pictures.mjs')).href
);

const RED = [0xb8, 0x0d, 0x28];
const WHITE = [0xff, 0xff, 0xff];
const PAPER = [0xf8, 0xf7, 0xf3];

/** Reads a PNG of 8-bit RGB rows without filters. */
function readPicture(png: Buffer) {
  expect(png.subarray(1, 4).toString('latin1')).toBe('PNG');
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const at = png.indexOf('IDAT');
  const rows = inflateSync(png.subarray(at + 4, at + 4 + png.readUInt32BE(at - 4)));
  expect(rows).toHaveLength((width * 3 + 1) * height);
  const pixel = (x: number, y: number) => [...rows.subarray(y * (width * 3 + 1) + 1 + x * 3).subarray(0, 3)];
  return { width, height, pixel };
}

test('an icon is the logo up to its edges', () => {
  const { width, height, pixel } = readPicture(drawIcon(64));
  expect([width, height]).toEqual([64, 64]);
  expect([pixel(0, 0), pixel(63, 63), pixel(17, 32), pixel(32, 20)]).toEqual([RED, RED, WHITE, RED]);
});

test('the preview has the logo on paper', () => {
  const { width, height, pixel } = readPicture(drawPreview(120, 63));
  expect([width, height]).toEqual([120, 63]);
  expect([pixel(2, 2), pixel(60, 20), pixel(52, 32)]).toEqual([PAPER, RED, WHITE]);
});
