/** The part of JSON Schema that the contract uses. */
export interface ContractSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly const?: string;
  readonly anyOf?: readonly ContractSchema[];
  readonly items?: ContractSchema;
  readonly properties?: Readonly<Record<string, ContractSchema>>;
  readonly required?: readonly string[];
}

const LINE_LENGTH = 116;

/** Declarations of all types, in their order. */
export function renderTypes(types: Readonly<Record<string, ContractSchema>>): string {
  return Object.entries(types)
    .map(([name, schema]) => `${renderComment(schema.description, '')}${renderDeclaration(name, schema)}`)
    .join('\n');
}

function renderDeclaration(name: string, schema: ContractSchema): string {
  if (!schema.properties) return `export type ${name} = ${renderType(schema)};\n`;
  return `export interface ${name} {\n${renderMembers(schema)}}\n`;
}

/** The members of an object, one line each below its description. */
export function renderMembers({ properties = {}, required = [] }: ContractSchema): string {
  return Object.entries(properties)
    .map(([name, member]) => {
      const mark = required.includes(name) ? '' : '?';
      return `${renderComment(member.description, '  ')}  ${name}${mark}: ${renderType(member)};\n`;
    })
    .join('');
}

/** @throws Error for a schema of a kind that the contract does not use */
function renderType(schema: ContractSchema): string {
  if (schema.$ref !== undefined) return schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.anyOf) return schema.anyOf.map(renderType).join(' | ');
  switch (schema.type) {
    case 'array':
      return `Array<${renderType(schema.items!)}>`;
    case 'integer':
    case 'number':
      return 'number';
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    default:
      throw new Error(`no type for ${JSON.stringify(schema)}`);
  }
}

/** A JSDoc comment, wrapped; empty without a text. */
export function renderComment(text: string | undefined, indent: string): string {
  if (text === undefined) return '';
  const single = `${indent}/** ${text} */\n`;
  if (single.length <= LINE_LENGTH) return single;
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines[lines.length - 1]!;
    if (last !== '' && indent.length + 3 + last.length + 1 + word.length > LINE_LENGTH) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join('')}${indent} */\n`;
}
