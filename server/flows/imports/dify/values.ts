import { type DifyNode, listOf, recordOf, selectorOf, textOf } from './app.ts';
import type { Level } from './here.ts';
import { Unmapped } from './unmapped.ts';
import { emptyOf, typedConstant } from './nodes/lists.ts';
import { kindOf } from './nodes/texts.ts';
import type { Done, State } from './state.ts';
import { itemKind, literal, members, type Value } from './write.ts';

/** Resolves the variables of Dify: `node.name` as an expression, at a place of the graph. */
export class Values {
  private readonly state: State;

  constructor(state: State) {
    this.state = state;
  }

  /** The value of a variable as this node reads it; without a node, as the end of the level does. */
  value(
    level: Level,
    node: DifyNode | undefined,
    selector: readonly string[],
    missing: (what: string) => void,
  ): Value {
    const [head = '', name = '', ...rest] = selector;
    const found =
      this.named(level, node, head, [name, ...rest]) ??
      this.roundValue(level, node, selector) ??
      this.outputValue(level, node, selector);
    if (found) return found;
    missing(selector.join('.'));
    return { expr: 'null' };
  }

  /** A variable of the app: undefined if it is none, or one that it does not have. */
  private named(
    level: Level,
    node: DifyNode | undefined,
    head: string,
    [name = '', ...rest]: readonly string[],
  ): Value | undefined {
    if (head === 'sys' || head === 'userinput') return this.system(level, node, name, rest);
    if (head === 'env') return this.environment(name, rest);
    return head === 'conversation' ? this.conversationValue(level, node, name, rest) : undefined;
  }

  private outputValue(
    level: Level,
    node: DifyNode | undefined,
    [head = '', ...path]: readonly string[],
  ): Value | undefined {
    const found = this.state.done.get(head);
    const place = found && this.placeOf(found, level, node);
    if (!found || !place) return undefined;
    const value = found.became.value(path, place.isSure && !found.mayFail ? '' : '?');
    const [name = ''] = path;
    return value ?? (name.startsWith('error_') ? this.errorOf(found, name) : undefined);
  }

  private errorOf({ became }: Done, name: string): Value | undefined {
    const [port] = became.leave['fail-branch'] ?? [];
    const field = ({ error_message: 'message', error_type: 'code' } as const)[name as 'error_message'];
    if (field === undefined) return undefined;
    if (port === undefined) return { expr: '""', kind: 'text' };
    const [id] = port.split('.');
    return { expr: `(nodes.${id}?.error?.${field} ?? "")`, kind: 'text' };
  }

  /** Whether a node comes before this one, also from outside of the bodies around it, and has certainly run. */
  private placeOf(found: Done, level: Level, node: DifyNode | undefined): { isSure: boolean } | undefined {
    for (let at: Level | undefined = level, id = node?.id; at; ) {
      if (found.level === at) {
        if (id === undefined) return { isSure: false };
        return at.graph.isBefore(found.node.id, id)
          ? { isSure: at.graph.isSure(found.node.id, id) }
          : undefined;
      }
      id = at.around?.node.id;
      at = at.around?.up;
    }
    return undefined;
  }

  /** The item of an iteration, or a variable of a loop, as its nodes see it. */
  private roundValue(
    level: Level,
    node: DifyNode | undefined,
    [head = '', name = '', ...rest]: readonly string[],
  ): Value | undefined {
    for (
      let at: Level | undefined = level, from = node;
      at?.around;
      from = at.around.node, at = at.around.up
    ) {
      const { around } = at;
      if (around.node.id !== head) continue;
      const start = `nodes.${around.start}`;
      if (around.node.type === 'iteration') {
        if (name === 'index') return { expr: `${start}.index`, kind: 'number' };
        if (name !== 'item') return undefined;
        return {
          expr: members(`${start}.item`, rest, '?'),
          kind: rest.length === 0 ? this.itemOf(around.node) : undefined,
        };
      }
      const variables = listOf(around.node.data['loop_variables']).map(recordOf);
      const known = variables.find((one) => textOf(one['label']) === name);
      if (!known) return undefined;
      const now = this.current(at, from, `${head}.${name}`, members(`${start}.vars`, [name]));
      return {
        expr: members(now, rest, '?'),
        kind: rest.length === 0 ? kindOf(textOf(known['var_type'])) : undefined,
      };
    }
    return undefined;
  }

