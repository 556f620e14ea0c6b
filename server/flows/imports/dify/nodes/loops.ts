import type { FlowNode } from '#shared/flow.ts';
import { type Fields, listOf, recordOf, selectorOf, textOf } from '../app.ts';
import { conditionsOf } from '../conditions.ts';
import { type Became, type Here, type Inner, type Mapping, whole } from '../here.ts';
import { Unmapped } from '../unmapped.ts';
import { braces, isListKind, literal, member, members, quoted, type Value } from '../write.ts';
import { changeOf, typedConstant } from './lists.ts';
import { kindOf } from './texts.ts';

export const iteration: Mapping = (here) => {
  const { settings } = here;
  const items = settings.selector('iterator_selector');
  const result = settings.selector('output_selector');
  if (items.length === 0) throw new Unmapped('it names no list');
  const list = here.value(items).expr;
  const onError = settings.text('error_handle_mode');
  const isFlat = settings.get('flatten_output') !== false;
  settings.ignore('iterator_input_type', 'output_type', 'start_node_id', 'startNodeType');
  let kind: Value['kind'];
  const inside = here.body('item', (inner) => {
    const value = result.length === 0 ? { expr: 'null' } : inner.value(result);
    kind = value.kind;
    const own = braces(value.expr);
    return resultNode(inner.said === undefined ? own : { value: own, said: braces(inner.said) });
  });
  const id = here.main({
    operator: 'data.for-each',
    params: {
      items: braces(`${list} ?? []`),
      input: { item: '{{ item }}', index: '{{ index }}' },
      concurrency: roundsAtOnce(here, inside.assigns.length > 0),
      ...(onError === 'remove-abnormal-output' && { onItemError: 'skip' }),
      ...(onError === 'continue-on-error' && { onItemError: 'collect' }),
    },
    body: inside.body,
  });
  const mayBeLists = isFlat && (kind === undefined || isListKind(kind));
  return gathered(here, {
    id,
    isCollected: onError === 'continue-on-error',
    hasAnswers: inside.hasAnswers,
    mayBeLists,
  });
};

function roundsAtOnce(here: Here, assigns: boolean): number {
  const most = Number(here.settings.get('parallel_nums') ?? 10);
  if (!here.settings.flag('is_parallel')) return 1;
  if (assigns) here.note('Rounds that run together assign variables in any order.');
  return most >= 1 && most <= 100 ? Math.round(most) : 10;
}

interface Rounds {
  readonly id: string;
  /** Whether each round gives `{ ok, value }`. */
  readonly isCollected: boolean;
  readonly hasAnswers: boolean;
  /** In Dify, lists in the list of results become one list. */
  readonly mayBeLists: boolean;
}

/** The results of the rounds, as the node of Dify gives them. */
function gathered(here: Here, { id, isCollected, hasAnswers, mayBeLists }: Rounds): Became {
  const round = isCollected ? '(one.ok ? one.value : null)' : 'one';
  const one = hasAnswers ? `${round}?.value` : round;
  const all = one === 'one' ? `nodes.${id}` : `nodes.${id}.map((one) => ${one})`;
  if (one === 'one' && !mayBeLists)
    return listResult({ enter: `${id}.in`, port: `${id}.out` }, (q) => whole(id, q).expr);
  const flat = mayBeLists
    ? `(length(${all}) > 0 && ${all}.every((one) => typeOf(one) === "array") ? ${all}.flat() : ${all})`
    : all;
  const said = braces(`nodes.${id}.map((one) => ${round}?.said ?? "").join("")`);
  const value = { output: braces(flat), ...(hasAnswers && { said }) };
  const output = here.add('output', { operator: 'core.map', params: { value } });
  here.wire(`${id}.out`, `${output}.in`);
  const ends = { enter: `${id}.in`, port: `${output}.out` };
  return {
    ...listResult(ends, (q) => `nodes.${output}${q}.output`),
    ...(hasAnswers && { result: saidResult(ends.port) }),
  };
}

