import type { z } from 'zod';
import type { OperatorInfo } from '#shared/catalog.ts';
import type { FlowNode } from '#shared/flow.ts';
import { isRecord, type JsonSchema } from '#shared/json.ts';
import { choiceText, measureOf, measureText, settingTitle, singular } from '#shared/setting-words.ts';
import type { Path } from './field-path.ts';

/** What schemas find, as sentences that say what to write. */

/** A finding about the field of this name in a file. */
export function issueMessage(issue: z.core.$ZodIssue, field: string): string {
  return `\`${field}\`: ${adviceOf(issue, undefined)}.`;
}

/** A finding about a setting: `Address: write an address that begins with https://.` */
export function settingMessage(issue: z.core.$ZodIssue, place: SettingPlace): string {
  const advice = adviceOf(issue, place);
  return place.label === '' ? `${capitalised(advice)}.` : `${place.label}: ${advice}.`;
}

type Known = SettingPlace | undefined;

type Issue = z.core.$ZodIssue;
type IssueOf<C extends Issue['code']> = Extract<Issue, { code: C }>;
type Advice = { readonly [C in Issue['code']]?: (issue: IssueOf<C>, at: Known) => string };

function adviceOf(issue: Issue, at: Known): string {
  const isMissing = issue.code === 'invalid_type' && issue.message.endsWith('received undefined');
  if (isMissing || isEmpty(issue)) return askedFor(at) ?? ASKED[kindOf(issue)] ?? 'fill it in';
  const advise = ADVICE[issue.code] as ((issue: Issue, at: Known) => string) | undefined;
  if (advise) return advise(issue, at);
  return issue.message.replace(/\.$/, '').replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase());
}

