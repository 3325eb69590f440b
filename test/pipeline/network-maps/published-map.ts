import { createHash } from 'node:crypto';
import type { PublishedMap } from '../../../pipeline/snapshots/network-map-files.ts';

export function hashOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** A map as a job publishes it. */
export function publishedMap(id: string, content: string, more: Partial<PublishedMap> = {}): PublishedMap {
  const sha256 = hashOf(content);
  return {
    id,
    title: id,
    region: 'Wien',
    format: 'svg',
    file: `${id}-${sha256.slice(0, 16)}.svg`,
    bytes: Buffer.byteLength(content),
    sha256,
    validFrom: '2026-12-13' as PublishedMap['validFrom'],
    attribution: null,
    layout: 'octilinear',
    ...more,
  };
}
