import type { z } from 'zod';

/** What schemas find, as sentences that say what to write. */

/** A finding about the field of this name. */
export function issueMessage(issue: z.core.$ZodIssue, field: string): string {
  if (issue.code === 'invalid_key')
    return `\`${field}\` is not a valid name: it ${issue.issues[0]?.message ?? 'is refused'}.`;
  if (issue.code === 'invalid_type' && issue.message.endsWith('received undefined'))
    return `\`${field}\` is missing: ${ASKED[issue.expected] ?? 'fill it in'}.`;
  if (isEmpty(issue)) return `\`${field}\` is empty: ${ASKED[issue.origin] ?? 'fill it in'}.`;
  return `\`${field}\` is not valid: ${faultText(issue)}.`;
}

const ASKED: Readonly<Record<string, string>> = {
  string: 'write a text',
  number: 'write a number',
  int: 'write a whole number',
  boolean: 'choose yes or no',
  array: 'add at least one entry',
};

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

function isEmpty(issue: z.core.$ZodIssue): issue is z.core.$ZodIssueTooSmall {
  return (
    issue.code === 'too_small' &&
    Number(issue.minimum) === 1 &&
    (issue.origin === 'string' || issue.origin === 'array')
  );
}

function faultText(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `it must be ${KINDS[issue.expected] ?? issue.expected}`;
    case 'too_small':
      return boundText(issue.origin, 'at least', Number(issue.minimum), issue.inclusive !== false);
    case 'too_big':
      return boundText(issue.origin, 'at most', Number(issue.maximum), issue.inclusive !== false);
    case 'not_multiple_of':
      return `it must be a multiple of ${issue.divisor}`;
    case 'invalid_value':
      return `it must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`;
    case 'invalid_format':
      return formatText(issue);
    case 'invalid_union':
      return 'it has none of the possible forms';
    default:
      return issue.message;
  }
}

function boundText(
  origin: string,
  word: 'at least' | 'at most',
  limit: number,
  isInclusive: boolean,
): string {
  const shown = limit.toLocaleString('en');
  if (origin === 'string') return `it must have ${word} ${counted(limit, 'character')}`;
  if (origin === 'array' || origin === 'set')
    return `it must have ${word} ${counted(limit, 'entry', 'entries')}`;
  if (!isInclusive) return `it must be ${word === 'at least' ? 'more' : 'less'} than ${shown}`;
  return `it must be ${word} ${shown}`;
}

function counted(n: number, one: string, many = `${one}s`): string {
  return `${n.toLocaleString('en')} ${n === 1 ? one : many}`;
}

/** Patterns of names in words; the alternatives stand in operators and settings. */
const PATTERNS: Readonly<Record<string, string>> = {
  '/^[a-z][a-z0-9_]{0,63}$/': 'use a-z, 0-9 and _, beginning with a letter, at most 64 characters',
  '/^[a-z][a-z0-9_-]{0,63}$/': 'use a-z, 0-9, _ and -, beginning with a letter, at most 64 characters',
  '/^[a-zA-Z0-9_-]{1,64}$/': 'use letters, digits, _ and -, at most 64 characters',
  '/^[1-5](?:\\d\\d|xx)$/': 'write a status such as 404, or a class such as 5xx',
};

const FORMATS: Readonly<Record<string, string>> = {
  url: 'write an address such as https://example.com',
  email: 'write a mail address',
  uuid: 'write a UUID',
  datetime: 'write a time such as 2026-03-01T09:00:00Z',
  date: 'write a day such as 2026-03-01',
};

function formatText(issue: Extract<z.core.$ZodIssue, { code: 'invalid_format' }>): string {
  if (issue.format !== 'regex') return FORMATS[issue.format] ?? issue.message;
  const { pattern } = issue as { pattern?: string };
  const known = pattern === undefined ? undefined : PATTERNS[pattern];
  return known ?? issue.message.replace(/^Invalid string: must match pattern/, 'it must match');
}
