import type { Short } from '../server/flows/imports/n8n/testing/short.ts';

/** Workflows of n8n behind a webhook, what they are sent, and what the original's documentation says that they answer. */
export interface N8nCase extends Short {
  readonly answers: readonly (readonly [body: unknown, answer: unknown, status?: number])[];
  /** Requests that the stand-in got, in order of the last answer: `METHOD /path body`. */
  readonly visits?: readonly string[];
}

export const hook = (parameters: Record<string, unknown> = {}) =>
  ['webhook@2', { path: 'PATH', httpMethod: 'POST', responseMode: 'lastNode', ...parameters }] as const;
export const all = { responseData: 'allEntries' };
/** Fields of any type, which the first versions did not convert. */
export const set = (fields: Record<string, unknown>) =>
  [
    'set@2',
    {
      keepOnlySet: true,
      values: { string: Object.entries(fields).map(([name, value]) => ({ name, value })) },
      options: {},
    },
  ] as const;
/** Fields that are texts. */
export const setTexts = (fields: Record<string, string>, more: Record<string, unknown> = {}) =>
  [
    'set@3.4',
    {
      assignments: {
        assignments: Object.entries(fields).map(([name, value]) => ({ name, value, type: 'string' })),
      },
      ...more,
    },
  ] as const;
export const js = (jsCode: string, more: Record<string, unknown> = {}) =>
  ['code@2', { jsCode, ...more }] as const;
/** The list of a body, as items. */
export const list = js('return $input.first().json.body.list.map((json) => ({ json }));');
export const when = (leftValue: unknown, operation: string, rightValue: unknown, type = 'number') => ({
  conditions: {
    options: { caseSensitive: true, typeValidation: 'strict' },
    combinator: 'and',
    conditions: [{ leftValue, rightValue, operator: { type, operation } }],
  },
});
export const three = { list: [{ n: 1 }, { n: 5 }, { n: 9 }] };

