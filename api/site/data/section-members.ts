import { products } from '../../../pipeline/model/product.ts';
import { Type } from '../../contract/json-schema.ts';
import { described, integer, latitude, longitude, oneOf } from '../../contract/schema-builders.ts';

/** Query parameters of a section of the map. */
export const sectionMembers = {
  minLat: described('South of the section.', latitude()),
  minLon: described('West of the section.', longitude()),
  maxLat: described('North of the section.', latitude()),
  maxLon: described('East of the section.', longitude()),
};

export const sectionZoom = () => described('As maps count it: the world is 512 pixels wide at 0.', integer(0, 20));

export const sectionProducts = () =>
  Type.Optional(
    described('Only these products.', Type.Array(oneOf(...products), { minItems: 1, maxItems: products.length })),
  );
