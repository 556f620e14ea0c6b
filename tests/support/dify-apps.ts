import {
  condition,
  field,
  model,
  output,
  type ShortApp,
  type ShortNode,
} from '../../server/flows/imports/dify/testing/dify-app.ts';
import { fc } from './property.ts';

/** Apps as people could have drawn them: any nodes, any wires forward, variables of any nodes before. */

const TYPES = [
  'llm',
  'if-else',
  'code',
  'template-transform',
  'http-request',
  'tool',
  'variable-aggregator',
  'assigner',
  'iteration',
  'loop',
  'parameter-extractor',
  'question-classifier',
  'list-operator',
  'document-extractor',
  'knowledge-retrieval',
  'agent',
  'answer',
  'end',
  'something-new',
] as const;

const OUTPUT: Readonly<Record<string, string>> = {
  llm: 'text',
  code: 'result',
  'template-transform': 'output',
  'http-request': 'body',
  tool: 'text',
  'variable-aggregator': 'output',
  iteration: 'output',
  loop: 'n',
  'parameter-extractor': 'word',
  'question-classifier': 'class_name',
  'list-operator': 'result',
  'document-extractor': 'text',
  'knowledge-retrieval': 'result',
  agent: 'text',
  answer: 'answer',
};

interface Choice {
  readonly type: (typeof TYPES)[number];
  /** Where its variables and wires come from, as shares of the nodes before. */
  readonly reads: readonly number[];
  readonly from: readonly number[];
  readonly flag: boolean;
  readonly n: number;
}

const choice = fc.record({
  type: fc.constantFrom(...TYPES),
  reads: fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { minLength: 1, maxLength: 3 }),
  from: fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { minLength: 0, maxLength: 3 }),
  flag: fc.boolean(),
  n: fc.nat(9),
});

export const randomApp: fc.Arbitrary<ShortApp> = fc
  .record({
    mode: fc.constantFrom('workflow', 'advanced-chat'),
    choices: fc.array(choice, { minLength: 1, maxLength: 14 }),
    inner: fc.array(choice, { minLength: 1, maxLength: 4 }),
    wild: fc.array(fc.tuple(fc.nat(16), fc.nat(16)), { maxLength: 2 }),
    isWild: fc.boolean(),
  })
  .map(({ mode, choices, inner, wild, isWild }) => {
    const nodes: Record<string, ShortNode> = {
      start: { type: 'start', variables: [field('q'), field('n', 'number')] },
    };
    const edges: string[] = [];
    draw({ nodes, edges, mode, before: ['start'] }, choices, inner, '');
    const ids = Object.keys(nodes);
    if (isWild)
      for (const [a, b] of wild) {
        const from = ids[a % ids.length] as string;
        edges.push(`${from}${handleOf(nodes[from], b)} > ${ids[b % ids.length]}`);
      }
    return {
      mode,
      nodes,
      edges: [...new Set(edges)],
      workflow: {
        conversation_variables: [{ name: 'said', value: [], value_type: 'array[string]' }],
        environment_variables: [{ name: 'BASE', value: 'https://example.com', value_type: 'string' }],
      },
    };
  });

interface Place {
  readonly nodes: Record<string, ShortNode>;
  readonly edges: string[];
  readonly mode: string;
  readonly before: readonly string[];
  readonly container?: string;
}

function draw(place: Place, choices: readonly Choice[], inner: readonly Choice[], prefix: string): void {
  const { nodes, edges, container } = place;
  const own: string[] = container === undefined ? ['start'] : [`${container}start`];
  const known = [...place.before];
  for (const [at, one] of choices.entries()) {
    const type =
      container !== undefined && (one.type === 'iteration' || one.type === 'loop' || one.type === 'end')
        ? 'code'
        : one.type;
    const id = `${prefix}${type.replaceAll('-', '_')}_${at}`;
    const read = (n: number): string[] =>
      selector(known[Math.floor((one.reads[n % one.reads.length] ?? 0) * known.length)] ?? 'start', nodes);
    nodes[id] = {
      ...settings(type, one, read, container),
      type,
      ...(container !== undefined && { in: container }),
    };
    for (const share of one.from.length > 0 ? one.from : [0.999]) {
      const from = own[Math.floor(share * own.length)] ?? 'start';
      edges.push(`${from}${handleOf(nodes[from], one.n)} > ${id}`);
    }
    if (type === 'iteration' || type === 'loop') {
      nodes[`${id}start`] = { type: `${type}-start`, in: id };
      draw({ ...place, before: [...known, id], container: id }, inner, [], `${id}_`);
      nodes[id] = {
        ...nodes[id],
        output_selector: selector(`${id}_${(inner[0] as Choice).type.replaceAll('-', '_')}_0`, nodes),
      } as ShortNode;
    }
    own.push(id);
    known.push(id);
  }
}

function selector(id: string, nodes: Readonly<Record<string, ShortNode>>): string[] {
  if (id === 'start') return ['start', 'q'];
  return [id, OUTPUT[nodes[id]?.type ?? ''] ?? 'output'];
}

