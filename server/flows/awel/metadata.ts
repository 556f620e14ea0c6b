import type { OperatorInfo } from '#shared/catalog.ts';
import { isRecord, type JsonSchema } from '#shared/json.ts';

/**
 * An operator of ours in the format of DB-GPT's node description; keys in its order. DB-GPT's client
 * reads it into its own classes: categories come from its list, defaults are scalars, and values are converted
 * according to `type_cls`.
 */
export interface AwelOperator {
  readonly label: string;
  readonly custom_label: string | null;
  readonly name: string;
  readonly description: string;
  readonly category: string;
  readonly category_label: string;
  readonly flow_type: 'operator';
  readonly icon: null;
  readonly documentation_url: null;
  readonly id: string;
  readonly tags: null;
  readonly parameters: readonly AwelParameterInfo[];
  readonly operator_type: string;
  readonly inputs: readonly AwelPortInfo[];
  readonly outputs: readonly AwelPortInfo[];
  readonly version: 'v1';
  readonly type_name: string;
  readonly type_cls: string;
}

interface AwelType {
  readonly type_name: string;
  readonly type_cls: string;
}

export interface AwelParameterInfo extends AwelType {
  readonly label: string;
  readonly name: string;
  readonly is_list: boolean;
  readonly category: 'common';
  readonly resource_type: 'instance';
  readonly optional: boolean;
  readonly default: unknown;
  readonly placeholder: null;
  readonly description: string;
  readonly options: readonly { label: string; name: string; value: unknown; children: null }[] | null;
  readonly value: unknown;
}

interface AwelPortInfo extends AwelType {
  readonly label: string;
  readonly name: string;
  readonly description: string;
  readonly is_list: boolean;
  readonly dynamic: boolean;
  readonly dynamic_minimum: 0;
  readonly mappers: null;
}

interface Port {
  readonly name: string;
  readonly doc?: string | undefined;
  readonly kind: string;
  readonly many?: string | undefined;
  readonly schema?: JsonSchema | undefined;
}

/** The prefix of our operators' class paths, by which an import recognises them. */
export const OWN_CLASS = 'weft.';

const categories = new Map([
  ['trigger', 'trigger'],
  ['model', 'llm'],
  ['prompt', 'llm'],
  ['agent', 'agent'],
]);

/** A type to which DB-GPT's client converts no value. */
export const ANY: AwelType = { type_name: 'Any', type_cls: 'typing.Any' };

function isScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

export function operatorMetadata(info: OperatorInfo): AwelOperator {
  const { type, group } = info;
  const category = categories.get(group) ?? 'common';
  return {
    label: info.title,
    custom_label: null,
    name: type,
    description: info.doc,
    category,
    category_label: titled(group),
    flow_type: 'operator',
    icon: null,
    documentation_url: null,
    id: `operator_${type}___$$___${category}___$$___v1`,
    tags: null,
    parameters: parametersOf(info.params),
    operator_type: operatorType(info),
    inputs: info.inputs.map(portMetadata),
    outputs: info.outputs.map(portMetadata),
    version: 'v1',
    type_name: type,
    type_cls: `${OWN_CLASS}${type}`,
  };
}

export function portMetadata(port: Port): AwelPortInfo {
  return {
    ...typeOf(port.schema),
    label: titled(port.name),
    name: port.name,
    description: port.doc ?? '',
    is_list: port.kind === 'stream',
    dynamic: port.many !== undefined,
    dynamic_minimum: 0,
    mappers: null,
  };
}

function parametersOf(params: JsonSchema): AwelParameterInfo[] {
  const properties = isRecord(params['properties']) ? params['properties'] : {};
  const required = Array.isArray(params['required']) ? params['required'] : [];
  return Object.entries(properties).map(([name, given]) => {
    const schema = isRecord(given) ? given : {};
    const { items } = schema;
    const isTextList = schema['type'] === 'array' && isRecord(items) && items['type'] === 'string';
    return {
      ...typeOf(isTextList ? (items as JsonSchema) : schema),
      label: typeof schema['title'] === 'string' ? schema['title'] : titled(name),
      name,
      is_list: isTextList,
      category: 'common',
      resource_type: 'instance',
      // A parameter with a default is optional, although the schema of a run's input lists it.
      optional: !required.includes(name) || schema['default'] !== undefined,
      default: isScalar(schema['default']) ? schema['default'] : null,
      placeholder: null,
      description: typeof schema['description'] === 'string' ? schema['description'] : '',
      options: optionsOf(isTextList ? items : schema),
      value: null,
    };
  });
}

function optionsOf(schema: unknown): AwelParameterInfo['options'] {
  const values: unknown = isRecord(schema) ? schema['enum'] : undefined;
  if (!Array.isArray(values)) return null;
  return values.map((value: unknown) => {
    const name = String(value);
    return { label: name, name, value, children: null };
  });
}

const basicTypes = new Map<unknown, string>([
  ['string', 'str'],
  ['integer', 'int'],
  ['number', 'float'],
  ['boolean', 'bool'],
  ['array', 'list'],
  ['object', 'dict'],
]);

function typeOf(schema: JsonSchema | undefined): AwelType {
  const name = basicTypes.get(schema?.['type']);
  return name === undefined ? ANY : { type_name: name, type_cls: `builtins.${name}` };
}

const namedTypes = new Map([
  ['core.reduce', 'reduce'],
  ['core.join', 'join'],
  ['core.streamify', 'streamify'],
  ['core.unstreamify', 'un_streamify'],
  ['core.branch', 'branch'],
]);

function operatorType({ type, inputs, outputs, derivedInputs, exclusive }: OperatorInfo): string {
  const named = namedTypes.get(type) ?? (exclusive ? 'branch' : undefined);
  if (named !== undefined) return named;
  const [first, second] = inputs;
  if (derivedInputs || second || first?.many) return 'join';
  if (!first) return 'input';
  return first.kind === 'stream' && outputs[0]?.kind === 'stream' ? 'transform_stream' : 'map';
}

function titled(name: string): string {
  const words = name.replaceAll(/[_-]/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
