import { all, hook, js, list, type N8nCase, set, three, when } from './import-n8n.cases.ts';

/** More workflows: nodes over lists, merges, texts, agents. */
export const moreCases: Readonly<Record<string, N8nCase>> = {
  split_out_a_list: {
    nodes: {
      W: hook(all),
      Split: ['splitOut@1', { fieldToSplitOut: 'body.list', options: {} }],
      Set: set({ n: '={{ $json.n }}' }),
    },
    wires: ['W > Split', 'Split > Set'],
    answers: [[three, [{ n: 1 }, { n: 5 }, { n: 9 }]]],
  },
  split_out_keeps_other_fields: {
    nodes: {
      W: hook(all),
      In: set({ a: 1 }),
      Code: js('return [{ json: { id: 4, tags: ["x", "y"] } }];'),
      Split: [
        'splitOut@1',
        { fieldToSplitOut: 'tags', include: 'allOtherFields', options: { destinationFieldName: 'tag' } },
      ],
    },
    wires: ['W > In', 'In > Code', 'Code > Split'],
    answers: [
      [
        {},
        [
          { id: 4, tag: 'x' },
          { id: 4, tag: 'y' },
        ],
      ],
    ],
  },
  aggregate_a_field: {
    nodes: {
      W: hook(),
      List: list,
      Agg: [
        'aggregate@1',
        {
          fieldsToAggregate: {
            fieldToAggregate: [{ fieldToAggregate: 'n', renameField: true, outputFieldName: 'all' }],
          },
          options: {},
        },
      ],
    },
    wires: ['W > List', 'List > Agg'],
    answers: [[three, { all: [1, 5, 9] }]],
  },
  aggregate_whole_items: {
    nodes: { W: hook(), List: list, Agg: ['aggregate@1', { aggregate: 'aggregateAllItemData' }] },
    wires: ['W > List', 'List > Agg'],
    answers: [[three, { data: three.list }]],
  },
  limit_sort_and_unique: {
    nodes: {
      W: hook(all),
      List: list,
      Unique: ['removeDuplicates@1', { compare: 'selectedFields', fieldsToCompare: 'n' }],
      Sort: ['sort@1', { sortFieldsUi: { sortField: [{ fieldName: 'n', order: 'descending' }] } }],
      Limit: ['limit@1', { maxItems: 2 }],
    },
    wires: ['W > List', 'List > Unique', 'Unique > Sort', 'Sort > Limit'],
    answers: [[{ list: [{ n: 1 }, { n: 3 }, { n: 1 }, { n: 2 }] }, [{ n: 3 }, { n: 2 }]]],
  },
  summarize_by_a_field: {
    nodes: {
      W: hook(all),
      List: list,
      Sum: [
        'summarize@1',
        {
          fieldsToSummarize: {
            values: [
              { aggregation: 'sum', field: 'n' },
              { aggregation: 'countUnique', field: 'n' },
              { aggregation: 'concatenate', field: 'n' },
            ],
          },
          fieldsToSplitBy: 'k',
        },
      ],
    },
    wires: ['W > List', 'List > Sum'],
    answers: [
      [
        {
          list: [
            { k: 'a', n: 1 },
            { k: 'b', n: 2 },
            { k: 'a', n: 1 },
          ],
        },
        [
          { k: 'a', sum_n: 2, unique_count_n: 1, concatenated_n: '1,1' },
          { k: 'b', sum_n: 2, unique_count_n: 1, concatenated_n: '2' },
        ],
      ],
    ],
  },
  filter_a_list: {
    nodes: { W: hook(all), List: list, Filter: ['filter@2', when('={{ $json.n }}', 'gt', 2)] },
    wires: ['W > List', 'List > Filter'],
    answers: [[three, [{ n: 5 }, { n: 9 }]]],
  },
  item_lists_of_the_second_version: {
    nodes: {
      W: hook(all),
      Split: ['itemLists@2', { operation: 'splitOutItems', fieldToSplitOut: 'body.list', options: {} }],
    },
    wires: ['W > Split'],
    answers: [[three, three.list]],
  },
  merge_appends: {
    nodes: { W: hook(all), A: set({ a: 1 }), List: list, M: ['merge@3', {}] },
    wires: ['W > A', 'W > List', 'A > M', 'List > M.1'],
    answers: [[three, [{ a: 1 }, ...three.list]]],
  },
  merge_appends_the_branch_that_was_taken: {
    nodes: {
      W: hook(all),
      If: ['if@2', when('={{ $json.body.n }}', 'gt', 3)],
      Yes: set({ r: 1 }),
      No: set({ r: 2 }),
      M: ['merge@2', {}],
    },
    wires: ['W > If', 'If > Yes', 'If.1 > No', 'Yes > M', 'No > M.1'],
    answers: [
      [{ n: 4 }, [{ r: 1 }]],
      [{ n: 1 }, [{ r: 2 }]],
    ],
  },
  merge_by_position: {
    nodes: {
      W: hook(all),
      List: list,
      A: set({ a: '={{ $json.n }}' }),
      B: set({ b: '={{ -$json.n }}' }),
      M: ['merge@3', { mode: 'combine', combineBy: 'combineByPosition' }],
    },
    wires: ['W > List', 'List > A', 'List > B', 'A > M', 'B > M.1'],
    answers: [
      [
        three,
        [
          { a: 1, b: -1 },
          { a: 5, b: -5 },
          { a: 9, b: -9 },
        ],
      ],
    ],
  },
  merge_by_fields: {
    nodes: {
      W: hook(all),
      A: js('return $input.first().json.body.a.map((json) => ({ json }));'),
      B: js('return $input.first().json.body.b.map((json) => ({ json }));'),
      M: [
        'merge@3',
        {
          mode: 'combine',
          combineBy: 'combineByFields',
          fieldsToMatchString: 'id',
          joinMode: 'enrichInput1',
        },
      ],
    },
    wires: ['W > A', 'W > B', 'A > M', 'B > M.1'],
    answers: [
      [
        {
          a: [
            { id: 1, x: 1 },
            { id: 2, x: 2 },
          ],
          b: [
            { id: 2, y: 5 },
            { id: 3, y: 6 },
          ],
        },
        [
          { id: 2, x: 2, y: 5 },
          { id: 1, x: 1 },
        ],
      ],
    ],
  },
  merge_multiplies: {
    nodes: {
      W: hook(all),
      A: js('return [{ json: { a: 1 } }, { json: { a: 2 } }];'),
      B: js('return [{ json: { b: 3 } }, { json: { b: 4 } }];'),
      M: ['merge@2', { mode: 'combine', combinationMode: 'multiplex' }],
    },
    wires: ['W > A', 'W > B', 'A > M', 'B > M.1'],
    answers: [
      [
        {},
        [
          { a: 1, b: 3 },
          { a: 1, b: 4 },
          { a: 2, b: 3 },
          { a: 2, b: 4 },
        ],
      ],
    ],
  },
  wait_and_no_operation: {
    nodes: {
      W: hook(),
      Wait: ['wait@1.1', { amount: 0, unit: 'seconds' }],
      No: ['noOp@1'],
      Set: set({ n: '={{ $json.body.n }}' }),
    },
    wires: ['W > Wait', 'Wait > No', 'No > Set'],
    answers: [[{ n: 3 }, { n: 3 }]],
  },
  dates: {
    nodes: {
      W: hook(),
      A: [
        'dateTime@2',
        {
          operation: 'formatDate',
          date: '={{ $json.body.at }}',
          format: 'yyyy/MM/dd',
          outputFieldName: 'day',
          options: { includeInputFields: true },
        },
      ],
      B: [
        'dateTime@2',
        {
          operation: 'addToDate',
          magnitude: '={{ $json.body.at }}',
          duration: 2,
          timeUnit: 'days',
          outputFieldName: 'later',
          options: { includeInputFields: true },
        },
      ],
      Set: set({
        day: '={{ $json.day }}',
        later: '={{ $json.later.slice(0, 10) }}',
        week: '={{ DateTime.fromISO($json.body.at).weekdayLong }}',
      }),
    },
    wires: ['W > A', 'A > B', 'B > Set'],
    answers: [[{ at: '2026-11-28T10:00:00Z' }, { day: '2026/11/28', later: '2026-11-30', week: 'Saturday' }]],
  },
  digests: {
    nodes: {
      W: hook(),
      Hash: [
        'crypto@1',
        { action: 'hash', type: 'SHA256', value: '={{ $json.body.s }}', dataPropertyName: 'h' },
      ],
      Set: set({ h: '={{ $json.h.slice(0, 8) }}' }),
    },
    wires: ['W > Hash', 'Hash > Set'],
    answers: [[{ s: 'abc' }, { h: 'ba7816bf' }]],
  },
  markdown_to_html: {
    nodes: {
      W: hook(),
      M: ['markdown@1', { mode: 'markdownToHtml', markdown: '={{ $json.body.m }}', destinationKey: 'html' }],
      Set: set({ html: '={{ $json.html.trim() }}' }),
    },
    wires: ['W > M', 'M > Set'],
    answers: [[{ m: '**a**' }, { html: '<p><strong>a</strong></p>' }]],
  },
  html_of_items: {
    nodes: {
      W: hook(),
      Page: ['html@1.2', { operation: 'generateHtmlTemplate', html: '<h1>{{ $json.body.t }}</h1>' }],
      Read: [
        'html@1.2',
        {
          operation: 'extractHtmlContent',
          dataPropertyName: 'html',
          extractionValues: { values: [{ key: 'title', cssSelector: 'h1' }] },
        },
      ],
    },
    wires: ['W > Page', 'Page > Read'],
    answers: [[{ t: 'Tea' }, { title: 'Tea' }]],
  },
  several_wires_into_one_node: {
    nodes: {
      W: hook(),
      If: ['if@2', when('={{ $json.body.n }}', 'gt', 3)],
      Yes: set({ r: 'big' }),
      No: set({ r: 'small' }),
      End: set({ end: '={{ $json.r }}!' }),
    },
    wires: ['W > If', 'If > Yes', 'If.1 > No', 'Yes > End', 'No > End'],
    answers: [
      [{ n: 9 }, { end: 'big!' }],
      [{ n: 1 }, { end: 'small!' }],
    ],
  },
  only_once_and_nothing_after_no_items: {
    nodes: {
      W: hook({ responseMode: 'responseNode' }),
      List: list,
      R: ['respondToWebhook@1', { respondWith: 'json', responseBody: '={{ $json }}' }],
    },
    wires: ['W > List', 'List > R'],
    answers: [
      [{ list: [{ n: 1 }, { n: 2 }] }, { n: 1 }],
      [{ list: [] }, '', 204],
    ],
  },
  compare_two_lists: {
    nodes: {
      W: hook(all),
      A: js('return $input.first().json.body.a.map((json) => ({ json }));'),
      B: js('return $input.first().json.body.b.map((json) => ({ json }));'),
      C: ['compareDatasets@2', { mergeByFields: { values: [{ field1: 'id', field2: 'id' }] } }],
      Set: set({ only: '={{ $json.id }}' }),
    },
    wires: ['W > A', 'W > B', 'A > C', 'B > C.1', 'C.3 > Set'],
    answers: [[{ a: [{ id: 1 }], b: [{ id: 1 }, { id: 2 }] }, [{ only: 2 }]]],
  },
  agent_answers: {
    nodes: {
      W: hook(),
      Agent: [
        'agent@2',
        { promptType: 'define', text: '=Say {{ $json.body.q }}', options: { systemMessage: 'Be brief.' } },
      ],
      Model: ['lmChatOpenAi@1', { model: { __rl: true, mode: 'list', value: 'gpt-x' } }],
      Set: set({ said: '={{ $json.output }}' }),
    },
    wires: ['W > Agent', 'Model ai_languageModel> Agent', 'Agent > Set'],
    answers: [[{ q: 'tea' }, { said: 'Two minutes.' }]],
  },
  a_call_of_a_model: {
    nodes: {
      W: hook(),
      Chain: ['chainLlm@1.5', { promptType: 'define', text: '=How long, {{ $json.body.q }}?' }],
      Model: ['lmChatOpenAi@1', { model: 'gpt-x' }],
    },
    wires: ['W > Chain', 'Model ai_languageModel> Chain'],
    answers: [[{ q: 'tea' }, { text: 'Two minutes.' }]],
  },
  an_agent_for_each_item_with_a_memory: {
    nodes: {
      W: hook(all),
      List: list,
      Agent: ['agent@1.7', { promptType: 'define', text: '={{ $json.q }}' }],
      Model: ['lmChatOpenAi@1', { model: 'gpt-x' }],
      Memory: ['memoryBufferWindow@1.3', { sessionIdType: 'customKey', sessionKey: '={{ $json.who }}' }],
    },
    wires: ['W > List', 'List > Agent', 'Model ai_languageModel> Agent', 'Memory ai_memory> Agent'],
    answers: [
      [
        {
          list: [
            { q: 'a', who: 'x' },
            { q: 'b', who: 'y' },
          ],
        },
        [{ output: 'Two minutes.' }, { output: 'Two minutes.' }],
      ],
    ],
  },
  expressions_that_only_code_can_say: {
    nodes: {
      W: hook(all),
      List: list,
      Set: set({
        odd: '={{ (() => { let sum = 0; for (let i = 1; i <= $json.n; i++) sum += i; return sum; })() }}',
        first: '=is {{ (() => $("List").first().json.n)() }}',
        n: '={{ $json.n }}',
      }),
    },
    wires: ['W > List', 'List > Set'],
    answers: [
      [
        { list: [{ n: 2 }, { n: 3 }] },
        [
          { odd: 3, first: 'is 2', n: 2 },
          { odd: 6, first: 'is 2', n: 3 },
        ],
      ],
    ],
  },
  executed_once: {
    nodes: {
      W: hook(all),
      List: list,
      Set: [
        'set@3.4',
        { assignments: { assignments: [{ name: 'm', type: 'number', value: '={{ $json.n }}' }] } },
        { executeOnce: true },
      ],
    },
    wires: ['W > List', 'List > Set'],
    answers: [[three, [{ m: 1 }]]],
  },
};
