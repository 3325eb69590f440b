import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UnreadableAnswer } from '../../../../pipeline/model/problem.ts';
import { decodeFeedMessage } from '../../../../pipeline/sources/gtfs-rt/decode-feed-message.ts';
import type { FeedMessage } from '../../../../pipeline/sources/gtfs-rt/feed-message.ts';
import { encodeFeedMessage } from '../../../../pipeline/sources/gtfs-rt/feed-schema.ts';
import { feedMessage } from './arbitrary-feed.ts';

const HEADER = [0x0a, 5, 0x0a, 3, ...text('2.0')];

function text(letters: string): number[] {
  return [...Buffer.from(letters, 'utf8')];
}

/** A field with its length in front. */
function field(number: number, ...content: number[]): number[] {
  return [(number << 3) | 2, content.length, ...content];
}

const goodEntity = (id: string) => field(2, ...field(1, ...text(id)));

function decode(...bytes: readonly number[]) {
  return decodeFeedMessage(Uint8Array.from(bytes));
}

describe('a feed message', () => {
  it('round-trips with arbitrary content', () => {
    fc.assert(
      fc.property(feedMessage, (message) => {
        expect(decodeFeedMessage(encodeFeedMessage(message))).toEqual({ ...message, problems: [] });
      }),
    );
  });

  it('distinguishes sent from absent fields', () => {
    const message: FeedMessage = {
      header: { gtfsRealtimeVersion: '2.0' },
      entity: [{ id: '', tripUpdate: { trip: {}, delay: 0, stopTimeUpdate: [{ arrival: { uncertainty: 0 } }, {}] } }],
    };
    expect(decodeFeedMessage(encodeFeedMessage(message))).toStrictEqual({ ...message, problems: [] });
  });

  it('keeps negative times for later checks', () => {
    const message: FeedMessage = {
      header: { gtfsRealtimeVersion: '2.0' },
      entity: [{ id: 'a', tripUpdate: { trip: {}, stopTimeUpdate: [{ arrival: { time: -4096, delay: -60 } }] } }],
    };
    expect(decodeFeedMessage(encodeFeedMessage(message)).entity).toEqual(message.entity);
  });

  it('may contain unknown fields', () => {
    const extension = [0xca, 0x3e, 2, 1, 2]; // field 1001
    const entity = field(2, ...extension, ...field(1, ...text('a')), ...field(3, ...field(1), ...extension));
    expect(decode(...HEADER, ...extension, ...entity)).toEqual({
      header: { gtfsRealtimeVersion: '2.0' },
      entity: [{ id: 'a', tripUpdate: { trip: {}, stopTimeUpdate: [] } }],
      problems: [],
    });
  });

  it.each([
    ['an entity without an id', field(3, ...field(1)), "missing required 'id'"],
    ['a trip update without a trip', [...field(1, 97), ...field(3)], "missing required 'trip'"],
    ['a position without a longitude', [...field(1, 97), ...field(4, ...field(2, 0x0d, 0, 0, 0, 0))], 'longitude'],
    ['a length beyond the entity', [...field(1, 97), 0x1a, 90], 'extends beyond'],
    ['a call beyond its trip', [...field(1, 97), ...field(3, ...field(1), 0x12, 90)], 'extends beyond'],
    ['a truncated time', [...field(1, 97), ...field(3, ...field(1), 0x20, 0x80)], 'cut off'],
    ['an unknown wire type', [...field(1, 97), 0x0f], 'wire type'],
  ])('%s drops only that entity', (_what, content, detail) => {
    const { entity, problems } = decode(...HEADER, ...goodEntity('x'), ...field(2, ...content), ...goodEntity('y'));
    expect(entity).toEqual([{ id: 'x' }, { id: 'y' }]);
    expect(problems).toEqual([
      {
        code: 'unreadable_entity',
        source: 'gtfs-rt',
        place: 'entity number 2',
        detail: expect.stringContaining(detail),
      },
    ]);
  });
});

describe('a response that is not a feed is rejected as a whole', () => {
  it.each([
    ['nothing', [], 'empty'],
    ['an HTML page', text('<!DOCTYPE html><html><body>502 Bad Gateway</body></html>'), 'not_protobuf'],
    ['an HTML page after an empty line', text(`\n${'<p>Wartungsarbeiten</p>'.repeat(20)}`), 'not_protobuf'],
    ['JSON', text('{"error":"forbidden"}'), 'not_protobuf'],
    ['XML', text('<?xml version="1.0"?><error/>'), 'not_protobuf'],
    ['plain text', text('Service unavailable'), 'not_protobuf'],
    ['text that looks like a field', text('Bad Gateway'), 'not_protobuf'],
    ['a zip', [0x50, 0x4b, 3, 4, 20, 0, 0, 0], 'not_protobuf'],
    ['gzip', [0x1f, 0x8b, 8, 0, 0, 0, 0, 0], 'not_protobuf'],
    ['entities without a header', goodEntity('x'), 'not_a_feed'],
    ['a header without a version', [0x0a, 2, 0x10, 0], 'not_a_feed'],
    ['a header of another format', field(1, ...field(1, ...text('hello'))), 'not_a_feed'],
    ['half a header', HEADER.slice(0, 5), 'truncated'],
    ['half an entity', [...HEADER, ...goodEntity('entity').slice(0, 5)], 'truncated'],
  ])('%s', (_what, bytes, code) => {
    expect(() => decode(...bytes)).toThrowError(expect.objectContaining({ name: 'UnreadableAnswer', code }));
  });

  it('if truncated anywhere but between two entities', () => {
    fc.assert(
      fc.property(feedMessage, (message) => {
        const bytes = encodeFeedMessage(message);
        const whole = decodeFeedMessage(bytes).entity;
        const readable: number[] = [];
        for (let length = 0; length <= bytes.length; length++) {
          const entity = readOrRefuse(bytes.subarray(0, length));
          if (entity === null) continue;
          readable.push(length);
          expect(entity).toEqual(whole.slice(0, entity.length));
        }
        // After the header, and after each entity.
        expect(readable).toHaveLength(message.entity.length + 1);
      }),
      { numRuns: 25 },
    );
  });

  it('unless it is still readable after changes of bytes', () => {
    const changes = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(feedMessage, changes, (message, changed) => {
        const bytes = Uint8Array.from(encodeFeedMessage(message));
        for (const [place, value] of changed) bytes[place % bytes.length] = value;
        readOrRefuse(bytes);
      }),
      { numRuns: 200 },
    );
  });
});

/** Null for a rejected response; any other exception fails the test. */
function readOrRefuse(bytes: Uint8Array) {
  try {
    return decodeFeedMessage(bytes).entity;
  } catch (error) {
    if (error instanceof UnreadableAnswer) return null;
    throw error;
  }
}
