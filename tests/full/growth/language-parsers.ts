import { bind, type Dialect } from '../../../server/integrations/connections/placeholders.ts';
import { checkRead } from '../../../server/integrations/connections/reads.ts';
import { parseList } from '../../../server/integrations/connections/kinds/postgres/values.ts';
import { checkStatement } from '../../../server/integrations/questions/check-statement.ts';
import { timesOf } from '../../../server/base/requests/schedule-spec.ts';
import { createAllowList, isAllowEntry } from '../../../server/base/outbound/allow-list.ts';
import { parse as parseFlow } from '../../../engine/flow/parse.ts';
import { parsePath } from '../../../engine/flow/field-path.ts';
import { parseExpression, parseTemplate, readsOf, renameInTemplate } from '../../../engine/expr/index.ts';
import { compileRegex, isMatch, matchesIn } from '../../../engine/operators/_regex.ts';
import { readReplacement } from '../../../engine/operators/_replacement.ts';
import { isoMs } from '../../../engine/operators/_iso-time.ts';
import { durationMs } from '../../../engine/operators/_duration.ts';
import { curlSettings } from '../../../editor/model/curl/curl-params.ts';
import type { Parser } from './measure.ts';

const EXPRESSION = ['(', ')', '[', ']', '{', '}', '"', '.', 'a', '+', '?', ':', '1', '`', '${', ' '];
const SQL = ["'", '"', '$1', ':a', '/*', '--', '\n', '(', ' ', '$a$'];

const placeholders = (dialect: Dialect): Parser => ({
  name: `placeholders, ${dialect}`,
  tokens: SQL,
  read: (text) => bind(`select ${text}`, dialect),
});

const reads = (dialect: 'postgres' | 'mysql'): Parser => ({
  name: `what a statement begins with, ${dialect}`,
  tokens: [...SQL, '/*!', '#', '\r', '\\'],
  read: (text) => checkRead(text, dialect),
});

const statements = (kind: Dialect, tokens: readonly string[]): Parser => ({
  name: `statements, ${kind}`,
  tokens,
  read: (text) => checkStatement(kind, `select ${text}`, []),
});

/** Languages of authors and models. */
export const languageParsers: readonly Parser[] = [
  {
    name: 'expressions',
    tokens: EXPRESSION,
    read: (text) => {
      const read = parseExpression(text);
      return read.ok && readsOf(read.ast);
    },
  },
  {
    name: 'templates',
    tokens: ['{{', '}}', '{', '"', '{{ nodes.a.out }}', '.', ' ', '\\'],
    read: (text) => [parseTemplate(text), renameInTemplate(text, ['nodes', 'a', 'out'], 'b')],
  },
  {
    name: 'flows as text',
    tokens: ['[', '{', '"', ':', ',', '//', '\n', '/*', '1', '"a":', '\\'],
    read: (text) => parseFlow(`{"format":1,"id":"a","nodes":{"a":${text}}}`),
  },
  { name: 'paths of fields', tokens: ['.', '[', ']', '"', 'a', '0', '\\'], read: parsePath },
  { name: 'replacements', tokens: ['$', '{', '}', '1', 'a', '$1'], read: readReplacement },
  {
    name: 'patterns',
    tokens: ['(', ')', '*', '+', '[', ']', 'a', '|', '{2}', '\\', '^', '?'],
    read: (text) => compileRegex(text.slice(0, 1000), {} as never),
  },
  {
    name: 'searches of patterns',
    tokens: ['a', 'b', ' ', '\n'],
    read: (text) =>
      ['(a+)+$', '(a|a)*b', '(.*)*x', '(a*)*b'].map((pattern) => {
        const regex = compileRegex(pattern, {} as never);
        return [isMatch(regex, text), [...matchesIn(regex, text.slice(0, 20_000))].length];
      }),
  },
  {
    name: 'cron',
    tokens: ['*', '/', ',', '-', '1', ' ', 'L', '#', 'mon'],
    read: (text) => timesOf({ cron: text, timezone: 'UTC' }),
  },
  {
    name: 'time zones',
    tokens: ['/', 'a', '+', '0', ':'],
    read: (text) => timesOf({ cron: '* * * * *', timezone: text }),
  },
  { name: 'times in ISO 8601', tokens: ['2026-01-01', 'T', '0', ':', '.', '+', ' ', 'Z'], read: isoMs },
  { name: 'durations', tokens: ['1', 'h', 'm', ' ', '.', 's'], read: (text) => durationMs(text, 'x') },
  {
    name: 'allow-list',
    tokens: ['*', '.', ':', '/', 'a', '1', '[', ']'],
    read: (text) => isAllowEntry(text) && createAllowList([text]),
  },
  {
    name: 'curl commands',
    tokens: ['-d ', "'", '"', '\\', '\n', ' ', '-H ', 'a', ':', '&', '$', '-'],
    read: (text) => curlSettings(`curl http://a.example ${text}`),
  },
  reads('postgres'),
  reads('mysql'),
  placeholders('postgres'),
  placeholders('mysql'),
  placeholders('sqlite'),
  {
    name: 'lists of PostgreSQL',
    tokens: ['{', '}', '"', ',', '\\', 'a', 'NULL'],
    read: (text) => parseList(`{${text}}`, (item) => item),
  },
  statements('postgres', SQL),
  statements('mysql', ['(', "'", '/*', 'a, ', ' ']),
  statements('sqlite', SQL),
];
