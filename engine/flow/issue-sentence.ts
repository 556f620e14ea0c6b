import type { z } from 'zod';
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

function adviceOf(issue: z.core.$ZodIssue, at: Known): string {
  const isMissing = issue.code === 'invalid_type' && issue.message.endsWith('received undefined');
  if (isMissing || isEmpty(issue)) return askedFor(at) ?? ASKED[kindOf(issue)] ?? 'fill it in';
  switch (issue.code) {
    case 'invalid_key':
      return nameAdvice(issue, at);
    case 'invalid_type':
      return measuredAdvice(at) ?? ASKED[issue.expected] ?? 'write another value';
    case 'too_small':
      return boundAdvice(issue.origin, 'at least', Number(issue.minimum), issue.inclusive !== false, at);
    case 'too_big':
      return boundAdvice(issue.origin, 'at most', Number(issue.maximum), issue.inclusive !== false, at);
    case 'not_multiple_of':
      return `write a multiple of ${issue.divisor}`;
    case 'invalid_value':
      return choiceAdvice(issue.values, at);
    case 'invalid_format':
      return formatAdvice(issue, at?.schema);
    case 'invalid_union':
      return unionAdvice(at);
    case 'unrecognized_keys':
      return `remove ${issue.keys.map((key) => `\`${key}\``).join(', ')}, which is not known here`;
    default:
      return issue.message.replace(/\.$/, '').replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase());
  }
}

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
  connection: 'choose a connection',
  cron: 'say when, such as every day at 9:00',
  flow: 'choose a flow',
  'flow-trigger': 'choose where the flow starts',
  model: 'choose a model',
  secret: 'choose a secret',
  store: 'choose a folder or a connection to files',
  timezone: 'choose a time zone',
};

const WRITTEN: Readonly<Record<string, string>> = {
  code: 'write the code',
  expression: 'write an expression such as {{ input.amount > 100 }}',
  schema: 'add at least one field',
  sql: 'write a statement, such as SELECT * FROM orders',
};

/** What a setting that is empty asks for, as its schema says. */
function askedFor(at: Known): string | undefined {
  const schema = at?.schema;
  if (!at || !schema) return undefined;
  const widget = textOf(schema['widget']);
  const refers = isRecord(schema['refers']) ? textOf(schema['refers']['to']) : undefined;
  const chosen = refers === undefined ? undefined : `choose ${articled(refers)}`;
  const known = chosen ?? (widget && (CHOSEN[widget] ?? WRITTEN[widget])) ?? textOf(schema['says']);
  if (known !== undefined) return known;
  const choices = valuesOf(schema);
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

function boundAdvice(
  origin: string,
  word: 'at least' | 'at most',
  limit: number,
  isInclusive: boolean,
  at: Known,
): string {
  if (origin === 'string') return `write ${word} ${counted(limit, 'character')}`;
  if (origin === 'array' || origin === 'set') {
    const one = at && at.label !== '' ? lower(singular(lastOf(at.label))) : undefined;
    const verb = word === 'at least' ? 'add' : 'keep';
    return one === undefined
      ? `${verb} ${word} ${counted(limit, 'entry', 'entries')}`
      : `${verb} ${word} ${counted(limit, one)}`;
  }
  const measure = at && measureOf(at.name, at.schema?.['unit']);
  const shown = measure ? measureText(limit, measure) : limit.toLocaleString('en');
  const noun = measure === 'bytes' ? 'a size' : measure ? 'a time' : 'a number';
  if (!isInclusive) return `write ${noun} of ${word === 'at least' ? 'more' : 'less'} than ${shown}`;
  return `write ${noun} of ${word} ${shown}`;
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

function articled(noun: string): string {
  return `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`;
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