const saidResult = (port: string): Became['result'] => ({ port, text: (of) => `(${of}?.said ?? "")` });

function listResult({ enter, port }: { enter: string; port: string }, list: (q: '' | '?') => string): Became {
  return {
    enter,
    leave: { source: [port] },
    value: ([name, ...rest], q) => {
      if (name !== 'output') return undefined;
      return rest.length === 0 ? { expr: list(q), kind: 'list' } : { expr: members(list(q), rest, '?') };
    },
  };
}

function resultNode(value: unknown): FlowNode {
  return { operator: 'core.join', params: { value } };
}

export const loop: Mapping = (here) => {
  const { settings } = here;
  const rounds = Math.min(100_000, Math.max(1, Math.round(settings.number('loop_count') ?? 10)));
  const variables = settings.records('loop_variables').filter((one) => textOf(one['label']) !== '');
  const conditions = listOf(settings.get('break_conditions'));
  const operator = settings.text('logical_operator');
  if (settings.text('error_handle_mode') === 'continue-on-error')
    throw new Unmapped('it goes on after errors');
  settings.ignore('start_node_id', 'error_handle_mode');
  const first = Object.fromEntries(variables.map((one) => [textOf(one['label']), initial(here, one)]));
  if (conditions.length > 0)
    here.note('Its condition is looked at after each round, not before the first one.');
  const inside = here.body('so_far', (inner) => {
    const holds = conditions.length === 0 ? 'false' : conditionsOf(conditions, operator, inner);
    return endOfRound(inner, here.node.id, variables, holds);
  });
  const id = here.main({
    operator: 'data.repeat-until',
    params: {
      input: { vars: first, round: 0, ...(inside.hasAnswers && { said: '' }) },
      until: braces(`item.done || index + 1 >= ${rounds}`),
      maxRounds: rounds,
    },
    body: inside.body,
  });
  const kinds = new Map(variables.map((one) => [textOf(one['label']), kindOf(textOf(one['var_type']))]));
  return {
    enter: `${id}.in`,
    leave: { source: [`${id}.out`] },
    value: ([name = '', ...rest], q) => {
      if (name === 'loop_round') return { expr: `nodes.${id}${q}.round`, kind: 'number' };
      if (!kinds.has(name)) return undefined;
      return {
        expr: members(`nodes.${id}${q}.vars`, [name, ...rest], q),
        kind: rest.length === 0 ? kinds.get(name) : undefined,
      };
    },
    ...(inside.hasAnswers && { result: saidResult(`${id}.out`) }),
  };
};

function initial(here: Here, variable: Fields): unknown {
  if (textOf(variable['value_type']) === 'variable')
    return braces(here.value(selectorOf(variable['value'])).expr);
  const value = typedConstant(variable['value'], textOf(variable['var_type']));
  return typeof value === 'string' ? braces(quoted(value)) : braces(literal(value));
}

function endOfRound(inner: Inner, id: string, variables: readonly Fields[], holds: string): FlowNode {
  const names = variables.map((one) => textOf(one['label']));
  const ended = inner.ended === undefined ? '' : `(nodes.${inner.ended} ?? null) !== null || `;
  return resultNode({
    vars: Object.fromEntries(names.map((name) => [name, braces(inner.value([id, name]).expr)])),
    round: '{{ inputs.start.round + 1 }}',
    done: braces(`${ended}${holds}`),
    ...(inner.said !== undefined && { said: braces(`inputs.start.said + ${inner.said}`) }),
  });
}

/** Ends a loop after the round in which it is reached. */
export const loopEnd: Mapping = (here) => {
  const id = here.main({ operator: 'core.map', params: { value: true } });
  return { enter: `${id}.in`, leave: {}, value: () => undefined };
};

interface Assignment {
  readonly target: readonly string[];
  readonly operation: string;
  readonly value: (type: string) => string;
}

