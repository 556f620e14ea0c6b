import { all, hook, js, list, type N8nCase, set, three, when } from './import-n8n.cases.ts';

/** Workflows in which an item reads the item of an earlier node that it came from, behind nodes that change the list. */
const name = set({ name: '=n{{ $json.n }}', n: '={{ $json.n }}' });
const origin = set({ was: '={{ $("Name").item.json.name }}' });

export const pairCases: Readonly<Record<string, N8nCase>> = {
  behind_a_filter: {
    nodes: {
      W: hook(all),
      List: list,
      Name: name,
      Filter: ['filter@2', when('={{ $json.n }}', 'gt', 3)],
      Was: origin,
    },
    wires: ['W > List', 'List > Name', 'Name > Filter', 'Filter > Was'],
    answers: [[three, [{ was: 'n5' }, { was: 'n9' }]]],
  },
  behind_the_other_branch: {
    nodes: {
      W: hook(all),
      List: list,
      Name: name,
      If: ['if@2', when('={{ $json.n }}', 'gt', 6)],
      Was: origin,
    },
    wires: ['W > List', 'List > Name', 'Name > If', 'If.1 > Was'],
    answers: [[three, [{ was: 'n1' }, { was: 'n5' }]]],
  },
  behind_two_filters: {
    nodes: {
      W: hook(all),
      List: list,
      Name: name,
      First: ['filter@2', when('={{ $json.n }}', 'gt', 3)],
      Second: ['filter@2', when('={{ $json.n }}', 'gt', 6)],
      Was: origin,
    },
    wires: ['W > List', 'List > Name', 'Name > First', 'First > Second', 'Second > Was'],
    answers: [[three, [{ was: 'n9' }]]],
  },
  behind_a_switch: {
    nodes: {
      W: hook(all),
      List: list,
      Name: name,
      Switch: [
        'switch@3',
        {
          rules: {
            values: [
              { ...when('={{ $json.n }}', 'lt', 4), outputKey: 'small' },
              { ...when('={{ $json.n }}', 'gt', 8), outputKey: 'big' },
            ],
          },
          options: { fallbackOutput: 'extra' },
        },
      ],
      Was: origin,
    },
    wires: ['W > List', 'List > Name', 'Name > Switch', 'Switch.1 > Was', 'Switch.2 > Was'],
    answers: [[three, [{ was: 'n9' }, { was: 'n5' }]]],
  },
  behind_lists_of_answers: {
    nodes: {
      W: hook(all),
      List: list,
      Name: name,
      Ask: ['httpRequest@4.2', { url: '=SITE/list?n={{ $json.n }}', options: {} }],
      Was: set({ id: '={{ $json.id }}', was: '={{ $("Name").item.json.name }}' }),
    },
    wires: ['W > List', 'List > Name', 'Name > Ask', 'Ask > Was'],
    answers: [
      [
        { list: [{ n: 1 }, { n: 5 }] },
        [
          { id: 1, was: 'n1' },
          { id: 2, was: 'n1' },
          { id: 1, was: 'n5' },
          { id: 2, was: 'n5' },
        ],
      ],
    ],
  },
  behind_lists_that_are_split: {
    nodes: {
      W: hook(all),
      List: list,
      Name: set({ name: '=n{{ $json.n }}', tags: '={{ $json.tags }}' }),
      Split: ['splitOut@1', { fieldToSplitOut: 'tags', options: {} }],
      Was: set({ tag: '={{ $json.tags }}', was: '={{ $("Name").item.json.name }}' }),
    },
    wires: ['W > List', 'List > Name', 'Name > Split', 'Split > Was'],
    answers: [
      [
        {
          list: [
            { n: 1, tags: ['a', 'b'] },
            { n: 2, tags: ['c'] },
          ],
        },
        [
          { tag: 'a', was: 'n1' },
          { tag: 'b', was: 'n1' },
          { tag: 'c', was: 'n2' },
        ],
      ],
    ],
  },
  behind_code_with_as_many_items: {
    nodes: {
      W: hook(all),
      List: list,
      Name: name,
      Code: js('return $input.all().map((one) => ({ json: { double: one.json.n * 2 } }));'),
      Filter: ['filter@2', when('={{ $json.double }}', 'gt', 6)],
      Was: origin,
    },
    wires: ['W > List', 'List > Name', 'Name > Code', 'Code > Filter', 'Filter > Was'],
    answers: [[three, [{ was: 'n5' }, { was: 'n9' }]]],
  },
  behind_branches_that_meet: {
    nodes: {
      W: hook(all),
      List: list,
      Name: name,
      If: ['if@2', when('={{ $json.n }}', 'gt', 3)],
      Big: set({ size: 'big' }),
      Small: set({ size: 'small' }),
      Was: set({ size: '={{ $json.size }}', was: '={{ $("Name").item.json.name }}' }),
    },
    wires: ['W > List', 'List > Name', 'Name > If', 'If > Big', 'If.1 > Small', 'Big > Was', 'Small > Was'],
    answers: [
      [
        three,
        [
          { size: 'big', was: 'n5' },
          { size: 'big', was: 'n9' },
          { size: 'small', was: 'n1' },
        ],
      ],
    ],
  },
  in_a_loop: {
    nodes: {
      W: hook(all),
      List: list,
      Name: name,
      Filter: ['filter@2', when('={{ $json.n }}', 'gt', 3)],
      Loop: ['splitInBatches@3', { options: {} }],
      Was: origin,
      Last: set({ end: '={{ $json.was }}' }),
    },
    wires: [
      'W > List',
      'List > Name',
      'Name > Filter',
      'Filter > Loop',
      'Loop.1 > Was',
      'Was > Loop',
      'Loop > Last',
    ],
    answers: [[three, [{ end: 'n5' }, { end: 'n9' }]]],
  },
  code_reads_and_writes_files: {
    nodes: {
      W: hook(all),
      In: set({ text: '={{ $json.body.text }}' }),
      File: ['convertToFile@1.1', { operation: 'toText', sourceProperty: 'text', options: {} }],
      Code: js(
        `const [item] = $input.all();
const text = Buffer.from(item.binary.data.data, 'base64').toString();
const bytes = await this.helpers.getBinaryDataBuffer(0, 'data');
return [{ json: { size: bytes.length }, binary: { out: await this.helpers.prepareBinaryData(Buffer.from(text.toUpperCase()), 'x.txt', 'text/plain') } }];`,
      ),
      Read: [
        'extractFromFile@1',
        { operation: 'text', binaryPropertyName: 'out', destinationKey: 't', options: {} },
      ],
      Last: set({ t: '={{ $json.t }}' }),
    },
    wires: ['W > In', 'In > File', 'File > Code', 'Code > Read', 'Read > Last'],
    answers: [[{ text: 'tea' }, [{ t: 'TEA' }]]],
  },
  an_empty_list_that_always_gives_an_item: {
    nodes: {
      W: hook(all),
      List: list,
      Name: name,
      Filter: ['filter@2', when('={{ $json.n }}', 'gt', 99), { alwaysOutputData: true }],
      Last: set({ end: 'reached' }),
    },
    wires: ['W > List', 'List > Name', 'Name > Filter', 'Filter > Last'],
    answers: [[three, [{ end: 'reached' }]]],
  },
  several_fields_side_by_side: {
    nodes: {
      W: hook(all),
      In: set({ a: '={{ $json.body.a }}', b: '={{ $json.body.b }}' }),
      Split: ['splitOut@1', { fieldToSplitOut: 'a, b', options: {} }],
    },
    wires: ['W > In', 'In > Split'],
    answers: [
      [
        { a: [1, 2], b: ['x'] },
        [
          { a: 1, b: 'x' },
          { a: 2, b: null },
        ],
      ],
    ],
  },
  the_item_of_a_filter_itself: {
    nodes: {
      W: hook(all),
      List: list,
      Filter: ['filter@2', when('={{ $json.n }}', 'gt', 3)],
      Other: set({ other: 1 }),
      Was: set({ was: '={{ $("Filter").item.json.n }}' }),
    },
    wires: ['W > List', 'List > Filter', 'Filter > Other', 'Other > Was'],
    answers: [[three, [{ was: 5 }, { was: 9 }]]],
  },
  the_item_of_both_branches: {
    nodes: {
      W: hook(all),
      List: list,
      If: ['if@2', when('={{ $json.n }}', 'gt', 3)],
      Big: set({ is: 'big' }),
      Small: set({ is: 'small' }),
      Was: set({ is: '={{ $json.is }}', was: '={{ $("If").item.json.n }}' }),
    },
    wires: ['W > List', 'List > If', 'If > Big', 'If.1 > Small', 'Big > Was', 'Small > Was'],
    answers: [
      [
        three,
        [
          { is: 'big', was: 5 },
          { is: 'big', was: 9 },
          { is: 'small', was: 1 },
        ],
      ],
    ],
  },
  items_of_the_branch_that_leads_here: {
    nodes: {
      W: hook(all),
      List: list,
      If: ['if@2', when('={{ $json.n }}', 'gt', 3)],
      Big: set({ first: '={{ $("If").first().json.n }}', all: '={{ $("If").all().length }}' }),
    },
    wires: ['W > List', 'List > If', 'If > Big'],
    answers: [
      [
        three,
        [
          { first: 5, all: 2 },
          { first: 5, all: 2 },
        ],
      ],
    ],
  },
  behind_code_that_orders_and_drops: {
    nodes: {
      W: hook(all),
      List: list,
      Name: name,
      Code: js('return $input.all().filter((one) => one.json.name !== "n5").reverse();'),
      Was: origin,
    },
    wires: ['W > List', 'List > Name', 'Name > Code', 'Code > Was'],
    answers: [[three, [{ was: 'n9' }, { was: 'n1' }]]],
  },
  behind_code_that_says_the_pair: {
    nodes: {
      W: hook(all),
      List: list,
      Name: name,
      Code: js(
        'return $input.all().flatMap((one, i) => [{ json: { a: i }, pairedItem: { item: i } }, { json: { b: i }, pairedItem: i }]);',
      ),
      Was: origin,
    },
    wires: ['W > List', 'List > Name', 'Name > Code', 'Code > Was'],
    answers: [[{ list: [{ n: 1 }, { n: 5 }] }, [{ was: 'n1' }, { was: 'n1' }, { was: 'n5' }, { was: 'n5' }]]],
  },
  behind_code_with_other_items: {
    nodes: {
      W: hook(all),
      List: list,
      Name: name,
      Code: js('return [{ json: { a: 1 } }, { json: { a: 2 } }];'),
      Was: origin,
    },
    wires: ['W > List', 'List > Name', 'Name > Code', 'Code > Was'],
    answers: [
      [{ list: [{ n: 4 }] }, [{ was: 'n4' }, { was: 'n4' }]],
      [{ list: [{ n: 4 }, { n: 5 }] }, [{ was: 'n4' }, { was: 'n5' }]],
    ],
  },
  behind_code_for_each_item: {
    nodes: {
      W: hook(all),
      List: list,
      Name: name,
      Code: js('return { json: { double: $json.n * 2 } };', { mode: 'runOnceForEachItem' }),
      Was: set({ double: '={{ $json.double }}', was: '={{ $("Name").item.json.name }}' }),
    },
    wires: ['W > List', 'List > Name', 'Name > Code', 'Code > Was'],
    answers: [
      [
        { list: [{ n: 1 }, { n: 5 }] },
        [
          { double: 2, was: 'n1' },
          { double: 10, was: 'n5' },
        ],
      ],
    ],
  },
  behind_code_that_gives_one: {
    nodes: {
      W: hook(all),
      List: list,
      Name: name,
      Code: js('return { json: { count: $input.all().length } };'),
      Was: origin,
    },
    wires: ['W > List', 'List > Name', 'Name > Code', 'Code > Was'],
    answers: [[{ list: [{ n: 4 }] }, [{ was: 'n4' }]]],
  },
  behind_all_items_in_one: {
    nodes: {
      W: hook(all),
      List: list,
      Name: name,
      Split: js(
        'return $input.all().flatMap((one, i) => [1, 2].map((at) => ({ json: { at }, pairedItem: { item: i } })));',
      ),
      All: ['aggregate@1', { aggregate: 'aggregateAllItemData', options: {} }],
      Was: set({ count: '={{ $json.data.length }}', was: '={{ $("Name").item.json.name }}' }),
    },
    wires: ['W > List', 'List > Name', 'Name > Split', 'Split > All', 'All > Was'],
    answers: [[{ list: [{ n: 4 }] }, [{ count: 2, was: 'n4' }]]],
  },
  behind_each_with_each: {
    nodes: {
      W: hook(all),
      List: list,
      Name: name,
      Two: js('return [{ json: { t: 1 } }, { json: { t: 2 } }];'),
      Merge: ['merge@3', { mode: 'combine', combineBy: 'combineAll', options: {} }],
      Was: set({ t: '={{ $json.t }}', was: '={{ $("Name").item.json.name }}' }),
    },
    wires: ['W > List', 'List > Name', 'W > Two', 'Name > Merge', 'Two > Merge.1', 'Merge > Was'],
    answers: [
      [
        { list: [{ n: 4 }, { n: 5 }] },
        [
          { t: 1, was: 'n4' },
          { t: 2, was: 'n4' },
          { t: 1, was: 'n5' },
          { t: 2, was: 'n5' },
        ],
      ],
    ],
  },
  the_last_ones: {
    nodes: {
      W: hook(all),
      List: list,
      Name: name,
      Limit: ['limit@1', { maxItems: 2, keep: 'lastItems' }],
      Other: set({ other: 1 }),
      Was: origin,
    },
    wires: ['W > List', 'List > Name', 'Name > Limit', 'Limit > Other', 'Other > Was'],
    answers: [[three, [{ was: 'n5' }, { was: 'n9' }]]],
  },
};
