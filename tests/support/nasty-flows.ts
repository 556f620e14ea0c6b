/** Flows with valid but unusual content: odd paths, every kind of authentication, schemas that refer to themselves. */

interface NastyFlow {
  readonly id: string;
  readonly [key: string]: unknown;
}

const httpFlow = (id: string, params: object, more: object = {}): NastyFlow => ({
  format: 1,
  id,
  nodes: { start: { operator: 'trigger.http', params } },
  edges: [],
  ...more,
});

const tree = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  required: ['root'],
  properties: { root: { $ref: '#/$defs/branch' } },
  $defs: {
    branch: {
      type: 'object',
      properties: {
        'a/b~c': { enum: [{ any: 'data' }, null] },
        children: { type: 'array', items: { $ref: '#/$defs/branch' } },
      },
    },
  },
};

const shop = {
  type: 'object',
  required: ['shop', 'name'],
  properties: { shop: { type: 'integer' }, name: { type: 'string' } },
};

const post = { methods: ['POST'] };
const odd = '/shops/:shop/{odd}/a.b~c-d_e';

export const nastyFlows: readonly NastyFlow[] = [
  httpFlow(
    'odd_path',
    { path: odd, methods: ['GET', 'PUT'], auth: 'none', request: shop },
    {
      name: 'Odd "name" </script> \u{1F600}',
      description: '# Not a heading\n\n<img src="https://example.com/x.png">',
    },
  ),
  httpFlow('same_shape', {
    path: odd.replace(':shop', ':place').replace('{odd}', ':even'),
    methods: ['DELETE'],
  }),
  httpFlow('recursive', { path: '/tree', methods: ['POST', 'PATCH'], request: tree }),
  httpFlow('no_schema', { path: '/plain', methods: ['GET', 'POST'], auth: 'none' }),
  httpFlow('auth_key', { ...post, path: '/auth/key' }),
  httpFlow('auth_basic', {
    ...post,
    path: '/auth/basic',
    auth: { type: 'basic', user: 'ada', secret: { $secret: 'door' } },
  }),
  httpFlow('auth_slack', {
    ...post,
    path: '/auth/slack',
    auth: { type: 'hmac', preset: 'slack', secret: { $secret: 'hook' } },
  }),
  httpFlow('auth_custom', {
    ...post,
    path: '/auth/custom',
    auth: { type: 'hmac', header: 'X-Odd!Header', secret: { $secret: 'hook' } },
  }),
  httpFlow('kinds', {
    ...post,
    path: '/kinds',
    auth: 'none',
    accept: ['json', 'form', 'text'],
    response: { as: 'sse', status: 201 },
  }),
  httpFlow('later', { path: '/later', auth: 'none', answer: 'immediately' }),
];
