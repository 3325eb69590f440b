import protobuf from 'protobufjs/light.js';
import type { Problem } from '../../model/problem.ts';
import { UnreadableAnswer } from '../../model/unreadable-answer.ts';
import type { DecodedFeedMessage, FeedEntity, FeedHeader } from './feed-message.ts';
import { ENTITY_FIELD, feedHeaderType, HEADER_FIELD } from './feed-schema.ts';
import { readEntity } from './read-entity.ts';
import { BYTES, readPlain, skipField } from './wire.ts';

const HEADER_TAG = (HEADER_FIELD << 3) | BYTES;
const ENTITY_TAG = (ENTITY_FIELD << 3) | BYTES;

/**
 * Reads a feed message. An entity that cannot be read (its bytes are no protobuf, a required field is missing) costs
 * that entity alone and is told as `unreadable_entity`. A message that was cut off between two entities is a message:
 * the format has no end mark.
 * @param source for problems
 * @throws UnreadableAnswer `empty`; `truncated`, cut off within a field; `not_protobuf`, e.g. an HTML page;
 *   `not_a_feed`, without the header of a feed
 */
export function decodeFeedMessage(bytes: Uint8Array, source = 'gtfs-rt'): DecodedFeedMessage {
  const { header, entities } = splitMessage(bytes);
  const entity: FeedEntity[] = [];
  const problems: Problem[] = [];
  for (const [index, entityBytes] of entities.entries()) {
    try {
      entity.push(readEntity(entityBytes));
    } catch (error) {
      const place = `entity number ${index + 1}`;
      problems.push({ code: 'unreadable_entity', source, place, detail: messageOf(error) });
    }
  }
  return { header: readHeader(header), entity, problems };
}

interface MessageParts {
  readonly header: Uint8Array | null;
  readonly entities: readonly Uint8Array[];
}

/** Takes the outermost message apart without reading what is in it. */
function splitMessage(bytes: Uint8Array): MessageParts {
  if (bytes.length === 0) throw new UnreadableAnswer('empty', 'the answer is empty');
  let header: Uint8Array | null = null;
  const entities: Uint8Array[] = [];
  const reader = protobuf.Reader.create(bytes);
  try {
    while (reader.pos < bytes.length) {
      const tag = reader.uint32();
      if (tag === ENTITY_TAG) entities.push(reader.bytes());
      else if (tag === HEADER_TAG) header = reader.bytes();
      else skipField(reader, tag);
    }
  } catch (error) {
    // A page of text, whose letters are taken for lengths, breaks off as well, but does not begin like a feed.
    const isCutOff = error instanceof RangeError && bytes[0] === HEADER_TAG;
    throw new UnreadableAnswer(isCutOff ? 'truncated' : 'not_protobuf', messageOf(error));
  }
  return { header, entities };
}

function readHeader(bytes: Uint8Array | null): FeedHeader {
  if (!bytes) throw new UnreadableAnswer('not_a_feed', 'the message has no header');
  let header: FeedHeader;
  try {
    header = readPlain<FeedHeader>(feedHeaderType, bytes);
  } catch (error) {
    throw new UnreadableAnswer('not_a_feed', `the header cannot be read: ${messageOf(error)}`);
  }
  if (!/^\d+(\.\d+)*$/.test(header.gtfsRealtimeVersion)) {
    throw new UnreadableAnswer('not_a_feed', 'the header names no version of GTFS-Realtime');
  }
  return header;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