function handleOf(node: ShortNode | undefined, n: number): string {
  if (node?.type === 'if-else') return n % 2 === 0 ? '/true' : '/false';
  if (node?.type === 'question-classifier') return n % 2 === 0 ? '/1' : '/2';
  return '';
}

function settings(
  type: string,
  { flag, n }: Choice,
  read: (n: number) => string[],
  container: string | undefined,
): Record<string, unknown> {
  const shown = (at: number): string => `{{#${read(at).join('.')}#}}`;
  switch (type) {
    case 'llm':
      return {
        model,
        prompt_template: [
          { role: 'system', text: `Be ${shown(0)}` },
          { role: 'user', text: `${shown(1)} {{#env.BASE#}}` },
        ],
        vision: { enabled: flag },
        ...(flag && { memory: { window: { enabled: true, size: n + 1 } } }),
      };
    case 'if-else':
      return {
        cases: [
          {
            case_id: 'true',
            logical_operator: flag ? 'and' : 'or',
            conditions: [
              condition(
                read(0),
                ['is', 'contains', 'empty', 'not empty', 'start with', 'in'][n % 6] ?? 'is',
                shown(1),
              ),
              condition(['start', 'n'], '>', String(n), 'number'),
            ],
          },
        ],
      };
    case 'code':
      return {
        code_language: flag ? 'javascript' : 'python3',
        code: flag
          ? 'function main({ a }) { return { result: a }; }'
          : 'def main(a):\n    return {"result": a}',
        outputs: { result: { type: 'string' } },
        variables: [{ variable: 'a', value_selector: read(0) }],
      };
    case 'template-transform':
      return {
        template: '{% for x in a %}{{ loop.index }}{{ x }}{% endfor %}{{ b | default("no") }}',
        variables: [
          { variable: 'a', value_selector: read(0) },
          { variable: 'b', value_selector: ['conversation', 'said'] },
        ],
      };
    case 'http-request':
      return {
        method: flag ? 'get' : 'post',
        url: `{{#env.BASE#}}/${shown(0)}`,
        headers: `X-A:${shown(1)}`,
        params: '',
        body: { type: flag ? 'none' : 'json', data: flag ? '' : `{"a": "${shown(2)}"}` },
        authorization: { type: 'no-auth' },
        ...(n > 5 && { error_strategy: 'fail-branch' }),
      };
    case 'tool':
      return {
        provider_id: 'time',
        tool_name: 'current_time',
        tool_parameters: { a: { type: 'mixed', value: shown(0) } },
      };
    case 'variable-aggregator':
      return { variables: [read(0), read(1)], output_type: 'string' };
    case 'assigner':
      return {
        version: '2',
        items: [
          {
            variable_selector: container !== undefined && flag ? [container, 'n'] : ['conversation', 'said'],
            operation: 'append',
            input_type: 'variable',
            value: read(0),
          },
        ],
      };
    case 'iteration':
      return {
        iterator_selector: ['conversation', 'said'],
        is_parallel: flag,
        parallel_nums: n + 1,
        error_handle_mode: ['terminated', 'continue-on-error', 'remove-abnormal-output'][n % 3],
      };
    case 'loop':
      return {
        loop_count: n + 1,
        logical_operator: 'and',
        break_conditions: flag ? [condition(read(0), 'not empty')] : [],
        loop_variables: [
          {
            label: 'n',
            var_type: 'string',
            value_type: flag ? 'variable' : 'constant',
            value: flag ? read(1) : 'x',
          },
        ],
      };
    case 'parameter-extractor':
      return {
        model,
        query: read(0),
        parameters: [{ name: 'word', type: 'string', required: flag, description: shown(1) }],
        instruction: shown(1),
      };
    case 'question-classifier':
      return {
        model,
        query_variable_selector: read(0),
        classes: [
          { id: '1', name: 'One' },
          { id: '2', name: 'Two' },
        ],
        instruction: shown(1),
      };
    case 'list-operator':
      return {
        variable: ['conversation', 'said'],
        var_type: 'array[string]',
        item_var_type: 'string',
        filter_by: {
          enabled: flag,
          conditions: [{ key: '', comparison_operator: 'contains', value: shown(1) }],
        },
        order_by: { enabled: true, value: 'desc' },
        limit: { enabled: true, size: n },
      };
    case 'document-extractor':
      return { variable_selector: ['sys', 'files'], is_array_file: true };
    case 'knowledge-retrieval':
      return {
        query_variable_selector: read(0),
        dataset_ids: ['a-b-c'],
        retrieval_mode: 'multiple',
        multiple_retrieval_config: { top_k: n },
      };
    case 'agent':
      return {
        agent_parameters: {
          model: { value: model },
          instruction: { value: shown(0) },
          query: { type: 'constant', value: shown(1) },
          ...(flag && { tools: { value: [{ enabled: true }] } }),
        },
      };
    case 'answer':
      return { answer: flag ? shown(0) : `Said: ${shown(0)} \\${shown(1)} {`, variables: [] };
    case 'end':
      return { outputs: [output('a', ...read(0)), output('b', 'sys', 'user_id')] };
    default:
      return { anything: shown(0), nested: { list: [1, { a: 2 }] } };
  }
}
