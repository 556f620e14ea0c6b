import { describe, expect, test } from 'vitest';
import { serviceOperators } from '#engine/services';
import type { Asker } from '#engine';
import { exampleInput } from '#shared/example-input.ts';
import { isRecord } from '#shared/json.ts';
import { maySendTo } from '#shared/secret.ts';
import type { ServiceCall, ServiceFile } from '#shared/service-file.ts';
import { fieldAt } from '../../../engine/services/fields.ts';
import { TestCall } from '../../../engine/testing/call.ts';
import { expressionTools } from '../../base/adapters/expression-tools.ts';
import { type Bed, startBed } from '../../testing/platform-bed.ts';
import { providers } from '../connections/kinds/oauth2/providers/all.ts';
import { readServiceText } from './read-service.ts';
import { shippedIds, shippedText } from './shipped.ts';
import { type MockService, mockService, type Planned, sampleOf, SECRET } from './testing/mock-service.ts';

/** Holds every call of every shipped service against a mock that refuses what the file does not describe. */

const files = await Promise.all(shippedIds().map((id) => readServiceText(shippedText(id) ?? '')));
const asker: Asker = { flow: 'flow', version: 'v1', run: 'run', node: 'node', operator: 'test.operator' };
const CONNECTION = 'stand_in';

interface Stand {
  readonly file: ServiceFile;
  readonly mock: MockService;
  run(call: ServiceCall, params: Readonly<Record<string, unknown>>): Promise<unknown>;
}

async function stand(file: ServiceFile): Promise<Stand> {
  const mock = await mockService(file);
  const bed = await startBed();
  await connect(bed, file, mock);
  const operators = serviceOperators(file, expressionTools('UTC'));
  const services = bed.ctx.host.services ?? {};
  return {
    file,
    mock,
    async run(call, params) {
      // Hidden calls are run by triggers and by other calls.
      const shown = operators.has(`${file.id}.${call.id}`)
        ? operators
        : serviceOperators(withShown(file, call.id), expressionTools('UTC'));
      const operator = shown.get(`${file.id}.${call.id}`);
      mock.expects = call.id;
      const by = new TestCall({ in: undefined }, { services });
      const given = await withFiles(bed, call, params);
      const parsed = operator?.params.safeParse({ connection: CONNECTION, ...given });
      if (parsed?.success !== true) throw new Error(`bad params: ${parsed?.error}`);
      by.params = parsed.data;
      return operator?.run?.(by);
    },
  };
}

function withShown(file: ServiceFile, id: string): ServiceFile {
  return { ...file, calls: file.calls.map((call) => ({ ...call, hidden: call.hidden && call.id !== id })) };
}

/** A connection as the service wants it, to the mock in place of the service. */
async function connect(bed: Bed, file: ServiceFile, { url }: MockService): Promise<void> {
  const way = file.connect.find(({ kind }) => kind === 'http');
  const settings =
    way?.kind === 'http'
      ? { auth: way.auth, ...(way.header !== undefined && { header: way.header }) }
      : { auth: 'bearer' };
  await bed.ctx.connections.put(CONNECTION, {
    kind: 'http',
    settings: { address: url, secret: SECRET, user: 'u', ...settings },
    grants: { flows: ['flow'] },
  });
}

async function withFiles(bed: Bed, { parameters }: ServiceCall, params: Readonly<Record<string, unknown>>) {
  const given: Record<string, unknown> = { ...params };
  for (const { name, schema, required } of parameters) {
    if (schema['format'] !== 'file' || !(required || given[name] !== undefined)) continue;
    const file = { name: 'note.txt', type: 'text/plain', content: 'Hello' };
    given[name] = await bed.ctx.host.services?.files?.create(file, asker, new AbortController().signal);
  }
  return given;
}

/** Params of an example without an error, or some that fit the schemas. */
function paramsFor({ definitions }: ServiceFile, { examples, parameters }: ServiceCall) {
  const example = examples.find(({ error, answer }) => error === undefined && (answer?.status ?? 200) < 400);
  if (example !== undefined) return example.params;
  const required = parameters.filter((one) => one.required);
  return Object.fromEntries(
    required.map(({ name, schema }) => [name, exampleInput({ ...schema, definitions })]),
  );
}

