import type { DerivedPorts, OperatorInfo } from '#shared/catalog.ts';
import type { JsonSchema } from '#shared/json.ts';
import { fileLimits } from '#shared/wait-form.ts';
import { compiledSchema, formatPath, hasTemplate, parsePath, settingMessage } from '#engine/check';
import { choiceText, type Measure, measureOf, measureText, settingTitle } from '#shared/setting-words.ts';
import { type SettingWhen, whenOf } from './setting-when.ts';
import {
  choiceOptions,
  constOf,
  type Option,
  optionsOf,
  recordOf,
  tagOf,
  unwrapped,
} from './schema-shapes.ts';

/**
 * A JSON Schema as the fields of a form. The schema alone determines each field, so that an operator's form follows from its
 * params; `widget` in the schema selects between alternatives.
 */
export type FieldShape =
  | { readonly kind: 'text'; readonly multiline: boolean; readonly portName: boolean }
  | {
      readonly kind: 'number';
      readonly integer: boolean;
      readonly bounds: string | undefined;
      readonly measure: Measure | undefined;
    }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'select'; readonly options: readonly Option[] }
  /** Several of a few options: HTTP methods. */
  | { readonly kind: 'choices'; readonly options: readonly Option[] }
  | { readonly kind: 'list'; readonly item: FormField }
  | { readonly kind: 'record'; readonly value: FormField; readonly keys: JsonSchema | undefined }
  | { readonly kind: 'object'; readonly fields: readonly FormField[] }
  | { readonly kind: 'union'; readonly tag: string; readonly variants: readonly Variant[] }
  /** A text for which `{{ }}` is the purpose: a condition. */
  | { readonly kind: 'expression' }
  /** Any JSON, usually an expression. */
  | { readonly kind: 'value' }
  /** JSON in which `{{ }}` is plain text. */
  | { readonly kind: 'json' }
  /** A JSON Schema of a request, edited as a list of its fields. */
  | { readonly kind: 'request' }
  /** A reference to a secret; with `orText` also a text in its place. */
  | { readonly kind: 'secret'; readonly orText?: true }
  /** The name of something that is elsewhere. */
  | { readonly kind: 'name'; readonly of: NameKind }
  /** The tools that an agent may call. */
  | { readonly kind: 'tools' }
  /** A statement of SQL. */
  | { readonly kind: 'sql' }
  /** A piece of code: JavaScript or TypeScript, or Python. */
  | { readonly kind: 'code'; readonly language?: 'python' }
  /** A file, or several. */
  | { readonly kind: 'file' }
  /** A text chosen from what the service of the node lists. */
  | { readonly kind: 'listed' }
  /** A repeated schedule. */
  | { readonly kind: 'cron' }
  | { readonly kind: 'timezone' };

/** What a setting can name; the widget of its schema says so. */
export const NAME_KINDS = [
  'app',
  'connection',
  /** A document of the knowledge space, or spaces, beside it. */
  'document',
  /** A field of the input of the node, or of the items of a list that comes in. */
  'field',
  'flow',
  'flow-trigger',
  /** A path inside the folder that the setting beside it names. */
  'folder-path',
  /** A mailbox of the connection beside it. */
  'mailbox',
  'model',
  'node',
  'space',
  /** A value that nodes store for later runs. */
  'state-key',
  /** A folder of the server, or a connection to files. */
  'store',
] as const;
export type NameKind = (typeof NAME_KINDS)[number];

/** A choice of a union, with the fields that it needs. */
export interface Variant {
  /** The constant in its tag, or the word itself. */
  readonly value: string;
  /** Plain text, not an object with the text in its tag. */
  readonly word: boolean;
  readonly title: string;
  readonly fields: readonly FormField[];
}

