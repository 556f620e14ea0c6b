import { all, hook, js, list, type N8nCase, set, setTexts, three, when } from './import-n8n.cases.ts';

/** What would be another answer without an error, if the import did not take care of it. */
const failing = { onError: 'continueRegularOutput' };
const branches = {
  W: hook(),
  If: ['if@2', when('={{ $json.body.n }}', 'gt', 3)],
  A: set({ a: 1 }),
  B: set({ b: 2 }),
} as const;
const toBranches = ['W > If', 'If > A', 'If.1 > B', 'A > Last', 'B > Last'];
const rows = (a: readonly object[], b: readonly object[]) => ({
  W: hook(all),
  A: js(`return ${JSON.stringify(a)}.map((json) => ({ json }));`),
  B: js(`return ${JSON.stringify(b)}.map((json) => ({ json }));`),
});
const toMerge = ['W > A', 'W > B', 'A > Merge', 'B > Merge.1'];

export const honestCases: Readonly<Record<string, N8nCase>> = {
  a_node_that_did_not_run_is_an_error: {
    nodes: { ...branches, Last: [...set({ got: '={{ $("A").item.json.a }}' }), failing] },
    wires: toBranches,
    answers: [
      [{ n: 4 }, { got: 1 }],
      [{ n: 3 }, { error: 'The node failed.' }],
    ],
  },
  code_asks_whether_a_node_ran: {
    nodes: {
      ...branches,
      Last: js(
        "const a = $('A').isExecuted ? $('A').first().json.a : 'not run';\nlet all;\ntry { all = $('A').all().length; } catch { all = 'error'; }\nreturn [{ json: { a, all } }];",
      ),
    },
    wires: toBranches,
    answers: [
      [{ n: 4 }, { a: 1, all: 1 }],
      [{ n: 3 }, { a: 'not run', all: 'error' }],
    ],
  },
  a_round_reads_what_a_node_gave_in_an_earlier_one: {
    nodes: {
      W: hook(),
      First: set({ n: 0 }),
      Count: set({ n: '={{ $json.n + 1 }}' }),
      Odd: ['if@2', when('={{ $json.n % 2 }}', 'equals', 1)],
      Mark: set({ n: '={{ $json.n }}', m: '={{ $json.n * 10 }}' }),
      Seen: set({ n: '={{ $json.n }}', seen: '={{ $("Mark").first().json.m }}' }),
      More: ['if@2', when('={{ $json.n }}', 'lt', 4)],
      End: set({ n: '={{ $json.n }}', seen: '={{ $json.seen }}' }),
    },
    wires: [
      'W > First',
      'First > Count',
      'Count > Odd',
      'Odd > Mark',
      'Mark > Seen',
      'Odd.1 > Seen',
      'Seen > More',
      'More > Count',
      'More.1 > End',
    ],
    answers: [[{}, { n: 4, seen: 30 }]],
  },
  code_of_expressions_in_a_body_for_each_item: {
    nodes: {
      W: hook(all),
      List: list,
      Get: [
        'httpRequest@4.2',
        {
          url: '=SITE/link?of={{ (() => { const at = $json.n; return at; })() }}&place={{ $itemIndex }}',
          options: {
            pagination: {
              pagination: {
                paginationMode: 'responseContainsNextURL',
                nextURL: '={{ $response.body.next }}',
                paginationCompleteWhen: 'other',
                completeExpression: '={{ $response.body.next == null }}',
                requestInterval: 1,
              },
            },
          },
        },
      ],
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
    visits: [
      'GET /link?of=1&place=0',
      'GET /link?of=1&after=1',
      'GET /link?of=2&place=1',
      'GET /link?of=2&after=1',
    ],
  },
  a_webhook_has_an_output_for_each_method: {
    nodes: {
      W: hook({ httpMethod: ['GET', 'POST'], multipleMethods: true }),
      Got: set({ r: 'got' }),
      Sent: set({ r: 'sent' }),
    },
    wires: ['W > Got', 'W.1 > Sent'],
    answers: [[{}, { r: 'sent' }]],
  },
  the_clock_goes_on_behind_a_wait: {
    nodes: {
      W: hook(),
      Before: set({ at: '={{ $now.toMillis() }}' }),
      Wait: ['wait@1.1', { amount: 0.05, unit: 'seconds' }],
      After: set({ r: '={{ $now.toMillis() > $("Before").item.json.at ? "later" : "the same" }}' }),
    },
    wires: ['W > Before', 'Before > Wait', 'Wait > After'],
    answers: [[{}, { r: 'later' }]],
  },
  a_missing_field_is_undefined: {
    nodes: {
      W: hook(),
      Set: set({
        x: '={{ typeof $json.body.x === "undefined" ? "none" : typeof $json.body.x }}',
        list: '={{ typeof $json.body.list }}',
      }),
    },
    wires: ['W > Set'],
    answers: [
      [{ list: [] }, { x: 'none', list: 'object' }],
      [
        { x: 'a', list: {} },
        { x: 'string', list: 'object' },
      ],
    ],
  },
  rows_without_the_field_match_nothing: {
    nodes: {
      ...rows([{ id: 1, a: 1 }, { a: 2 }], [{ id: 1, b: 1 }, { b: 2 }]),
      Merge: [
        'merge@3',
        { mode: 'combine', fieldsToMatchString: 'id', joinMode: 'keepEverything', options: {} },
      ],
    },
    wires: toMerge,
    answers: [[{}, [{ id: 1, a: 1, b: 1 }, { a: 2 }, { b: 2 }]]],
  },
  the_input_that_is_preferred_counts: {
    nodes: {
      ...rows([{ id: 1, a: 'first' }], [{ id: 1, a: 'second' }]),
      Merge: [
        'merge@3',
        {
          mode: 'combine',
          combineBy: 'combineByPosition',
          options: { clashHandling: { values: { resolveClash: 'preferInput1' } } },
        },
      ],
    },
    wires: toMerge,
    answers: [[{}, [{ id: 1, a: 'first' }]]],
  },
  an_object_that_is_split_gives_its_values: {
    nodes: {
      W: hook(all),
      In: set({ of: '={{ $json.body.of }}' }),
      Split: ['splitOut@1', { fieldToSplitOut: 'of', options: {} }],
    },
    wires: ['W > In', 'In > Split'],
    answers: [[{ of: { a: { n: 1 }, b: { n: 2 } } }, [{ n: 1 }, { n: 2 }]]],
  },
  texts_are_sorted_whatever_their_case: {
    nodes: {
      W: hook(all),
      List: list,
      Sort: ['sort@1', { sortFieldsUi: { sortField: [{ fieldName: 's' }] }, options: {} }],
    },
    wires: ['W > List', 'List > Sort'],
    answers: [[{ list: [{ s: 'b' }, { s: 'C' }, { s: 'a' }] }, [{ s: 'a' }, { s: 'b' }, { s: 'C' }]]],
  },
  a_list_of_the_first_versions_stays_one_item: {
    nodes: {
      W: hook(),
      Get: ['httpRequest@2', { url: 'SITE/list', options: {} }],
      Set: set({ n: '={{ $json.length }}' }),
    },
    wires: ['W > Get', 'Get > Set'],
    answers: [[{}, { n: 2 }]],
  },
  files_stay_when_fields_are_set: {
    nodes: {
      W: hook(all),
      In: set({ text: '={{ $json.body.text }}' }),
      File: ['convertToFile@1.1', { operation: 'toText', sourceProperty: 'text', options: {} }],
      Set: setTexts({ name: 'x' }, { includeOtherFields: true }),
      Read: ['extractFromFile@1', { operation: 'text', destinationKey: 't', options: {} }],
    },
    wires: ['W > In', 'In > File', 'File > Set', 'Set > Read'],
    answers: [[{ text: 'tea' }, [{ t: 'tea' }]]],
  },
  node_by_its_name_goes_by_the_place_of_the_item: {
    nodes: {
      W: hook(all),
      List: list,
      Filter: ['filter@2', when('={{ $json.n }}', 'gt', 3)],
      Was: set({ place: '={{ $node["List"].json.n }}', own: '={{ $("List").item.json.n }}' }),
    },
    wires: ['W > List', 'List > Filter', 'Filter > Was'],
    answers: [
      [
        three,
        [
          { place: 1, own: 5 },
          { place: 5, own: 9 },
        ],
      ],
    ],
  },
  facts_of_files: {
    nodes: {
      W: hook(),
      In: set({ text: '={{ $json.body.text }}' }),
      File: [
        'convertToFile@1.1',
        { operation: 'toText', sourceProperty: 'text', options: { fileName: '=note {{ $json.text }}.txt' } },
      ],
      Set: set({
        name: '={{ $binary.data.fileName }}',
        type: '={{ $binary.data.mimeType }}',
        ending: '={{ $("File").item.binary.data.fileExtension }}',
      }),
      Last: set({ is: '={{ $json.name }}, {{ $json.type }}, {{ $json.ending }}' }),
    },
    wires: ['W > In', 'In > File', 'File > Set', 'Set > Last'],
    answers: [[{ text: 'tea' }, { is: 'note tea.txt, text/plain, txt' }]],
  },
  what_nothing_leads_to_never_runs: {
    nodes: {
      W: hook(),
      Set: set({ r: 'yes' }),
      Loose: ['httpRequest@4.2', { url: 'SITE/loose' }],
      Behind: ['respondToWebhook@1.1', { respondWith: 'text', responseBody: 'never' }],
    },
    wires: ['W > Set', 'Loose > Behind'],
    answers: [[{}, { r: 'yes' }]],
    visits: [],
  },
  an_answer_that_is_a_file_is_one: {
    nodes: {
      W: hook(all),
      Get: ['httpRequest@4.2', { url: 'SITE/picture', options: {} }],
      Read: ['extractFromFile@1', { operation: 'binaryToPropery', destinationKey: 't', options: {} }],
    },
    wires: ['W > Get', 'Get > Read'],
    answers: [[{}, [{ t: 'iVBORw==' }]]],
  },
  a_file_is_the_answer: {
    nodes: {
      W: hook({ responseMode: 'responseNode' }),
      In: set({ text: '={{ $json.body.text }}' }),
      File: [
        'convertToFile@1.1',
        { operation: 'toText', sourceProperty: 'text', options: { fileName: 'note.txt' } },
      ],
      Answer: ['respondToWebhook@1.1', { respondWith: 'binary', options: {} }],
    },
    wires: ['W > In', 'In > File', 'File > Answer'],
    answers: [[{ text: 'tea' }, 'tea']],
  },
  a_memory_is_filled_and_read: {
    nodes: {
      W: hook(),
      Add: [
        'memoryManager@1.1',
        {
          mode: 'insert',
          insertMode: 'override',
          messages: {
            messageValues: [
              { type: 'user', message: '={{ $json.body.q }}' },
              { type: 'ai', message: 'Two minutes.' },
            ],
          },
        },
      ],
      Load: ['memoryManager@1.1', { mode: 'load', simplifyOutput: true }],
      Memory: ['memoryBufferWindow@1.3', { sessionIdType: 'customKey', sessionKey: 'one' }],
    },
    wires: ['W > Add', 'Add > Load', 'Memory ai_memory> Add', 'Memory ai_memory> Load'],
    answers: [
      [{ q: 'How long?' }, { messages: [{ human: 'How long?', ai: 'Two minutes.' }], messagesCount: 1 }],
    ],
  },
  a_model_reads_a_file: {
    nodes: {
      W: hook(),
      In: set({ text: '={{ $json.body.text }}' }),
      File: ['convertToFile@1.1', { operation: 'toText', sourceProperty: 'text', options: {} }],
      Ask: [
        'openAi@1.8',
        {
          resource: 'document',
          operation: 'analyze',
          modelId: 'gpt-x',
          text: 'How long?',
          inputType: 'base64',
        },
      ],
    },
    wires: ['W > In', 'In > File', 'File > Ask'],
    answers: [[{ text: 'Green tea steeps two minutes.' }, { content: 'Two minutes.' }]],
  },
  each_item_becomes_a_file_of_its_own: {
    nodes: {
      W: hook(all),
      List: list,
      File: ['convertToFile@1.1', { operation: 'toJson', mode: 'each', options: {} }],
      Read: ['extractFromFile@1', { operation: 'fromJson', destinationKey: 'got', options: {} }],
    },
    wires: ['W > List', 'List > File', 'File > Read'],
    answers: [[three, [{ got: { n: 1 } }, { got: { n: 5 } }, { got: { n: 9 } }]]],
  },
  base64_becomes_the_bytes_of_a_file: {
    nodes: {
      W: hook(all),
      In: set({ data: 'dGVh' }),
      Move: [
        'moveBinaryData@1',
        {
          mode: 'jsonToBinary',
          convertAllData: false,
          options: { useRawData: true, encoding: 'base64', mimeType: 'text/plain', fileName: 'a.txt' },
        },
      ],
      Read: ['extractFromFile@1', { operation: 'text', destinationKey: 't', options: {} }],
    },
    wires: ['W > In', 'In > Move', 'Move > Read'],
    answers: [[{}, [{ t: 'tea' }]]],
  },
  a_date_is_read_in_its_format: {
    nodes: {
      W: hook(),
      Date: [
        'dateTime@2',
        {
          operation: 'formatDate',
          date: '={{ $json.body.d }}',
          format: 'yyyy/MM/dd',
          outputFieldName: 'd',
          options: { fromFormat: 'dd/MM/yyyy' },
        },
      ],
    },
    wires: ['W > Date'],
    answers: [[{ d: '03/04/2024' }, { d: '2024/04/03' }]],
  },
};