describe.each(files.map((file) => [file.id, file] as const))('%s', (_, file) => {
  test('its sign-ins are those of a provider that knows their scopes and sends to their hosts', () => {
    for (const way of file.connect) {
      if (way.kind !== 'oauth2') continue;
      const { scopes, hosts } = providers.get(way.provider) ?? { scopes: [], hosts: [] };
      const known = scopes.map(({ scope }) => scope);
      expect(way.scopes.filter((scope) => !known.includes(scope))).toEqual([]);
      const addresses = [file.base, ...file.calls.flatMap(({ base }) => base ?? [])];
      expect(addresses.filter((address) => !maySendTo(hosts, new URL(address).origin))).toEqual([]);
    }
  });

  test('each example sends what it says, and gives what it says', async () => {
    const at = await stand(file);
    for (const call of file.calls) for (const example of call.examples) await holdExample(at, call, example);
  });

  test('each call is as the file describes it, and so is its output', async () => {
    const { mock, run } = await stand(file);
    for (const call of file.calls.filter(
      ({ before, answer }) => before.length === 0 && answer.detail === undefined,
    )) {
      const { makes, each, mail } = call.answer;
      // What expressions make of an answer is held by the examples.
      if (makes !== undefined || each !== undefined || mail !== undefined) continue;
      mock.received.length = 0;
      if (call.pages !== undefined) mock.plan(onePage(file, call, [{ a: 1 }], undefined));
      await run(call, paramsFor(file, call));
      expect(mock.faults, call.id).toEqual([]);
      expect(mock.received.map((one) => one.call)).toEqual([call.id]);
    }
  });

  test('pages follow each other until the last one, or until there are enough', async () => {
    const { mock, run } = await stand(file);
    for (const call of file.calls) {
      const { pages, answer } = call;
      if (
        pages === undefined ||
        answer.makes !== undefined ||
        answer.each !== undefined ||
        answer.detail !== undefined
      )
        continue;
      const isCounted = isLastWhenShort(pages.next);
      const many = isCounted ? (pages.size?.most ?? 2) : 2;
      const full = Array.from({ length: many }, (_item, at) => itemOf(pages.next, at));
      const plan = (): void => {
        mock.received.length = 0;
        mock.plan(
          onePage(file, call, full, 'next'),
          onePage(file, call, [itemOf(pages.next, many)], undefined),
        );
        if (isCounted && pages.size === undefined) mock.plan(onePage(file, call, [], undefined));
      };
      plan();
      const params = paramsFor(file, call);
      expect(await run(call, { ...params, limit: 10_000 }), call.id).toHaveLength(many + 1);
      expect(mock.received.length, call.id).toBeGreaterThan(1);
      expect(mock.faults, call.id).toEqual([]);
      plan();
      expect(await run(call, { ...params, limit: 1 }), call.id).toHaveLength(1);
      expect(mock.received, call.id).toHaveLength(1);
      // The pages that nobody asked for.
      await run(call, { ...params, limit: 10_000 }).catch(() => undefined);
      mock.faults.length = 0;
    }
  });

  test('what is made of one page is made of each', async () => {
    const { mock, run } = await stand(file);
    for (const call of file.calls) {
      const example = madeExample(call);
      if (example === undefined) continue;
      const { answer, output, before, details, params } = example;
      const items = fieldAt(answer?.body, call.pages?.items) as readonly unknown[];
      mock.received.length = 0;
      mock.plan(
        ...before.map(planned),
        onePage(file, call, items, 'next'),
        onePage(file, call, items, undefined),
        ...[...details, ...details].map(planned),
      );
      const given = await run(call, { ...params, limit: 10_000 });
      expect(given, call.id).toEqual([...(output as unknown[]), ...(output as unknown[])]);
      expect(mock.received.filter((one) => one.call === call.id)).toHaveLength(2);
      expect(mock.faults, call.id).toEqual([]);
    }
  });

  test('each known error has its words', async () => {
    const { mock, run } = await stand(file);
    const call = file.calls.find(({ before, answer }) => before.length === 0 && answer.as === 'json');
    if (call === undefined) return;
    const { known, when, code } = file.errors;
    for (const { status = when === undefined ? 400 : 200, code: name, says } of known) {
      const body: Record<string, unknown> = {};
      if (when !== undefined) put(body, when.field, when.is);
      if (code !== undefined && name !== undefined) put(body, code, name);
      mock.plan({ status, body });
      await expect(run(call, paramsFor(file, call)), says).rejects.toMatchObject({
        code: 'service_failed',
        message: expect.stringContaining(says),
      });
    }
  });
});