/** A field of a form, as its schema determines it. */
export interface FormField {
  /** Its key in the enclosing object; empty for an element of a list. */
  readonly name: string;
  readonly title: string;
  /** Its help. */
  readonly doc: string | undefined;
  readonly required: boolean;
  /** Undefined for none. */
  readonly defaultValue: unknown;
  readonly schema: JsonSchema;
  /** Whether `{{ }}` is evaluated here. */
  readonly dynamic: boolean;
  /** The operator evaluates it itself, with `item` and `index`. */
  readonly lazy: boolean;
  /** The group of *Add option* that adds it; undefined for what is always shown. */
  readonly group: string | undefined;
  /** Which value of another setting it needs. */
  readonly when: SettingWhen | undefined;
  readonly shape: FieldShape;
}

/** Data that the schema itself lacks: where expressions are, and which names become ports. */
interface Setting {
  readonly lazy: ReadonlySet<string>;
  readonly literal: ReadonlySet<string>;
  readonly ports: readonly DerivedPorts[];
  /** The groups of the params that few nodes need, by name. */
  readonly groups: ReadonlyMap<string, string>;
  /** A setting of the product, which has words for its names and choices; the fields of a request are their author's. */
  readonly isOurs: boolean;
}

interface Place {
  readonly name: string;
  /** `cases[].when`, as the catalog names params. */
  readonly pattern: string;
  readonly required: boolean;
  readonly dynamic: boolean;
  readonly lazy: boolean;
}

const known = new WeakMap<object, readonly FormField[]>();

/** The fields of an operator's params; always the same objects, so that nothing is redrawn for them. */
export function paramFields(info: OperatorInfo): readonly FormField[] {
  return remembered(info, () =>
    objectFields(
      info.params,
      { name: '', pattern: '', required: true, dynamic: !info.trigger, lazy: false },
      {
        lazy: new Set(info.lazyParams),
        literal: new Set(info.literalParams),
        ports: [info.derivedInputs, info.derivedOutputs].filter((spec) => spec !== undefined),
        groups: groupsOf(info),
        isOurs: true,
      },
    ),
  );
}

function groupsOf({ options = {} }: OperatorInfo): ReadonlyMap<string, string> {
  return new Map(Object.entries(options).flatMap(([group, names]) => names.map((name) => [name, group])));
}

/** The fields of settings of ours that no operator has, such as those of a flow. */
export function settingFields(schema: JsonSchema): readonly FormField[] {
  return remembered(schema, () => objectFields(schema, ROOT, { ...plain, isOurs: true }));
}

const ROOT: Place = { name: '', pattern: '', required: true, dynamic: false, lazy: false };

/** The fields of an object's schema without expressions. */
export function schemaFields(schema: JsonSchema): readonly FormField[] {
  return remembered(schema, () => objectFields(schema, ROOT, plain));
}

const plain: Setting = { lazy: new Set(), literal: new Set(), ports: [], groups: new Map(), isOurs: false };

function remembered(key: object, make: () => readonly FormField[]): readonly FormField[] {
  const fields = known.get(key) ?? make();
  known.set(key, fields);
  return fields;
}

function objectFields(schema: JsonSchema, at: Place, setting: Setting): FormField[] {
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  return Object.entries(recordOf(schema['properties']) ?? {}).map(([name, property]) => {
    const pattern = at.pattern === '' ? name : `${at.pattern}.${name}`;
    const place = below(at, setting, { name, pattern, required: required.includes(name) });
    return makeField(property as JsonSchema, place, setting);
  });
}

function below(at: Place, setting: Setting, part: Pick<Place, 'name' | 'pattern' | 'required'>): Place {
  const lazy = at.lazy || setting.lazy.has(part.pattern);
  return { ...part, lazy, dynamic: at.dynamic && !setting.literal.has(part.pattern) };
}

function makeField(given: JsonSchema, place: Place, setting: Setting): FormField {
  const schema = unwrapped(given);
  const portName = setting.ports.some(
    (spec) => place.pattern === `${spec.param}[].${spec.nameKey ?? 'name'}`,
  );
  // The ports of a node are known before it runs, so names of ports are fixed values.
  const fixed = portName || setting.ports.some((spec) => spec.param === place.pattern);
  const stringAt = (key: string) => (typeof schema[key] === 'string' ? schema[key] : undefined);
  return {
    name: place.name,
    title: stringAt('title') ?? (setting.isOurs ? settingTitle(place.name) : titleOf(place.name)),
    doc: stringAt('description'),
    required: place.required,
    defaultValue: schema['default'],
    schema: given,
    dynamic: place.dynamic && !fixed,
    lazy: place.lazy,
    group: setting.groups.get(place.pattern) ?? stringAt('group'),
    when: whenOf(schema),
    shape: shapeOf(schema, { ...place, portName }, setting),
  };
}