export const assigner: Mapping = (here) => {
  const { settings } = here;
  const all = assignmentsOf(here);
  settings.ignore('version');
  if (all.length === 0) throw new Unmapped('it assigns nothing');
  const fields = new Map<string, { key: string; base: Base; expr: string; name: string }>();
  for (const { target, operation, value } of all) {
    const key = target.join('.');
    const known = fields.get(key);
    const base = known?.base ?? baseOf(here, target);
    const name =
      known?.name ??
      `${target.at(-1)}${[...fields.values()].some((one) => one.name === target.at(-1)) ? `_${fields.size + 1}` : ''}`;
    const current = known?.expr ?? base.expr;
    fields.set(key, { key, base, name, expr: changeOf(operation)(current, value(base.type), base.type) });
  }
  const entries = [...fields.values()];
  const id = here.main({
    operator: 'core.map',
    params: { value: Object.fromEntries(entries.map(({ name, expr }) => [name, braces(expr)])) },
  });
  let port = `${id}.out`;
  for (const { base, name } of entries) {
    if (base.stateKey === undefined) continue;
    const stored = here.add(`store_${name}`, {
      operator: 'state.set',
      params: { key: base.stateKey, value: braces(member(`nodes.${id}`, name)) },
    });
    here.wire(port, `${stored}.in`);
    port = `${stored}.out`;
  }
  return {
    enter: `${id}.in`,
    leave: { source: [port] },
    value: () => undefined,
    writes: new Map(entries.map(({ key, name }) => [key, { id, expr: member(`nodes.${id}`, name) }])),
  };
};

interface Base {
  readonly expr: string;
  readonly type: string;
  /** Where a variable of a conversation is stored. */
  readonly stateKey: string | undefined;
}

function baseOf(here: Here, [head = '', name = '']: readonly string[]): Base {
  if (head === 'conversation') {
    const variable = here.app.conversation.find((one) => one.name === name);
    if (!variable) throw new Unmapped(`the conversation has no variable ${name.slice(0, 60)}`);
    return {
      expr: here.value([head, name]).expr,
      type: variable.type,
      stateKey: stateKeyOf(here.value, name),
    };
  }
  const { around } = here.level;
  if (around?.node.id !== head || around.node.type !== 'loop')
    throw new Unmapped('it assigns what is no variable of this loop or conversation');
  const variable = listOf(around.node.data['loop_variables'])
    .map(recordOf)
    .find((one) => textOf(one['label']) === name);
  if (!variable) throw new Unmapped(`the loop has no variable ${name.slice(0, 60)}`);
  return { expr: here.value([head, name]).expr, type: textOf(variable['var_type']), stateKey: undefined };
}

/** Without a conversation, what is stored belongs to the run. */
export function stateKeyOf(value: Here['value'], name: string): string {
  const { expr } = value(['sys', 'conversation_id']);
  const place = expr === 'null' ? 'run.id' : `${expr} || run.id`;
  return `${name.replaceAll('{{', '').slice(0, 200)} of {{ ${place} }}`;
}

function assignmentsOf(here: Here): Assignment[] {
  const { settings } = here;
  const items = settings.records('items');
  if (items.length > 0)
    return items.map((item) => ({
      target: selectorOf(item['variable_selector']),
      operation: textOf(item['operation']),
      value: (type) =>
        textOf(item['input_type']) === 'constant'
          ? constantOf(here, item['value'], type)
          : Array.isArray(item['value'])
            ? here.value(selectorOf(item['value'])).expr
            : 'null',
    }));
  const target = settings.selector('assigned_variable_selector');
  if (target.length === 0) return [];
  const input = settings.selector('input_variable_selector');
  return [
    {
      target,
      operation: settings.text('write_mode') || 'over-write',
      value: () => (input.length === 0 ? 'null' : here.value(input).expr),
    },
  ];
}

function constantOf(here: Here, value: unknown, type: string): string {
  const typed = typedConstant(value, type.replace(/^array\[(.*)\]$/, '$1'));
  return typeof typed === 'string' ? here.text(typed) : literal(typed);
}
