import { all, hook, js, list, type N8nCase, set, three, when } from './import-n8n.cases.ts';

/** Workflows with loops that are drawn by hand. */
const get = (url: string) => ['httpRequest@4.2', { url }] as const;
const count = set({ n: '={{ $json.n + 1 }}' });

export const loopCases: Readonly<Record<string, N8nCase>> = {
  a_counter_goes_round: {
    nodes: {
      W: hook(),
      First: set({ n: '={{ $json.body.n }}' }),
      Count: count,
      If: ['if@2', when('={{ $json.n }}', 'gte', 5)],
      End: set({
        got: '={{ $json.n }}',
        first: '={{ $("First").item.json.n }}',
        last: '={{ $("Count").item.json.n }}',
      }),
    },
    wires: ['W > First', 'First > Count', 'Count > If', 'If > End', 'If.1 > Count'],
    answers: [
      [{ n: 1 }, { got: 5, first: 1, last: 5 }],
      [{ n: 9 }, { got: 10, first: 9, last: 10 }],
    ],
  },
  asks_until_it_is_done: {
    nodes: {
      W: hook(),
      Job: set({ job: '={{ $json.body.job }}' }),
      Wait: ['wait@1.1', { amount: 0, unit: 'seconds' }],
      Ask: get('=SITE/status?job={{ $("Job").item.json.job }}&turn={{ $runIndex }}'),
      If: ['if@2', when('={{ $json.done }}', 'equals', 'yes', 'string')],
      End: set({
        job: '={{ $("Job").item.json.job }}',
        turns: '={{ $json.turn }}',
        was: '={{ $("Ask").item.json.done }}',
      }),
    },
    wires: ['W > Job', 'Job > Wait', 'Wait > Ask', 'Ask > If', 'If > End', 'If.1 > Wait'],
    answers: [[{ job: 'j7' }, { job: 'j7', turns: 2, was: 'yes' }]],
    visits: ['GET /status?job=j7&turn=0', 'GET /status?job=j7&turn=1', 'GET /status?job=j7&turn=2'],
  },
  items_leave_in_different_rounds: {
    nodes: {
      W: hook(all),
      List: list,
      Named: set({ n: '={{ $json.n }}', from: '={{ $json.n }}' }),
      Count: set({ n: '={{ $json.n + 3 }}', from: '={{ $json.from }}' }),
      If: ['if@2', when('={{ $json.n }}', 'gte', 9)],
      End: set({
        n: '={{ $json.n }}',
        from: '={{ $("Named").item.json.from }}',
        own: '={{ $("Count").item.json.n }}',
      }),
    },
    wires: ['W > List', 'List > Named', 'Named > Count', 'Count > If', 'If > End', 'If.1 > Count'],
    answers: [
      [
        three,
        [
          { n: 12, from: 9, own: 12 },
          { n: 11, from: 5, own: 11 },
          { n: 10, from: 1, own: 10 },
        ],
      ],
    ],
  },
  what_is_beside_a_loop_runs_in_each_round: {
    nodes: {
      W: hook(),
      First: set({ n: 0 }),
      Count: count,
      Note: get('=SITE/note?n={{ $json.n }}'),
      If: ['if@2', when('={{ $json.n }}', 'lt', 3)],
      End: set({ got: '={{ $json.n }}' }),
    },
    wires: ['W > First', 'First > Count', 'Count > If', 'Count > Note', 'If > Count', 'If.1 > End'],
    answers: [[{}, { got: 3 }]],
    visits: ['GET /note?n=1', 'GET /note?n=2', 'GET /note?n=3'],
  },
  a_request_tries_again_after_a_failure: {
    nodes: {
      W: hook(),
      In: set({ turn: 0 }),
      Get: [
        'httpRequest@4.2',
        { url: '=SITE/flaky?turn={{ $runIndex }}' },
        { onError: 'continueErrorOutput' },
      ],
      More: ['if@2', when('={{ $runIndex }}', 'lt', 3)],
      Fine: set({ r: '={{ $json.path }}' }),
      Bad: set({ r: 'gave up' }),
    },
    wires: ['W > In', 'In > Get', 'Get > Fine', 'Get.1 > More', 'More > Get', 'More.1 > Bad'],
    answers: [[{}, { r: '/flaky' }]],
    visits: ['GET /flaky?turn=0', 'GET /flaky?turn=1', 'GET /flaky?turn=2'],
  },
  a_loop_in_a_loop: {
    nodes: {
      W: hook(),
      In: set({ a: 0, b: 0, all: '' }),
      Outer: set({ a: '={{ $json.a + 1 }}', b: 0, all: '={{ $json.all }}' }),
      Inner: set({
        a: '={{ $json.a }}',
        b: '={{ $json.b + 1 }}',
        all: '={{ $json.all + $json.a + ($json.b + 1) + " " }}',
      }),
      Again: ['if@2', when('={{ $json.b }}', 'lt', 2)],
      More: ['if@2', when('={{ $json.a }}', 'lt', 2)],
      End: set({ all: '={{ $json.all }}' }),
    },
    wires: [
      'W > In',
      'In > Outer',
      'Outer > Inner',
      'Inner > Again',
      'Again > Inner',
      'Again.1 > More',
      'More > Outer',
      'More.1 > End',
    ],
    answers: [[{}, { all: '11 12 21 22 ' }]],
  },
  a_loop_by_hand_in_split_in_batches: {
    nodes: {
      W: hook(all),
      List: list,
      Loop: ['splitInBatches@3', { options: {} }],
      Count: count,
      If: ['if@2', when('={{ $json.n }}', 'lt', 7)],
      Kept: set({ n: '={{ $json.n }}', from: '={{ $("Loop").item.json.n }}' }),
      End: set({ n: '={{ $json.n }}', from: '={{ $json.from }}' }),
    },
    wires: [
      'W > List',
      'List > Loop',
      'Loop.1 > Count',
      'Count > If',
      'If > Count',
      'If.1 > Kept',
      'Kept > Loop',
      'Loop > End',
    ],
    answers: [
      [
        three,
        [
          { n: 7, from: 1 },
          { n: 7, from: 5 },
          { n: 10, from: 9 },
        ],
      ],
    ],
  },
  pages_by_hand_with_code: {
    nodes: {
      W: hook(),
      First: set({ page: 1 }),
      Get: get('=SITE/page?page={{ $json.page }}'),
      Next: js(
        'const { page, last } = $input.first().json;\nreturn [{ json: { page: page + 1, last, turn: $runIndex } }];',
      ),
      If: ['if@2', when('={{ $json.page }}', 'gt', '={{ $json.last }}')],
      End: set({ seen: '={{ $json.page - 1 }}', turn: '={{ $json.turn }}' }),
    },
    wires: ['W > First', 'First > Get', 'Get > Next', 'Next > If', 'If > End', 'If.1 > Get'],
    answers: [[{}, { seen: 3, turn: 2 }]],
    visits: ['GET /page?page=1', 'GET /page?page=2', 'GET /page?page=3'],
  },
};
/** Requests that read several pages. */
const paged = (url: string, pagination: object, more: Record<string, unknown> = {}) =>
  ['httpRequest@4.2', { url, options: { pagination: { pagination } }, ...more }] as const;