/** Widgets that need no more data than their name. */
const WIDGETS = new Map<string, FieldShape>([
  ['schema', { kind: 'request' }],
  ['secret', { kind: 'secret' }],
  ['text-or-secret', { kind: 'secret', orText: true }],
  ['sql', { kind: 'sql' }],
  ['code', { kind: 'code' }],
  ['cron', { kind: 'cron' }],
  ['timezone', { kind: 'timezone' }],
  ['choices', { kind: 'listed' }],
  ['tools', { kind: 'tools' }],
  ...NAME_KINDS.map((of) => [of, { kind: 'name', of }] as const),
  ['expression', { kind: 'expression' }],
  ['textarea', { kind: 'text', multiline: true, portName: false }],
]);

function shapeOf(schema: JsonSchema, place: Place & { portName: boolean }, setting: Setting): FieldShape {
  const widget = schema['widget'];
  const known = typeof widget === 'string' ? WIDGETS.get(widget) : undefined;
  if (known?.kind === 'code' && schema['language'] === 'python') return { ...known, language: 'python' };
  if (known) return known;
  if (widget === 'json') return { kind: place.dynamic ? 'value' : 'json' };
  // In a node a file comes from an input; nobody types its handle.
  if (fileLimits(schema, schema) !== undefined) return { kind: place.dynamic ? 'value' : 'file' };
  const options = optionsOf(schema, labelsOf(schema, place, setting));
  if (options) return { kind: 'select', options };
  return unionShape(schema, place, setting) ?? typedShape(schema, place, setting);
}

function typedShape(schema: JsonSchema, place: Place & { portName: boolean }, setting: Setting): FieldShape {
  switch (schema['type']) {
    case 'string':
      return { kind: 'text', multiline: false, portName: place.portName };
    case 'number':
    case 'integer':
      return numberShape(schema, place, setting);
    case 'boolean':
      return { kind: 'boolean' };
    case 'array':
      return listShape(schema, place, setting);
    case 'object':
      return objectShape(schema, place, setting);
    default:
      return { kind: place.dynamic ? 'value' : 'json' };
  }
}

function numberShape(schema: JsonSchema, place: Place, { isOurs }: Setting): FieldShape {
  const measure = isOurs ? measureOf(place.name, schema['unit']) : undefined;
  const written = measure && ((n: number) => measureText(n, measure));
  return {
    kind: 'number',
    integer: schema['type'] === 'integer',
    bounds: boundsText(schema, written),
    measure,
  };
}

/** The choices of our settings have words; those of a request are its values. */
function labelsOf(
  schema: JsonSchema,
  place: Place,
  { isOurs }: Setting,
): ((value: unknown) => string) | undefined {
  // The elements of a list have no name of their own.
  const name = place.name || /(\w+)\[\]$/.exec(place.pattern)?.[1] || '';
  return isOurs ? (value) => choiceText(name, value, schema['labels']) : undefined;
}

function listShape(schema: JsonSchema, place: Place, setting: Setting): FieldShape {
  const items = recordOf(schema['items']) ?? {};
  const part = below(place, setting, { name: '', pattern: `${place.pattern}[]`, required: true });
  const options = choiceOptions(items, labelsOf(items, part, setting));
  if (options) return { kind: 'choices', options };
  return { kind: 'list', item: makeField(items, part, setting) };
}

function objectShape(schema: JsonSchema, place: Place, setting: Setting): FieldShape {
  if (recordOf(schema['properties'])) return { kind: 'object', fields: objectFields(schema, place, setting) };
  const rest = schema['additionalProperties'];
  if (rest === false) return { kind: 'object', fields: [] };
  const part = { name: '', pattern: `${place.pattern}.*`, required: true };
  const value = makeField(recordOf(rest) ?? {}, below(place, setting, part), setting);
  return { kind: 'record', value, keys: recordOf(schema['propertyNames']) };
}