export const cases: Readonly<Record<string, N8nCase>> = {
  set_adds_and_keeps: {
    nodes: {
      W: hook(),
      Set: set({ total: '={{ $json.body.price * 2 }}', 'who.name': '=Dear {{ $json.body.name }}' }),
    },
    wires: ['W > Set'],
    answers: [
      [
        { price: 4, name: 'Ada' },
        { total: 8, who: { name: 'Dear Ada' } },
      ],
    ],
  },
  texts_stay_texts: {
    nodes: {
      W: hook(),
      Set: setTexts({
        n: '={{ $json.body.n }}',
        twice: '={{ $json.body.n * 2 }}',
        yes: '={{ $json.body.n > 1 }}',
        who: '={{ $json.body.who }}',
        name: '={{ $json.body.who.name }}',
        said: '=Dear {{ $json.body.who.name }}',
      }),
    },
    wires: ['W > Set'],
    answers: [
      [
        { n: 4, who: { name: 'Ada' } },
        { n: '4', twice: '8', yes: 'true', who: '{"name":"Ada"}', name: 'Ada', said: 'Dear Ada' },
      ],
    ],
  },
  set_v1_keeps_fields: {
    nodes: {
      W: hook(),
      In: set({ a: 1, b: 2 }),
      Set: [
        'set@1',
        { values: { string: [{ name: 'c', value: '=x{{ $json.a }}' }], number: [{ name: 'd', value: 3 }] } },
      ],
    },
    wires: ['W > In', 'In > Set'],
    answers: [[{}, { a: 1, b: 2, c: 'x1', d: 3 }]],
  },
  if_takes_a_branch: {
    nodes: {
      W: hook(),
      If: ['if@2', when('={{ $json.body.n }}', 'gt', 3)],
      Yes: set({ r: 'big' }),
      No: set({ r: 'small' }),
    },
    wires: ['W > If', 'If > Yes', 'If.1 > No'],
    answers: [
      [{ n: 4 }, { r: 'big' }],
      [{ n: 3 }, { r: 'small' }],
    ],
  },
  if_parts_a_list: {
    nodes: {
      W: hook(all),
      List: list,
      If: ['if@2', when('={{ $json.n }}', 'gte', 5)],
      Yes: set({ big: '={{ $json.n }}' }),
    },
    wires: ['W > List', 'List > If', 'If > Yes'],
    answers: [[three, [{ big: 5 }, { big: 9 }]]],
  },
  if_v1_compares_texts: {
    nodes: {
      W: hook(),
      If: [
        'if@1',
        {
          conditions: { string: [{ value1: '={{ $json.body.s }}', operation: 'contains', value2: 'b' }] },
          combineOperation: 'any',
        },
      ],
      Yes: set({ r: true }),
      No: set({ r: false }),
    },
    wires: ['W > If', 'If > Yes', 'If.1 > No'],
    answers: [
      [{ s: 'abc' }, { r: true }],
      [{ s: 'xyz' }, { r: false }],
    ],
  },
  switch_takes_the_rule: {
    nodes: {
      W: hook(),
      Switch: [
        'switch@3',
        {
          rules: {
            values: [
              { ...when('={{ $json.body.k }}', 'equals', 'a', 'string'), outputKey: 'A', renameOutput: true },
              { ...when('={{ $json.body.k }}', 'equals', 'b', 'string'), outputKey: 'B', renameOutput: true },
            ],
          },
          options: { fallbackOutput: 'extra' },
        },
      ],
      A: set({ r: 1 }),
      B: set({ r: 2 }),
      C: set({ r: 3 }),
    },
    wires: ['W > Switch', 'Switch > A', 'Switch.1 > B', 'Switch.2 > C'],
    answers: [
      [{ k: 'a' }, { r: 1 }],
      [{ k: 'b' }, { r: 2 }],
      [{ k: 'x' }, { r: 3 }],
    ],
  },
  code_over_all_items: {
    nodes: {
      W: hook(all),
      List: list,
      Code: js('for (const item of $input.all()) item.json.double = item.json.n * 2;\nreturn $input.all();'),
    },
    wires: ['W > List', 'List > Code'],
    answers: [
      [
        { list: [{ n: 1 }, { n: 2 }] },
        [
          { n: 1, double: 2 },
          { n: 2, double: 4 },
        ],
      ],
    ],
  },
  code_for_each_item: {
    nodes: {
      W: hook(all),
      List: list,
      Code: js('return { json: { m: $json.n + $itemIndex, id: $("W").first().json.body.id } };', {
        mode: 'runOnceForEachItem',
      }),
    },
    wires: ['W > List', 'List > Code'],
    answers: [
      [
        { id: 7, list: [{ n: 1 }, { n: 1 }] },
        [
          { m: 1, id: 7 },
          { m: 2, id: 7 },
        ],
      ],
    ],
  },
  function_of_the_first_version: {
    nodes: {
      W: hook(),
      Fn: [
        'function@1',
        { functionCode: 'const item = items[0].json.body;\nreturn [{ json: { s: item.a + item.b } }];' },
      ],
    },
    wires: ['W > Fn'],
    answers: [[{ a: 1, b: 2 }, { s: 3 }]],
  },
  http_sends_json_and_spreads_a_list: {
    nodes: {
      W: hook(all),
      Get: [
        'httpRequest@4.2',
        {
          url: '=SITE/list?x={{ $json.body.x }}',
          sendHeaders: true,
          headerParameters: { parameters: [{ name: 'X-Kind', value: 'tea' }] },
        },
      ],
      Set: set({ id: '={{ $json.id }}', place: '={{ $itemIndex }}' }),
    },
    wires: ['W > Get', 'Get > Set'],
    answers: [
      [
        { x: 3 },
        [
          { id: 1, place: 0 },
          { id: 2, place: 1 },
        ],
      ],
    ],
    visits: ['GET /list?x=3'],
  },
  http_posts_once_for_each_item: {
    nodes: {
      W: hook(all),
      List: list,
      Post: [
        'httpRequest@4.2',
        {
          method: 'POST',
          url: 'SITE/echo',
          sendBody: true,
          bodyParameters: { parameters: [{ name: 'n', value: '={{ $json.n }}' }] },
        },
      ],
      Set: set({ got: '={{ $json.body.n }}' }),
    },
    wires: ['W > List', 'List > Post', 'Post > Set'],
    answers: [[{ list: [{ n: 1 }, { n: 2 }] }, [{ got: 1 }, { got: 2 }]]],
    visits: ['POST /echo {"n":1}', 'POST /echo {"n":2}'],
  },
  http_of_the_first_version: {
    nodes: {
      W: hook(),
      Get: [
        'httpRequest@1',
        {
          requestMethod: 'POST',
          url: 'SITE/echo',
          jsonParameters: true,
          bodyParametersJson: '={"a": {{ $json.body.a }}, "b": "x"}',
          options: { fullResponse: true },
        },
      ],
      Set: set({ status: '={{ $json.statusCode }}', a: '={{ $json.body.body.a }}' }),
    },
    wires: ['W > Get', 'Get > Set'],
    answers: [[{ a: 5 }, { status: 200, a: 5 }]],
  },
  respond_with_status_and_json: {
    nodes: {
      W: hook({ responseMode: 'responseNode' }),
      R: [
        'respondToWebhook@1.1',
        {
          respondWith: 'json',
          responseBody: '={ "n": {{ $json.body.n }}, "ok": true }',
          options: { responseCode: 201 },
        },
      ],
    },
    wires: ['W > R'],
    answers: [[{ n: 4 }, { n: 4, ok: true }, 201]],
  },
  respond_with_all_items: {
    nodes: {
      W: hook({ responseMode: 'responseNode' }),
      List: list,
      R: ['respondToWebhook@1', { respondWith: 'allIncomingItems' }],
    },
    wires: ['W > List', 'List > R'],
    answers: [[three, three.list]],
  },
  respond_at_once: {
    nodes: { W: hook({ responseMode: 'onReceived' }), Set: set({ a: 1 }) },
    wires: ['W > Set'],
    answers: [[{}, { message: 'Workflow was started' }]],
  },
  loop_over_items_one_by_one: {
    nodes: {
      W: hook(all),
      List: list,
      Loop: ['splitInBatches@3', { options: {} }],
      Post: [
        'httpRequest@4.2',
        {
          method: 'POST',
          url: 'SITE/echo',
          sendBody: true,
          specifyBody: 'json',
          jsonBody: '={{ { n: $json.n } }}',
        },
      ],
      Set: set({ n: '={{ $json.body.n }}', was: '={{ $("Loop").item.json.n }}' }),
      After: set({ got: '={{ $json.n + $json.was }}' }),
    },
    wires: ['W > List', 'List > Loop', 'Loop.1 > Post', 'Post > Set', 'Set > Loop', 'Loop > After'],
    answers: [[three, [{ got: 2 }, { got: 10 }, { got: 18 }]]],
    visits: ['POST /echo {"n":1}', 'POST /echo {"n":5}', 'POST /echo {"n":9}'],
  },
  loop_in_batches_of_two: {
    nodes: {
      W: hook(all),
      List: list,
      Loop: ['splitInBatches@1', { batchSize: 2 }],
      Code: js('return [{ json: { sum: $input.all().reduce((sum, item) => sum + item.json.n, 0) } }];'),
    },
    wires: ['W > List', 'List > Loop', 'Loop > Code', 'Code > Loop'],
    answers: [[three, [{ sum: 6 }, { sum: 9 }]]],
  },
  another_nodes_item: {
    nodes: {
      W: hook(all),
      List: list,
      A: set({ a: '={{ $json.n * 10 }}' }),
      B: set({
        b: '={{ $("List").item.json.n + $json.a }}',
        first: '={{ $("List").first().json.n }}',
        all: '={{ $("A").all().length }}',
      }),
    },
    wires: ['W > List', 'List > A', 'A > B'],
    answers: [
      [
        { list: [{ n: 1 }, { n: 2 }] },
        [
          { b: 11, first: 1, all: 2 },
          { b: 22, first: 1, all: 2 },
        ],
      ],
    ],
  },
  a_failure_goes_on: {
    nodes: {
      W: hook(),
      Get: ['httpRequest@4.2', { url: 'SITE/missing' }, { onError: 'continueErrorOutput' }],
      Fine: set({ r: 'fine' }),
      Bad: set({ r: '={{ $json.error ? "failed" : "?" }}' }),
    },
    wires: ['W > Get', 'Get > Fine', 'Get.1 > Bad'],
    answers: [[{}, { r: 'failed' }]],
  },
  disabled_passes_on: {
    nodes: {
      W: hook(),
      A: set({ a: 1 }),
      Off: [
        'set@3.4',
        { assignments: { assignments: [{ name: 'x', value: 1, type: 'number' }] } },
        { disabled: true },
      ],
      B: set({ b: '={{ $json.a }}' }),
    },
    wires: ['W > A', 'A > Off', 'Off > B'],
    answers: [[{}, { b: 1 }]],
  },
};