  private itemOf({ data }: DifyNode): Value['kind'] {
    const [head = '', ...path] = selectorOf(data['iterator_selector']);
    const type = textOf(data['iterator_input_type']);
    if (type.startsWith('array[')) return kindOf(type.slice(6, -1));
    return itemKind(this.state.done.get(head)?.became.value(path, '?')?.kind);
  }

  /** The value that a variable has here: of the last node that assigned it, of those that have run. */
  private current(level: Level, node: DifyNode | undefined, key: string, base: string): string {
    let expr = base;
    for (const id of level.graph.order) {
      const found = this.state.done.get(id);
      const write = found?.became.writes?.get(key);
      if (!found || !write) continue;
      const place = this.placeOf(found, level, node);
      if (!place) continue;
      expr = place.isSure ? write.expr : `((nodes.${write.id} ?? null) === null ? ${expr} : ${write.expr})`;
      if (expr.length > 12_000) throw new Unmapped('a variable is assigned too often before it');
    }
    return expr;
  }

  private conversationValue(
    level: Level,
    node: DifyNode | undefined,
    name: string,
    rest: readonly string[],
  ): Value | undefined {
    const key = `conversation.${name}`;
    const variable = this.state.app.conversation.find((one) => one.name === name);
    const levels: { at: Level; from: DifyNode | undefined }[] = [];
    let base: string | undefined;
    for (let at: Level | undefined = level, from = node; at; from = at.around?.node, at = at.around?.up) {
      levels.push({ at, from });
      const read: string | undefined = at.reads.get(name);
      if (read === undefined) continue;
      base = `nodes.${read}`;
      break;
    }
    if (base === undefined) return variable ? { expr: literal(emptyOf(variable.type)) } : undefined;
    const now = levels.reduceRight((expr, { at, from }) => this.current(at, from, key, expr), base);
    return {
      expr: members(now, rest, '?'),
      kind: rest.length === 0 && variable ? kindOf(variable.type) : undefined,
    };
  }

  private environment(name: string, rest: readonly string[]): Value | undefined {
    const variable = this.state.app.environment.find((one) => one.name === name);
    if (!variable) return undefined;
    if (variable.type === 'secret') throw new Unmapped('a secret of its environment stands in a value');
    const constant = typedConstant(variable.value, variable.type);
    const read = this.state.environment;
    if (read === undefined)
      return {
        expr: members(literal(constant), rest, '?'),
        kind: rest.length === 0 ? kindOf(variable.type) : undefined,
      };
    return {
      expr: members(`nodes.${read}`, [name, ...rest]),
      kind: rest.length === 0 ? kindOf(variable.type) : undefined,
    };
  }

  private system(
    level: Level,
    node: DifyNode | undefined,
    name: string,
    rest: readonly string[],
  ): Value | undefined {
    for (const found of this.state.done.values()) {
      if (found.node.type !== 'start' || !this.placeOf(found, level, node)) continue;
      const value = found.became.value([`sys.${name}`, ...rest], '');
      if (value) return value;
    }
    if (name === 'dialogue_count' && this.state.rounds !== undefined)
      return { expr: `nodes.${this.state.rounds}`, kind: 'number' };
    return Object.hasOwn(SYSTEM, name) ? SYSTEM[name] : undefined;
  }
}

/** The values that Dify calls `sys`, where no start gives them. */
const SYSTEM: Readonly<Record<string, Value>> = {
  dialogue_count: { expr: '1', kind: 'number' },
  workflow_run_id: { expr: 'run.id', kind: 'text' },
  app_id: { expr: 'run.flow', kind: 'text' },
  workflow_id: { expr: 'run.flow', kind: 'text' },
  timestamp: { expr: 'timestamp(now(), "seconds")', kind: 'number' },
  files: { expr: '[]', kind: 'list' },
  history: { expr: '[]', kind: 'list' },
  user_id: { expr: '""', kind: 'text' },
};
