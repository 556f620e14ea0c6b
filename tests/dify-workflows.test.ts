import { describe, expect, test } from 'vitest';
import { condition, field, model, output } from '../server/flows/imports/dify/testing/dify-app.ts';
import { difyServer, end, lastOf, messagesOf, script, start, template } from './support/dify-server.ts';
import { startSite } from './support/site.ts';

/** Workflows written by hand as Dify exports them, imported, published and run against a model that stands in, over HTTP. */
const dify = difyServer();

describe('workflows', () => {
  test('a prompt with fields of the form goes to the model, with its parameters', async () => {
    const { id, report } = await dify.live({
      nodes: {
        start: start(field('name'), field('age', 'number')),
        llm: {
          type: 'llm',
          model,
          prompt_template: [
            { role: 'system', text: 'Be {{kind}}, not {{#start.age#}}.' },
            { role: 'user', text: 'Greet {{#start.name#}} \\{{#start.age#}}' },
          ],
          context: { enabled: false, variable_selector: [] },
          vision: { enabled: false },
        },
        end: end(output('said', 'llm', 'text'), output('who', 'start', 'name')),
      },
      edges: ['start > llm', 'llm > end'],
    });
    expect(await dify.post(id, { name: 'Ada', age: 36 })).toMatchObject({
      body: { said: '63\\ adA teerG', who: 'Ada' },
    });
    const asked = dify.asked;
    expect(messagesOf(asked)).toEqual([
      { role: 'system', content: 'Be {{kind}}, not 36.' },
      { role: 'user', content: 'Greet Ada \\36' },
    ]);
    expect(asked.body).toMatchObject({ model: 'm', temperature: 0.3 });
    expect(report.nodes.map(({ name, word }) => [name, word])).toEqual([
      ['start', 'close'],
      ['llm', 'needs'],
      ['end', 'equal'],
    ]);
    expect(report.needs).toMatchObject([{ kind: 'model', name: 'stand/m' }]);
    expect((await dify.post(id, { age: 1 })).status).toBe(400);
  });

  test('branches compare as there, and their values meet in groups', async () => {
    const switches = (n: number) => ({
      type: 'if-else',
      cases: [
        {
          case_id: 'true',
          logical_operator: 'and',
          conditions: [condition(['start', `switch${n}`], '=', '1', 'number')],
        },
        {
          case_id: 'more',
          logical_operator: 'or',
          conditions: [
            condition(['start', `switch${n}`], '>', '5', 'number'),
            condition(['start', 'word'], 'contains', 'all'),
          ],
        },
      ],
    });
    const { id } = await dify.live({
      nodes: {
        start: start(
          field('switch1', 'number'),
          field('switch2', 'number'),
          field('word', 'text-input', { required: false }),
        ),
        if1: switches(1),
        if2: switches(2),
        ...Object.fromEntries(
          [1, 2].flatMap((n) =>
            ['on', 'many', 'off'].map((word) => [`${word}${n}`, template(`switch ${n} ${word}`)]),
          ),
        ),
        aggregate: {
          type: 'variable-aggregator',
          output_type: 'string',
          variables: [],
          advanced_settings: {
            group_enabled: true,
            groups: [1, 2].map((n) => ({
              group_name: `Group${n}`,
              output_type: 'string',
              variables: ['on', 'many', 'off'].map((word) => [`${word}${n}`, 'output']),
            })),
          },
        },
        end: end(
          output('one', 'aggregate', 'Group1', 'output'),
          output('two', 'aggregate', 'Group2', 'output'),
        ),
      },
      edges: [
        ...[1, 2].flatMap((n) => [
          `start > if${n}`,
          `if${n}/true > on${n}`,
          `if${n}/more > many${n}`,
          `if${n}/false > off${n}`,
        ]),
        ...[1, 2].flatMap((n) => ['on', 'many', 'off'].map((word) => `${word}${n} > aggregate`)),
        'aggregate > end',
      ],
    });
    expect((await dify.post(id, { switch1: 1, switch2: 0 })).body).toEqual({
      one: 'switch 1 on',
      two: 'switch 2 off',
    });
    expect((await dify.post(id, { switch1: 9, switch2: 2, word: 'for all' })).body).toEqual({
      one: 'switch 1 many',
      two: 'switch 2 many',
    });
  });

  test('the only branch that ends is the answer, and several ends are merged', async () => {
    const { id } = await dify.live({
      nodes: {
        start: start(field('n', 'number')),
        check: {
          type: 'if-else',
          cases: [
            {
              case_id: 'true',
              logical_operator: 'and',
              conditions: [
                condition(['start', 'n'], '≥', '{{#start.n#}}', 'number'),
                condition(['start', 'n'], 'not empty', '', 'number'),
              ],
            },
          ],
        },
        yes: template('yes'),
        no: template('no'),
        a: end(output('a', 'yes', 'output')),
        b: end(output('b', 'no', 'output')),
        both: end(output('n', 'start', 'n')),
      },
      edges: ['start > check', 'check/true > yes', 'check/false > no', 'yes > a', 'no > b', 'start > both'],
    });
    expect((await dify.post(id, { n: 3 })).body).toEqual({ a: 'yes', n: 3 });
    expect((await dify.post(id, { n: 0 })).body).toEqual({ b: 'no', n: 0 });
  });

  test('a template of Jinja with loops and conditions gives the same text', async () => {
    const { id, report } = await dify.live({
      nodes: {
        start: start(field('names'), field('title')),
        list: script(
          'function main({ names }) { return { result: names.split(",") }; }',
          { result: 'array[string]' },
          { names: ['start', 'names'] },
        ),
        text: template(
          '{# nobody #}{{ title | upper }}:\n{% for name in names -%}\n{{ loop.index }}. {{ name }}{% if not loop.last %},{% endif %}\n{% else %}none{% endfor %}{{ names | join("+") }}{{ "\\n" }}',
          ['names', 'list', 'result'],
          ['title', 'start', 'title'],
        ),
        end: end(output('text', 'text', 'output')),
      },
      edges: ['start > list', 'list > text', 'text > end'],
    });
    expect((await dify.post(id, { names: 'Ada,Lin', title: 'who' })).body).toEqual({
      text: 'WHO:\n1. Ada,\n2. Lin\nAda+Lin\n',
    });
    expect(report.nodes.find(({ name }) => name === 'text')?.word).toBe('equal');
  });

  test('a request goes out with its fields, its body and a secret of the environment', async () => {
    const site = await startSite((visit, response) => {
      response.writeHead(visit.url.includes('missing') ? 404 : 200, {
        'content-type': 'application/json',
        'x-kind': 'test',
      });
      response.end(JSON.stringify({ got: visit.body.toString() }));
    });
    const { id, report } = await dify.live(
      {
        workflow: {
          environment_variables: [
            { name: 'KEY', value: 'very-secret-value', value_type: 'secret' },
            { name: 'BASE', value: site.url, value_type: 'string' },
          ],
        },
        nodes: {
          start: start(field('q')),
          http: {
            type: 'http-request',
            method: 'post',
            url: '{{#env.BASE#}}/{{#start.q#}}',
            headers: 'X-One: {{#start.q#}}\nAuthorization: Bearer {{#env.KEY#}}',
            params: 'page:2\nq:{{#start.q#}}',
            body: { type: 'json', data: [{ type: 'text', value: '{"q": "{{#start.q#}}", "n": 1}' }] },
            authorization: { type: 'no-auth', config: null },
            timeout: { max_connect_timeout: 0 },
            ssl_verify: true,
            retry_config: { retry_enabled: false, max_retries: 3, retry_interval: 100 },
          },
          end: end(
            output('status', 'http', 'status_code'),
            output('body', 'http', 'body'),
            output('kind', 'http', 'headers', 'x-kind'),
          ),
        },
        edges: ['start > http', 'http > end'],
      },
      [site.url],
    );
    expect(JSON.stringify(report)).not.toContain('very-secret');
    expect((await dify.post(id, { q: 'tea' })).body).toEqual({
      status: 200,
      body: '{"got":"{\\"q\\":\\"tea\\",\\"n\\":1}"}',
      kind: 'test',
    });
    expect(site.visits[0]).toMatchObject({ method: 'POST', url: '/tea?page=2&q=tea' });
    expect(site.visits[0]?.headers).toMatchObject({
      'x-one': 'tea',
      authorization: 'Bearer very-secret-value',
    });
    // As there, a refusal is an answer like any other where nobody deals with errors.
    expect((await dify.post(id, { q: 'missing' })).body).toMatchObject({ status: 404 });
  });

  test('what is put into a body of JSON cannot break it', async () => {
    const site = await startSite((visit, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(visit.body);
    });
    const http = (value: string) => ({
      type: 'http-request',
      method: 'post',
      url: site.url,
      body: { type: 'json', data: [{ type: 'text', value }] },
      authorization: { type: 'no-auth' },
    });
    const { id } = await dify.live({
      nodes: {
        start: start(field('q'), field('n', 'number'), field('json')),
        list: script('function main() { return { result: ["a", "b"] }; }', { result: 'array[string]' }),
        inside: http(
          '{"q": "<{{#start.q#}}>", "n": {{#start.n#}}, "list": {{#list.result#}}, "x": {{#start.json#}}, "\\\\": "\\""}',
        ),
        key: http('{"{{#start.n#}}": 1}'),
        end: end(output('inside', 'inside', 'body'), output('key', 'key', 'body')),
      },
      edges: ['start > list', 'list > inside', 'inside > key', 'key > end'],
    });
    const { body } = await dify.post(id, { q: 'say "hi"\nnow', n: 2, json: '{"a": null}' });
    const { inside, key } = body as { inside: string; key: string };
    expect(JSON.parse(inside)).toEqual({
      q: '<say "hi"\nnow>',
      n: 2,
      list: ['a', 'b'],
      x: { a: null },
      '\\': '"',
    });
    expect(JSON.parse(key)).toEqual({ 2: 1 });
  });

  test('after an error the other branch goes on, or a value stands in', async () => {
    const site = await startSite((_, response) => {
      response.writeHead(500);
      response.end('no');
    });
    const http = (more: object) => ({
      type: 'http-request',
      method: 'get',
      url: `${site.url}/x`,
      headers: '',
      params: '',
      body: { type: 'none', data: '' },
      authorization: { type: 'no-auth' },
      ...more,
    });
    const { id } = await dify.live({
      nodes: {
        start: start(),
        branch: http({
          error_strategy: 'fail-branch',
          retry_config: { retry_enabled: true, max_retries: 2, retry_interval: 1 },
        }),
        value: http({
          error_strategy: 'default-value',
          default_value: [
            { key: 'body', type: 'string', value: 'stands in' },
            { key: 'status_code', type: 'number', value: '0' },
            { key: 'headers', type: 'object', value: '{}' },
          ],
        }),
        good: end(output('body', 'branch', 'body')),
        bad: end(output('why', 'branch', 'error_message')),
        other: end(output('body', 'value', 'body'), output('status', 'value', 'status_code')),
      },
      edges: [
        'start > branch',
        'start > value',
        'branch/success-branch > good',
        'branch/fail-branch > bad',
        'value > other',
      ],
    });
    expect((await dify.post(id)).body).toEqual({
      why: expect.stringContaining('500'),
      body: 'stands in',
      status: 0,
    });
    expect(site.visits).toHaveLength(4);
  });

  test('an iteration asks the model for each item, in order', async () => {
    const { id } = await dify.live({
      nodes: {
        start: start(field('n', 'number')),
        list: script(
          'const main = ({ n }) => ({ items: Array.from({ length: n }, (_, at) => `item ${at}`) });',
          { items: 'array[string]' },
          { n: ['start', 'n'] },
        ),
        each: {
          type: 'iteration',
          iterator_selector: ['list', 'items'],
          output_selector: ['line', 'output'],
          output_type: 'array[string]',
          is_parallel: true,
          parallel_nums: 4,
          error_handle_mode: 'terminated',
          start_node_id: 'eachstart',
        },
        eachstart: { type: 'iteration-start', in: 'each' },
        llm: {
          type: 'llm',
          in: 'each',
          model,
          prompt_template: [{ role: 'user', text: '{{#each.item#}} of {{#start.n#}}' }],
          vision: { enabled: false },
        },
        line: {
          ...template('{{ at }}: {{ text }}', ['at', 'each', 'index'], ['text', 'llm', 'text']),
          in: 'each',
        },
        all: template('{{ lines | join("|") }}', ['lines', 'each', 'output']),
        end: end(output('all', 'all', 'output')),
      },
      edges: ['start > list', 'list > each', 'eachstart > llm', 'llm > line', 'each > all', 'all > end'],
    });
    expect((await dify.post(id, { n: 2 })).body).toEqual({ all: '0: 2 fo 0 meti|1: 2 fo 1 meti' });
    expect((await dify.post(id, { n: 0 })).body).toEqual({ all: '' });
  });

  test.each([
    ['remove-abnormal-output', [1, 3]],
    ['continue-on-error', [1, null, 3]],
  ])('items that fail in an iteration: %s', async (error_handle_mode, result) => {
    const { id } = await dify.live({
      nodes: {
        start: start(),
        list: script('function main() { return { items: [1, 2, 3] }; }', { items: 'array[number]' }),
        each: {
          type: 'iteration',
          iterator_selector: ['list', 'items'],
          output_selector: ['one', 'n'],
          output_type: 'array[number]',
          error_handle_mode,
          start_node_id: 's',
        },
        s: { type: 'iteration-start', in: 'each' },
        one: {
          ...script(
            'function main({ n }) { if (n === 2) throw new Error("two"); return { n }; }',
            { n: 'number' },
            { n: ['each', 'item'] },
          ),
          in: 'each',
        },
        end: end(output('all', 'each', 'output')),
      },
      edges: ['start > list', 'list > each', 's > one', 'each > end'],
    });
    expect((await dify.post(id)).body).toEqual({ all: result });
  });

  test('lists that an iteration gathers become one list', async () => {
    const { id } = await dify.live({
      nodes: {
        start: start(),
        list: script('function main() { return { items: [1, 2] }; }', { items: 'array[number]' }),
        each: {
          type: 'iteration',
          iterator_selector: ['list', 'items'],
          output_selector: ['two', 'r'],
          output_type: 'array[number]',
          start_node_id: 's',
        },
        s: { type: 'iteration-start', in: 'each' },
        two: {
          ...script(
            'function main({ n }) { return { r: [n, n * 10] }; }',
            { r: 'array[number]' },
            { n: ['each', 'item'] },
          ),
          in: 'each',
        },
        end: end(output('all', 'each', 'output')),
      },
      edges: ['start > list', 'list > each', 's > two', 'each > end'],
    });
    expect((await dify.post(id)).body).toEqual({ all: [1, 10, 2, 20] });
  });

  const counter = (more: object) => ({
    nodes: {
      start: start(),
      loop: {
        type: 'loop',
        loop_count: 10,
        logical_operator: 'and',
        break_conditions: [],
        loop_variables: [
          { label: 'num', var_type: 'number', value_type: 'constant', value: '1' },
          { label: 'seen', var_type: 'array[string]', value_type: 'constant', value: '[]' },
        ],
        start_node_id: 's',
        ...more,
      },
      s: { type: 'loop-start', in: 'loop' },
      add: {
        type: 'assigner',
        version: '2',
        in: 'loop',
        items: [
          { variable_selector: ['loop', 'num'], operation: '+=', input_type: 'constant', value: 1 },
          { variable_selector: ['loop', 'seen'], operation: 'append', input_type: 'constant', value: 'x' },
        ],
      },
      end: end(
        output('num', 'loop', 'num'),
        output('seen', 'loop', 'seen'),
        output('rounds', 'loop', 'loop_round'),
      ),
    },
  });

  test('a loop ends by its condition, by its count, or at its end node', async () => {
    const until = counter({ break_conditions: [condition(['loop', 'num'], '≥', '5', 'number')] });
    const one = await dify.live({ ...until, edges: ['start > loop', 's > add', 'loop > end'] });
    expect((await dify.post(one.id)).body).toEqual({ num: 5, seen: ['x', 'x', 'x', 'x'], rounds: 4 });
    const three = counter({ loop_count: 3 });
    const two = await dify.live({ ...three, edges: ['start > loop', 's > add', 'loop > end'] });
    expect((await dify.post(two.id)).body).toMatchObject({ num: 4, rounds: 3 });
    const { nodes } = counter({});
    const ended = {
      ...nodes,
      check: {
        type: 'if-else',
        in: 'loop',
        cases: [
          {
            case_id: 'true',
            logical_operator: 'and',
            conditions: [condition(['loop', 'num'], '=', 3, 'number')],
          },
        ],
      },
      out: { type: 'loop-end', in: 'loop' },
    };
    const last = await dify.live({
      nodes: ended,
      edges: ['start > loop', 's > add', 'add > check', 'check/true > out', 'loop > end'],
    });
    expect((await dify.post(last.id)).body).toMatchObject({ num: 3, rounds: 2 });
  });

  test('values are taken out of a text, and a question is sent to its class', async () => {
    const { id } = await dify.live({
      nodes: {
        start: start(field('text')),
        sort: {
          type: 'question-classifier',
          model,
          query_variable_selector: ['start', 'text'],
          classes: [
            { id: '1', name: 'Orders' },
            { id: '2', name: '其他' },
          ],
          instruction: 'Be quick.',
          topics: [],
          vision: { enabled: false },
        },
        take: {
          type: 'parameter-extractor',
          model,
          query: ['start', 'text'],
          parameters: [
            { name: 'item', type: 'string', required: true, description: 'What' },
            { name: 'count', type: 'number', required: false, description: 'How many' },
          ],
          instruction: '',
          reasoning_mode: 'prompt',
        },
        order: end(
          output('item', 'take', 'item'),
          output('count', 'take', 'count'),
          output('ok', 'take', '__is_success'),
          output('class', 'sort', 'class_name'),
        ),
        other: end(output('class', 'sort', 'class_name')),
      },
      edges: ['start > sort', 'sort/1 > take', 'take > order', 'sort/2 > other'],
    });
    dify.reply = (asked) => {
      if (!JSON.stringify(asked.body).includes('Decide which')) return '{"item": "tea"}';
      return JSON.stringify({ reason: 'so', case: lastOf(asked).includes('tea') ? 'orders' : 'class' });
    };
    expect((await dify.post(id, { text: 'Some tea' })).body).toEqual({
      item: 'tea',
      count: 0,
      ok: 1,
      class: 'Orders',
    });
    expect((await dify.post(id, { text: 'Hello' })).body).toEqual({ class: '其他' });
  });

  test('structured output, a list operator, and values that nothing gives', async () => {
    const { id, report } = await dify.live({
      nodes: {
        start: start(),
        llm: {
          type: 'llm',
          model,
          prompt_template: [{ role: 'user', text: 'Go' }],
          structured_output_enabled: true,
          structured_output: {
            schema: {
              type: 'object',
              properties: { words: { type: 'array', items: { type: 'string' } } },
              required: ['words'],
            },
          },
          vision: { enabled: false },
        },
        pick: {
          type: 'list-operator',
          variable: ['llm', 'structured_output', 'words'],
          var_type: 'array[string]',
          item_var_type: 'string',
          filter_by: {
            enabled: true,
            conditions: [{ key: '', comparison_operator: 'contains', value: 'a' }],
          },
          order_by: { enabled: true, key: '', value: 'desc' },
          limit: { enabled: true, size: 2 },
          extract_by: { enabled: false, serial: '1' },
        },
        end: end(
          output('all', 'pick', 'result'),
          output('first', 'pick', 'first_record'),
          output('nothing', 'gone', 'text'),
          output('raw', 'llm', 'text'),
        ),
      },
      edges: ['start > llm', 'llm > pick', 'pick > end'],
    });
    dify.reply = () => '{"words": ["apple", "kiwi", "banana", "avocado"]}';
    expect((await dify.post(id)).body).toEqual({
      all: ['banana', 'avocado'],
      first: 'banana',
      nothing: null,
      raw: '{"words":["apple","kiwi","banana","avocado"]}',
    });
    expect(report.nodes.find(({ name }) => name === 'end')).toMatchObject({ word: 'close' });
  });
});
