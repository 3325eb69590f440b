import { CONTRACT_VERSION, definitions } from './definitions.ts';
import { publishSchema } from './publish-schema.ts';

/** Builds the JSON Schema document (draft 2020-12) of `GET /v2/schema`: one `$defs` entry per type of v2 and v1. */
export function buildSchemaDocument() {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:taktgeber:contract:${CONTRACT_VERSION}`,
    title: 'Taktgeber, types of the app contract (v2) and of the open routes (v1)',
    version: CONTRACT_VERSION,
    $defs: publishSchema(definitions),
  };
}
