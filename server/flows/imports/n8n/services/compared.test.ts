import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { allLines } from './all-lines.ts';
import { compared } from './compared.ts';
import type { ServiceLines } from './lines.ts';

/**
 * A service that counts as compared sends only what was found in the description of its vendor. `testing/described.json` has the requests by
 * method and path, with the names of their fields: `?` is in the query, `^` a header, `!` has to be sent, and `:` is how the body is written.
 */
const described: Readonly<Record<string, Readonly<Record<string, string>>>> = JSON.parse(
  readFileSync(new URL('testing/described.json', import.meta.url), 'utf8'),
);

interface Sent {
  readonly request: string;
  readonly names: readonly string[];
  /** The whole body is a param, so its fields are not known. */
  readonly isWhole: boolean;
  readonly bodyType: string | undefined;
}

function sentBy({ address = '', headers = {} }: ServiceLines, line: string): Sent {
  const [request = ''] = line.split(' -> ');
  const [method = '', path = '', ...words] = request.split(' ');
  const url = `${path.startsWith('/') ? address : ''}${path}`.replace(/^https:\/\/[^/]+/, '');
  const flags = words.filter((word) => word.startsWith(':'));
  const inQuery = (method === 'GET' || method === 'DELETE') && !flags.includes(':body');
  const named = words
    .filter((word) => !/^([~:=]|\.\.\.)/.test(word))
    .map((word) => `${inQuery && !/^[?^]/.test(word) ? '?' : ''}${word.replace(/=.*$/s, '')}`);
  const isWhole = words.some((word) => /^(=|\.\.\.)/.test(word));
  const hasBody = (isWhole && !inQuery) || named.some((name) => !/^[?^]/.test(name));
  const bodyType = flags.includes(':form') ? ':form' : flags.includes(':multipart') ? ':multipart' : ':json';
  return {
    request: `${method} ${url.replaceAll(/\{[^}]+\}/g, '{}')}`,
    names: [...Object.keys(headers).map((name) => `^${name}`), ...named],
    isWhole,
    bodyType: hasBody ? bodyType : undefined,
  };
}

const services = Object.entries(compared).map(([kind, { except = [] }]) => {
  const lines = allLines[kind] as ServiceLines;
  const operations = Object.entries(lines.operations).filter(([name]) => !except.includes(name));
  return { kind, except, lines, sent: operations.map(([, line]) => sentBy(lines, line)) };
});

test.each(services)('$kind sends what its vendor describes', ({ kind, sent }) => {
  const known = described[kind] ?? {};
  for (const { request, names, isWhole, bodyType } of sent) {
    expect(Object.keys(known)).toContain(request);
    const words = (known[request] ?? '').split(' ');
    const all = words.map((word) => word.replace(/!$/, ''));
    const tops = new Set(all.map((word) => word.split('.')[0]));
    for (const name of names.filter((one) => !one.startsWith('^')))
      expect(all.includes(name) || (!name.includes('.') && tops.has(name)), `${request} ${name}`).toBe(true);
    for (const needed of words.filter((word) => word.endsWith('!')).map((word) => word.slice(0, -1))) {
      const isSent = names.some((name) => name === needed || name.startsWith(`${needed}.`));
      expect(isSent || (isWhole && /^\w/.test(needed)), `${request} needs ${needed}`).toBe(true);
    }
    if (bodyType !== undefined) expect(words, request).toContain(bodyType);
  }
});

test('each service in lines is compared', () => {
  expect(Object.keys(compared).sort()).toEqual(Object.keys(allLines).sort());
});

test('what is described is sent by a line, and each exception is one', () => {
  for (const { kind, except, lines, sent } of services) {
    const requests = new Set(sent.map(({ request }) => request));
    expect([...requests].sort()).toEqual(Object.keys(described[kind] ?? {}).sort());
    for (const name of except) expect(Object.keys(lines.operations), kind).toContain(name);
  }
  expect(Object.keys(described).sort()).toEqual(Object.keys(compared).sort());
});

test('a line that sends another field, or to another path, is no longer as described', () => {
  const asana = described['asana'] ?? {};
  const { request, names } = sentBy(allLines['asana'] as ServiceLines, 'POST /task data.title=name');
  expect(Object.keys(asana)).not.toContain(request);
  expect((asana['POST /tasks'] ?? '').split(' ')).not.toContain(names[0]);
});