const ADVICE: Advice = {
  invalid_key: nameAdvice,
  invalid_type: ({ expected }, at) => measuredAdvice(at) ?? ASKED[expected] ?? 'write another value',
  too_small: ({ origin, minimum, inclusive }, at) =>
    boundAdvice({ origin, word: 'at least', limit: Number(minimum), isInclusive: inclusive !== false }, at),
  too_big: ({ origin, maximum, inclusive }, at) =>
    boundAdvice({ origin, word: 'at most', limit: Number(maximum), isInclusive: inclusive !== false }, at),
  not_multiple_of: ({ divisor }) => `write a multiple of ${divisor}`,
  invalid_value: ({ values }, at) => choiceAdvice(values, at),
  invalid_format: (issue, at) => formatAdvice(issue, at?.schema),
  invalid_union: (_, at) => unionAdvice(at),
  unrecognized_keys: ({ keys }) =>
    `remove ${keys.map((key) => `\`${key}\``).join(', ')}, which is not known here`,
};

function kindOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'too_small') return issue.origin;
  return issue.code === 'invalid_type' ? issue.expected : '';
}

function isEmpty(issue: z.core.$ZodIssue): boolean {
  return (
    issue.code === 'too_small' &&
    Number(issue.minimum) === 1 &&
    (issue.origin === 'string' || issue.origin === 'array')
  );
}

const ASKED: Readonly<Record<string, string>> = {
  string: 'write a text',
  number: 'write a number',
  int: 'write a whole number',
  boolean: 'choose yes or no',
  array: 'add at least one entry',
  object: 'fill in its fields',
  record: 'add names with values',
  null: 'leave it empty',
  undefined: 'leave it empty',
};

/** Names of something that is chosen from a list. */
const CHOSEN: Readonly<Record<string, string>> = {
  app: 'choose an app',
  node: 'choose a node',
  space: 'choose a knowledge space',
  connection: 'choose a connection',
  cron: 'say when, such as every day at 9:00',
  document: 'choose a document',
  field: 'choose a field',
  flow: 'choose a flow',
  'flow-trigger': 'choose where the flow starts',
  mailbox: 'choose a mailbox',
  model: 'choose a model',
  secret: 'choose a secret',
  'state-key': 'choose a value by its name, or write a new name',
  store: 'choose a folder or a connection to files',
  timezone: 'choose a time zone',
};

const WRITTEN: Readonly<Record<string, string>> = {
  code: 'write the code',
  expression: 'write an expression such as {{ input.amount > 100 }}',
  schema: 'add at least one field',
};

/** What a setting that is empty asks for, as its schema says. */
function askedFor(at: Known): string | undefined {
  const schema = at?.schema;
  if (!at || !schema) return undefined;
  const widget = textOf(schema['widget']) ?? '';
  const known = CHOSEN[widget] ?? textOf(schema['says']) ?? WRITTEN[widget];
  const choices = valuesOf(schema);
  if (known !== undefined) return known;
  if (choices) return choiceAdvice(choices, at);
  if (schema['type'] === 'array') return `add at least one ${lower(singular(lastOf(at.label)))}`;
  return measuredAdvice(at) ?? FORMATS[textOf(schema['format']) ?? ''];
}

function measuredAdvice(at: Known): string | undefined {
  const measure = at?.schema && measureOf(at.name, at.schema['unit']);
  return measure && MEASURED[measure];
}

const MEASURED = {
  ms: 'write a time such as 30 s, 5 min or 2 h',
  s: 'write a time such as 30 s, 5 min or 2 h',
  bytes: 'write a size such as 500 kB or 10 MB',
} as const;

function valuesOf(schema: JsonSchema): readonly unknown[] | undefined {
  if (Array.isArray(schema['enum'])) return schema['enum'] as unknown[];
  return 'const' in schema ? [schema['const']] : undefined;
}

/** More choices than these are better looked at in their list. */
const MOST_CHOICES = 7;

function choiceAdvice(values: readonly unknown[], at: Known): string {
  if (values.length > MOST_CHOICES) return 'choose one from its list';
  const labels = at?.schema?.['labels'];
  const shown = values.map((value) => (at ? choiceText(at.name, value, labels) : JSON.stringify(value)));
  return `choose ${alternatives(shown)}`;
}

function alternatives(words: readonly string[]): string {
  return words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

function unionAdvice(at: Known): string {
  const branches = [at?.schema?.['anyOf'], at?.schema?.['oneOf']].find(Array.isArray) as
    | JsonSchema[]
    | undefined;
  if (!at || !branches) return 'write it in one of its forms';
  const words = branches.flatMap((branch) => {
    const values = valuesOf(branch);
    if (values) return values.map((value) => choiceText(at.name, value, at.schema?.['labels']));
    const tagged = Object.values(isRecord(branch['properties']) ? branch['properties'] : {}).find(
      (property) => isRecord(property) && 'const' in property,
    ) as JsonSchema | undefined;
    return tagged ? [choiceText(at.name, tagged['const'], at.schema?.['labels'])] : [];
  });
  if (words.length > 0)
    return words.length > MOST_CHOICES ? 'choose one from its list' : `choose ${alternatives(words)}`;
  const kinds = branches.flatMap(({ type }) =>
    typeof type === 'string' && NOUNS[type] ? [NOUNS[type]] : [],
  );
  return kinds.length > 0 ? `write ${alternatives([...new Set(kinds)])}` : 'write it in one of its forms';
}

const NOUNS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};

interface Bound {
  readonly origin: string;
  readonly word: 'at least' | 'at most';
  readonly limit: number;
  readonly isInclusive: boolean;
}

function boundAdvice({ origin, word, limit, isInclusive }: Bound, at: Known): string {
  if (origin === 'string') return `write ${word} ${counted(limit, 'character')}`;
  if (origin === 'array' || origin === 'set')
    return `${word === 'at least' ? 'add' : 'keep'} ${word} ${countedEntries(limit, at)}`;
  const measure = at && measureOf(at.name, at.schema?.['unit']);
  const shown = measure ? measureText(limit, measure) : limit.toLocaleString('en');
  const noun = measure ? MEASURE_NOUNS[measure] : 'a number';
  const beyond = word === 'at least' ? 'more than' : 'less than';
  return `write ${noun} of ${isInclusive ? word : beyond} ${shown}`;
}

const MEASURE_NOUNS = { ms: 'a time', s: 'a time', bytes: 'a size' } as const;

function countedEntries(n: number, at: Known): string {
  const one = at && at.label !== '' ? lower(singular(lastOf(at.label))) : undefined;
  return one === undefined ? counted(n, 'entry', 'entries') : counted(n, one);
}

function counted(n: number, one: string, many = `${one}s`): string {
  return `${n.toLocaleString('en')} ${n === 1 ? one : many}`;
}

/** Patterns of names in words; the schema of a setting says its own as `says`. */
const PATTERNS: Readonly<Record<string, string>> = {
  '/^[a-z][a-z0-9_]{0,63}$/': 'use a-z, 0-9 and _, beginning with a letter, at most 64 characters',
  '/^[a-z][a-z0-9_-]{0,63}$/': 'use a-z, 0-9, _ and -, beginning with a letter, at most 64 characters',
  '/^[a-zA-Z0-9_-]{1,64}$/': 'use letters, digits, _ and -, at most 64 characters',
  '/^[1-5](?:\\d\\d|xx)$/': 'write a status such as 404, or a class such as 5xx',
  "/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/": 'write the name of a header, such as X-Request-Id',
  '/^[^"\\\\]*$/': 'use no quotes and no backslashes',
  '/^[\\t\\x20-\\x7e\\x80-\\xff]*$/': 'write it in one line, in Latin letters',
};

const FORMATS: Readonly<Record<string, string>> = {
  url: 'write an address that begins with https://',
  uri: 'write an address that begins with https://',
  email: 'write a mail address',
  uuid: 'write a UUID',
  datetime: 'write a time such as 2026-03-01T09:00:00Z',
  'date-time': 'write a time such as 2026-03-01T09:00:00Z',
  date: 'write a day such as 2026-03-01',
  file: 'give a file',
};

function formatAdvice(
  issue: Extract<z.core.$ZodIssue, { code: 'invalid_format' }>,
  schema: JsonSchema | undefined,
): string {
  const says = textOf(schema?.['says']);
  if (says !== undefined) return says;
  const [example] = Array.isArray(schema?.['examples']) ? (schema['examples'] as unknown[]) : [];
  if (typeof example === 'string') return `write it like ${example}`;
  if (issue.format !== 'regex') return FORMATS[issue.format] ?? 'write it as its help says';
  const { pattern } = issue as { pattern?: string };
  const known = pattern === undefined ? undefined : PATTERNS[pattern];
  if (known !== undefined) return known;
  // A sentence of our own stands in place of the pattern.
  return issue.message.startsWith('Invalid string') ? 'write it as its help says' : issue.message;
}

function nameAdvice(issue: Extract<z.core.$ZodIssue, { code: 'invalid_key' }>, at: Known): string {
  const [inner] = issue.issues;
  const why =
    inner?.code === 'invalid_format' ? formatAdvice(inner, undefined) : inner && adviceOf(inner, undefined);
  return `choose another name${why === undefined || at === undefined ? '' : `: ${why}`}`;
}

function lastOf(label: string): string {
  return label.split(' › ').at(-1) ?? label;
}

function lower(text: string): string {
  return /^[A-Z]{2}/.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1);
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A setting of an operator, as people know it. */
export interface SettingPlace {
  /** `Address`, `Case 2 › When`. */
  readonly label: string;
  /** Its key in the enclosing object; that of the list for an element of one. */
  readonly name: string;
  /** Undefined for what the schema does not describe. */
  readonly schema: JsonSchema | undefined;
}

/** The setting at a path below the schema of all settings. */
export function settingAt(schema: JsonSchema, path: Path): SettingPlace {
  const labels: string[] = [];
  let at: JsonSchema | undefined = schema;
  let name = '';
  for (const key of path) {
    const around: JsonSchema | undefined = at;
    if (typeof key === 'number') {
      labels.push(`${capitalised(singular(labels.pop() ?? 'Entry'))} ${key + 1}`);
      at = around && partOf(around, 'items', undefined);
    } else {
      at = around && partOf(around, 'properties', key);
      const isFree = at === undefined || !isNamed(around, key);
      name = key;
      labels.push(isFree ? key : titleIn(at, key));
    }
  }
  return { label: labels.join(' › '), name, schema: at };
}

function titleIn(schema: JsonSchema | undefined, key: string): string {
  const title = schema?.['title'];
  return typeof title === 'string' ? title : settingTitle(key);
}

function branchesOf(schema: JsonSchema): readonly JsonSchema[] {
  const branches = [schema['anyOf'], schema['oneOf']].filter(Array.isArray).flat() as JsonSchema[];
  return [schema, ...branches];
}

/** What a schema, or a branch of it, says of the elements of a list or of a key. */
function partOf(
  schema: JsonSchema,
  keyword: 'items' | 'properties',
  key: string | undefined,
): JsonSchema | undefined {
  for (const branch of branchesOf(schema)) {
    const part = branch[keyword];
    if (key === undefined && isRecord(part)) return part;
    if (key !== undefined && isRecord(part) && Object.hasOwn(part, key)) return part[key] as JsonSchema;
  }
  const rest = branchesOf(schema).find((branch) => isRecord(branch['additionalProperties']));
  return key === undefined ? undefined : (rest?.['additionalProperties'] as JsonSchema | undefined);
}

/** Whether the name is one of ours, and not one that somebody gave. */
function isNamed(schema: JsonSchema | undefined, key: string): boolean {
  return (
    schema !== undefined &&
    branchesOf(schema).some(
      (branch) => isRecord(branch['properties']) && Object.hasOwn(branch['properties'], key),
    )
  );
}

/** `Send HTTP request has no setting “urll”, so it has no effect.` */
export function unknownSetting(
  { node, info }: { readonly node: Pick<FlowNode, 'operator'>; readonly info: OperatorInfo | undefined },
  path: Path,
): string {
  const around = info && settingAt(info.params, path.slice(1, -1)).label;
  const place = around ? `${around} of ${info.title}` : (info?.title ?? node.operator);
  return `${place} has no setting “${path.at(-1)}”, so it has no effect.`;
}
