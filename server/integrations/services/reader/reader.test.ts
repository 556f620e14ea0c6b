import { describe, expect, test } from 'vitest';
import { describeService } from '#engine/services';
import { readDescription, serviceOf } from './read-description.ts';

const DAY = '2026-11-28';

async function made(
  text: string,
  calls: readonly string[],
  address = 'https://api.example.com/openapi.json',
) {
  return serviceOf(await readDescription(text, address), { calls, address, today: DAY });
}

const json = (change: object = {}): string =>
  JSON.stringify({
    openapi: '3.0.3',
    info: { title: 'Pet Shop', version: '1.2', description: '<p>All   pets.</p>' },
    servers: [{ url: '/v1' }],
    paths: {
      '/pets': {
        parameters: [{ $ref: '#/components/parameters/Tenant' }],
        get: {
          operationId: 'listPetsByTag',
          summary: 'List pets',
          parameters: [
            {
              name: 'tags',
              in: 'query',
              explode: false,
              schema: { type: 'array', items: { type: 'string' } },
            },
            { name: 'limit', in: 'query', schema: { type: 'integer', maximum: 50 } },
            { name: 'cursor', in: 'query', schema: { type: 'string' } },
          ],
          responses: {
            200: {
              content: {
                'application/json': {
                  schema: {
                    type: 'object',
                    properties: {
                      data: { type: 'array', items: { $ref: '#/components/schemas/Pet' } },
                      next_cursor: { type: 'string', nullable: true },
                    },
                  },
                },
              },
            },
            400: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Problem' } } } },
          },
        },
        post: {
          operationId: 'addPet',
          requestBody: {
            required: true,
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } },
          },
          responses: { 204: { description: 'Done' } },
        },
      },
    },
    components: {
      securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } },
      parameters: { Tenant: { name: 'x-tenant', in: 'header', required: true, schema: { type: 'string' } } },
      schemas: {
        Pet: {
          type: 'object',
          required: ['name'],
          properties: {
            id: { type: 'integer', readOnly: true },
            name: { type: 'string', pattern: '(a+)+$' },
            parent: { $ref: '#/components/schemas/Pet' },
          },
        },
        Problem: { type: 'object', properties: { error: { type: 'object', properties: { message: {} } } } },
      },
    },
    ...change,
  });

describe('OpenAPI', () => {
  test('a call becomes a call of a service: params, body, pages, errors and credentials', async () => {
    const file = await made(json(), ['list-pets-by-tag', 'add-pet']);
    expect(file).toMatchObject({
      id: 'pet-shop',
      doc: 'All pets.',
      base: 'https://api.example.com/v1',
      connect: [{ kind: 'http', auth: 'header', header: 'X-Key' }],
      errors: { message: 'error.message' },
      source: { form: 'openapi', version: '1.2', date: DAY },
    });
    const [list, add] = file.calls;
    expect(list).toMatchObject({
      title: 'List pets',
      method: 'GET',
      pages: {
        items: 'data',
        next: { by: 'cursor', at: 'next_cursor', to: 'cursor' },
        size: { to: 'limit', most: 50 },
      },
      parameters: [
        { name: 'xTenant', wire: 'x-tenant', in: 'header', required: true },
        { name: 'tags', in: 'query', list: 'comma' },
      ],
    });
    expect(add).toMatchObject({ body: { send: 'json' }, answer: { as: 'none' } });
    expect(add?.parameters.map(({ name, required }) => [name, required])).toEqual([
      ['xTenant', true],
      ['name', true],
      ['parent', false],
    ]);
    // A pattern of a stranger may take for ever.
    expect(JSON.stringify(file)).not.toContain('(a+)+$');
  });

  test('a schema that contains itself ends, and the operators are described', async () => {
    const file = await made(json(), ['list-pets-by-tag']);
    const info = describeService(file)['pet-shop.list-pets-by-tag'];
    expect(info?.outputs[0]?.schema).toMatchObject({
      type: 'array',
      items: { properties: { name: { type: 'string' }, parent: {} } },
    });
    expect(JSON.stringify(info).length).toBeLessThan(5000);
  });

  test('YAML of 3.1 is read, with types in lists and files', async () => {
    const yaml = `
openapi: 3.1.0
info: { title: Scans, version: "2" }
servers: [{ url: "https://{place}.example.com", variables: { place: { default: eu } } }]
paths:
  /scans/{id}:
    put:
      operationId: upload
      parameters: [{ name: id, in: path, required: true, schema: { type: [string, "null"] } }]
      requestBody: { content: { image/png: { schema: {} } } }
      responses: { "200": { content: { image/png: {} } } }
`;
    const file = await made(yaml, ['upload']);
    expect(file).toMatchObject({
      base: 'https://{place}.example.com',
      variables: { place: { default: 'eu' } },
    });
    expect(file.calls[0]).toMatchObject({
      body: { send: 'file' },
      answer: { as: 'file' },
      parameters: [
        { name: 'id', schema: { type: ['string', 'null'] } },
        { name: 'file', schema: { format: 'file' } },
      ],
    });
  });
});