/** A choice of objects that one constant field distinguishes, plus plain words. */
function unionShape(schema: JsonSchema, place: Place, setting: Setting): FieldShape | undefined {
  const branches = (schema['oneOf'] ?? schema['anyOf']) as unknown;
  if (!Array.isArray(branches)) return undefined;
  const objects = (branches as JsonSchema[]).filter((branch) => !optionsOf(branch));
  const tag = tagOf(objects);
  if (tag === undefined) return { kind: place.dynamic ? 'value' : 'json' };
  const labels = labelsOf(schema, place, setting);
  const words = (branches as JsonSchema[]).flatMap((branch) => optionsOf(branch, labels) ?? []);
  const variants = objects.map((branch): Variant => {
    const value = constOf(branch, tag);
    const title = typeof branch['title'] === 'string' ? branch['title'] : (labels?.(value) ?? titleOf(value));
    const fields = objectFields(branch, place, setting).filter((field) => field.name !== tag);
    return { value, word: false, title, fields };
  });
  return { kind: 'union', tag, variants: [...words.map(wordVariant), ...variants] };
}

function wordVariant({ value, label }: Option): Variant {
  return { value: String(value), word: true, title: label, fields: [] };
}

/** `maxItems` as `Max items`. */
export function titleOf(name: string): string {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[_-]+/g, ' ')
    .trim();
  return words === '' ? '' : words.charAt(0).toUpperCase() + words.slice(1).toLowerCase();
}

/** Larger bounds (and ±9007199254740991, which zod writes for any whole number) do not help people who fill in a form. */
const TOLD_BELOW = 1_000_000;

function boundsText(schema: JsonSchema, written?: (n: number) => string): string | undefined {
  const shown = written ?? ((n: number) => n.toLocaleString('en'));
  const most = written ? Number.MAX_SAFE_INTEGER : TOLD_BELOW;
  const bound = (key: string) => {
    const value = schema[key];
    return typeof value === 'number' && Math.abs(value) < most ? value : undefined;
  };
  const min = bound('minimum') ?? bound('exclusiveMinimum');
  const max = bound('maximum') ?? bound('exclusiveMaximum');
  if (min !== undefined && max !== undefined) return `${shown(min)} to ${shown(max)}`;
  if (min !== undefined) return min > 1 ? `from ${shown(min)}` : undefined;
  return max === undefined ? undefined : `up to ${shown(max)}`;
}

/** Advice in place of a value that the field's schema refuses; nothing for a value that only a run knows. */
export function faultOf(field: FormField, value: unknown): string | undefined {
  if (value === undefined || (field.dynamic && typeof value === 'string' && hasTemplate(value)))
    return undefined;
  const issue = compiledSchema(field.schema)?.safeParse(value).error?.issues[0];
  // Deeper problems appear at their own field, or come from the check of the whole flow.
  if (!issue || issue.path.length > 0) return undefined;
  const label = field.title || 'Entry';
  return adviceIn(settingMessage(issue, { label, name: field.name, schema: field.schema }), label);
}

/** `Write an address.` of `Address: write an address.` */
export function adviceIn(message: string, label: string): string {
  const start = `${label}: `;
  if (!message.startsWith(start)) return message;
  return message.charAt(start.length).toUpperCase() + message.slice(start.length + 1);
}

/** Params that the operator does not have. */
export function unknownParams(
  info: OperatorInfo,
  params: Readonly<Record<string, unknown>> | undefined,
): string[] {
  const { properties, additionalProperties = false } = info.params;
  const names = Object.keys(recordOf(properties) ?? {});
  return additionalProperties === false
    ? Object.keys(params ?? {}).filter((key) => !names.includes(key))
    : [];
}

/** The field itself and all fields around it, innermost first: candidates for showing a problem. */
export function fieldChain(field: string): string[] {
  const path = parsePath(field) ?? [];
  return path.map((_, i) => formatPath(path.slice(0, path.length - i)));
}
