/** Types of columns as the table format names them, and as they are written into table metadata. */
export type IcebergPrimitive =
  | 'boolean'
  | 'int'
  | 'long'
  | 'float'
  | 'double'
  | 'date'
  | 'timestamp'
  | 'timestamptz'
  | 'string';

export type IcebergType = IcebergPrimitive | IcebergList | IcebergStruct;

interface IcebergList {
  readonly type: 'list';
  readonly 'element-id': number;
  readonly element: IcebergType;
  readonly 'element-required': boolean;
}

interface IcebergStruct {
  readonly type: 'struct';
  readonly fields: readonly IcebergField[];
}

export interface IcebergField {
  /** Unique in the table, and never that of another column. */
  readonly id: number;
  readonly name: string;
  readonly required: boolean;
  readonly type: IcebergType;
  readonly doc?: string;
}

export interface IcebergSchema extends IcebergStruct {
  readonly 'schema-id': number;
}

/** A value of a primitive column: 64-bit integers as bigint (times in microseconds), dates in days since 1970. */
export type IcebergValue = boolean | number | bigint | string;

/** Whether values of one type may be read as the other without loss, as the format allows it for a changed column. */
export function isReadableAs(from: IcebergPrimitive, to: IcebergPrimitive): boolean {
  return from === to || (from === 'int' && to === 'long') || (from === 'float' && to === 'double');
}