const changing = (name: string, value: string, type?: string) => ({
  paginationMode: 'updateAParameterInEachRequest',
  parameters: { parameters: [{ name, value, ...(type !== undefined && { type }) }] },
});
const ids = (...all_: number[]) => all_.map((id) => ({ id }));

export const pageCases: Readonly<Record<string, N8nCase>> = {
  pages_by_number_until_one_is_empty: {
    nodes: { W: hook(all), Get: paged('SITE/rows?size=2', changing('page', '={{ $pageCount + 1 }}')) },
    wires: ['W > Get'],
    answers: [[{}, ids(1, 2, 3)]],
    visits: ['GET /rows?size=2&page=1', 'GET /rows?size=2&page=2', 'GET /rows?size=2&page=3'],
  },
  pages_up_to_a_limit: {
    nodes: {
      W: hook(all),
      Get: paged('SITE/rows?size=1', {
        ...changing('page', '={{ $pageCount + 1 }}'),
        limitPagesFetched: true,
        maxRequests: 2,
      }),
    },
    wires: ['W > Get'],
    answers: [[{}, ids(1, 2)]],
  },
  pages_by_a_cursor_of_the_answer: {
    nodes: {
      W: hook(all),
      Get: paged('SITE/cursor', {
        ...changing('after', '={{ $response.body.next }}'),
        paginationCompleteWhen: 'other',
        completeExpression: '={{ !$response.body.next }}',
      }),
      Split: ['splitOut@1', { fieldToSplitOut: 'rows', options: {} }],
    },
    wires: ['W > Get', 'Get > Split'],
    answers: [[{}, ids(1, 2, 3)]],
    visits: ['GET /cursor', 'GET /cursor?after=1', 'GET /cursor?after=2'],
  },
  pages_by_the_next_address_for_each_item: {
    nodes: {
      W: hook(all),
      List: list,
      Get: paged('=SITE/link?of={{ $json.n }}', {
        paginationMode: 'responseContainsNextURL',
        nextURL: '={{ $response.body.next }}',
        paginationCompleteWhen: 'other',
        completeExpression: '={{ $response.body.next == null || $response.statusCode != 200 }}',
      }),
      Set: set({ n: '={{ $json.of }}', page: '={{ $json.page }}' }),
    },
    wires: ['W > List', 'List > Get', 'Get > Set'],
    answers: [
      [
        { list: [{ n: 1 }, { n: 2 }] },
        [
          { n: 1, page: 0 },
          { n: 1, page: 1 },
          { n: 2, page: 0 },
          { n: 2, page: 1 },
        ],
      ],
    ],
  },
  pages_by_the_body_of_a_search: {
    nodes: {
      W: hook(all),
      Get: paged(
        'SITE/search',
        {
          ...changing('from', '={{ $pageCount * 2 }}', 'body'),
          paginationCompleteWhen: 'other',
          completeExpression: '={{ $response.body.length < 2 }}',
        },
        { method: 'POST', sendBody: true, specifyBody: 'json', jsonBody: '{ "of": "tea" }' },
      ),
    },
    wires: ['W > Get'],
    answers: [[{}, ids(1, 2, 3)]],
    visits: ['POST /search {"of":"tea","from":0}', 'POST /search {"of":"tea","from":2}'],
  },
};