test('Discovery becomes a service of Google, with its scopes', async () => {
  const file = await made(
    JSON.stringify({
      kind: 'discovery#restDescription',
      title: 'Notes API',
      version: 'v1',
      revision: '20260101',
      rootUrl: 'https://notes.googleapis.com/',
      servicePath: '',
      schemas: {
        Note: {
          id: 'Note',
          type: 'object',
          properties: { title: { type: 'string' }, parent: { $ref: 'Note' } },
        },
        List: {
          id: 'List',
          type: 'object',
          properties: {
            notes: { type: 'array', items: { $ref: 'Note' } },
            nextPageToken: { type: 'string' },
          },
        },
      },
      resources: {
        notes: {
          methods: {
            list: {
              id: 'notes.notes.list',
              path: 'v1/{+parent}/notes',
              httpMethod: 'GET',
              parameters: {
                parent: { type: 'string', location: 'path', required: true },
                pageSize: { type: 'integer', location: 'query' },
                pageToken: { type: 'string', location: 'query' },
              },
              response: { $ref: 'List' },
              scopes: ['https://www.googleapis.com/auth/notes'],
            },
          },
        },
      },
    }),
    ['notes-list'],
  );
  expect(file).toMatchObject({
    base: 'https://notes.googleapis.com',
    connect: [{ kind: 'oauth2', provider: 'google', scopes: ['https://www.googleapis.com/auth/notes'] }],
    calls: [
      {
        path: '/v1/{+parent}/notes',
        pages: { items: 'notes', next: { by: 'cursor', at: 'nextPageToken', to: 'pageToken' } },
      },
    ],
  });
});

describe('what cannot be read is refused with a reason', () => {
  test.each([
    ['no description', '{}', 'neither OpenAPI'],
    ['a list', '[1]', 'no object'],
    ['half of JSON', '{"openapi": ', 'not valid JSON'],
    ['YAML that is none', 'a: [1', 'not valid YAML'],
    ['Swagger 2', '{"swagger": "2.0"}', 'OpenAPI 2.0 is not read'],
    ['no calls', json({ paths: {} }), 'no calls'],
    ['more than 10 MB', `{"openapi":"3.0.0","x":"${'x'.repeat(10_000_001)}"}`, '10 MB'],
    [
      'aliases that multiply',
      `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghij'
        .split('')
        .map((name, at) => `${name}: &${name} [${Array(9).fill(`*${'abcdefghij'[at]}`).join(',')}]`)
        .join('\n')}`,
      'not valid YAML',
    ],
  ])('%s', async (_, text, words) => {
    await expect(readDescription(text)).rejects.toMatchObject({
      code: 'service_invalid',
      message: expect.stringContaining(words),
    });
  });

  const withSchema = (schema: object): string =>
    json({
      paths: {
        '/x': {
          get: { operationId: 'get', responses: { 200: { content: { 'application/json': { schema } } } } },
        },
      },
    });

  test.each([
    [
      'a reference to another host',
      withSchema({ $ref: 'https://evil.example/schemas.json#/X' }),
      'another file',
    ],
    ['a reference to another file', withSchema({ $ref: './other.yaml#/X' }), 'another file'],
    ['a reference to nothing', withSchema({ $ref: '#/components/schemas/Nothing' }), 'does not have'],
    [
      'an address without encryption',
      json({ servers: [{ url: 'http://api.example.com' }] }),
      'name one with https',
    ],
    [
      'a path without its parameter',
      json({ paths: { '/x/{id}': { get: { operationId: 'listPetsByTag', responses: {} } } } }),
      'no parameter describes',
    ],
  ])('%s', async (_, text, words) => {
    const described = await readDescription(text, 'https://api.example.com/a.json');
    const calls = [described.offered[0]?.id ?? ''];
    const picked = { calls, address: 'x', today: DAY };
    await expect((async () => serviceOf(described, picked))()).rejects.toMatchObject({
      code: 'service_invalid',
      message: expect.stringContaining(words),
    });
  });

  test('a call that is not there, none, or too many', async () => {
    const described = await readDescription(json(), 'https://api.example.com/a.json');
    const pick = async (calls: string[]) => serviceOf(described, { calls, address: 'x', today: DAY });
    await expect(pick(['nothing'])).rejects.toMatchObject({
      message: expect.stringContaining('no call nothing'),
    });
    await expect(pick([])).rejects.toMatchObject({ message: expect.stringContaining('1 to 100') });
  });
});

test('names that deceive or harm are left out or made plain', async () => {
  const long = 'x'.repeat(10_000);
  const text = json({
    info: { title: `Bad\u202Eeman <b>bold</b> ${long}`, version: '1\u0000' },
    paths: {
      '/x': {
        post: {
          operationId: `__proto__ \u202E ${long}`,
          summary: `Do\n\u200Bit ${long}`,
          parameters: [
            { name: '__proto__', in: 'query', schema: {} },
            { name: long, in: 'query', schema: {} },
            { name: 'a\u202Eb', in: 'query', schema: {} },
            { name: 'connection', in: 'query', schema: {} },
            { name: 'filter[name]', in: 'query', schema: { type: 'string' } },
          ],
          requestBody: {
            content: {
              'application/json': {
                schema: JSON.parse(
                  '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{},"fine":{}}}',
                ),
              },
            },
          },
          responses: { 200: {} },
        },
      },
    },
  });
  const described = await readDescription(text, 'https://api.example.com/a.json');
  const [offered] = described.offered;
  expect(offered?.id).toMatch(/^proto-x+$/);
  expect(offered?.title.length).toBeLessThanOrEqual(80);
  const file = await serviceOf(described, {
    calls: [offered?.id ?? ''],
    id: 'bad',
    address: 'x',
    today: DAY,
  });
  expect(file.title).not.toMatch(/[\u202E<]/);
  expect(file.calls[0]?.parameters.map(({ name, wire }) => [name, wire])).toEqual([
    ['connectionValue', 'connection'],
    ['filterName', 'filter[name]'],
    ['fine', undefined],
  ]);
  expect(Object.getPrototypeOf({})).toBe(Object.prototype);
});