async function holdExample(
  { mock, run }: Stand,
  call: ServiceCall,
  { title, params, sent, answer, before, details, output, error }: ServiceCall['examples'][number],
): Promise<void> {
  const at = `${call.id}: ${title}`;
  const answers = [...before, ...(answer ? [answer] : []), ...details];
  mock.received.length = 0;
  mock.plan(...answers.map(planned));
  const result: { value?: unknown; failure?: unknown } = await run(call, params).then(
    (value) => ({ value }),
    (failure: unknown) => ({ failure }),
  );
  expect(mock.faults, at).toEqual([]);
  if (error !== undefined || (answer?.status ?? 200) >= 400) {
    const { code, data } = (result.failure ?? {}) as { code?: string; data?: { code?: unknown } };
    expect([code, data?.code], at).toContain(error ?? 'service_failed');
  } else {
    expect(result, at).not.toHaveProperty('failure');
    if (output !== undefined) expect(result.value, at).toEqual(output);
  }
  if (sent === undefined) return;
  const request = mock.received.find((one) => one.call === call.id);
  expect(decodeURIComponent(request?.path ?? ''), at).toBe(sent.path.replaceAll('{secret}', SECRET));
  if (sent.query !== undefined) expect(request?.query, at).toMatchObject(texts(sent.query));
  if (sent.body !== undefined) expect(request?.body, at).toEqual(sent.body);
}

/** An example of a call whose pages expressions or other calls make into something else, with an item at least. */
function madeExample({ pages, answer, examples }: ServiceCall): ServiceCall['examples'][number] | undefined {
  const isMade = answer.each !== undefined || answer.detail !== undefined;
  if (pages === undefined || !isMade || isLastWhenShort(pages.next)) return undefined;
  return examples.find(({ output }) => Array.isArray(output) && output.length > 0);
}

type Answered = NonNullable<ServiceCall['examples'][number]['answer']>;

function planned({ status, headers = {}, body }: Answered): Planned {
  return { status, headers, body };
}

function texts(query: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(String) : String(value),
    ]),
  );
}

type Next = NonNullable<ServiceCall['pages']>['next'];

/** A page with fewer items than were asked for is the last one. */
function isLastWhenShort(next: Next): boolean {
  return next.by === 'page' || next.by === 'offset' || (next.by === 'last' && next.more === undefined);
}

function itemOf(next: Next, at: number): unknown {
  const item: Record<string, unknown> = { n: at };
  if (next.by === 'last') put(item, next.of, `i${at}`);
  return item;
}

/** A page of the answer, with what leads to the next one if there is one. */
function onePage(
  file: ServiceFile,
  call: ServiceCall,
  items: readonly unknown[],
  cursor: string | undefined,
): Planned {
  const { pages } = call;
  if (pages === undefined) return {};
  const { next } = pages;
  if (pages.items === undefined && next.by === 'link')
    return {
      body: items,
      ...(cursor !== undefined && {
        headers: {
          link: '<{next}>; rel="next"',
        },
      }),
    };
  if (pages.items === undefined) return { body: items };
  const sample = sampleOf(file, call);
  const body: Record<string, unknown> = isRecord(sample) ? structuredClone(sample) : {};
  put(body, pages.items, items);
  if (next.by === 'cursor') put(body, next.at, cursor);
  if (next.by === 'address') put(body, next.at, cursor === undefined ? null : '{next}');
  if (next.by === 'link' && cursor !== undefined) return { body, headers: { link: '<{next}>; rel="next"' } };
  if (next.by === 'last' && next.more !== undefined) put(body, next.more, cursor !== undefined);
  if (next.by === 'last' && next.more === undefined && cursor === undefined) put(body, pages.items, []);
  return { body };
}

function put(target: Record<string, unknown>, path: string, value: unknown): void {
  const names = path.split('.');
  let at = target;
  for (const name of names.slice(0, -1)) {
    if (!isRecord(at[name])) at[name] = {};
    at = at[name] as Record<string, unknown>;
  }
  at[names.at(-1) ?? ''] = value;
}
