import { comesBefore, isVisible, itemAt, type Named, onlyOf, type Port, type Scope } from '../graph.ts';
import type { Job } from '../job.ts';
import type { Step, Workflow } from '../workflow.ts';
import { type Reads, Unsayable, type Which } from './reads.ts';

/** The values of other nodes that expressions of a step read. */

type NodeReads = Pick<
  Reads,
  'nodeItem' | 'nodeItems' | 'nodeItemsIfRan' | 'ownItemIfRan' | 'nodeRan' | 'nodeParam'
>;

export function nodeReads(job: Job, step: Step, scope: Scope, input: Port | undefined): NodeReads {
  const portOf = (name: string): Port => {
    const port = job.given.get(name)?.item;
    if (!job.workflow.steps.has(name)) throw new Unsayable(`there is no node “${name}”`);
    if (!port || !job.before.get(step.name)?.has(name))
      throw new Unsayable(`“${name}” does not come before it, so it may not have run`);
    if (!isVisible(port.scope, scope)) throw new Unsayable(`“${name}” is in a loop that has ended there`);
    if (!comesBefore(port, scope))
      throw new Unsayable(`“${name}” does not come before the loop, so it may not have run`);
    return port;
  };
  /** Of a node with several outputs that part its items: the one that leads here. */
  const outputOf = (name: string): Port => {
    const port = portOf(name);
    const { outputs = [], isParted } = job.given.get(name) ?? {};
    if (isParted !== true || port.card === 'one') return port;
    return outputs[outputTowards(job.workflow, name, step.name)] ?? port;
  };
  const itemReads = readItems(job, step, scope, input, { portOf, outputOf });
  return {
    ...itemReads,
    nodeRan(name) {
      if (!job.workflow.steps.has(name)) throw new Unsayable(`there is no node “${name}”`);
      if (!job.before.get(step.name)?.has(name)) return 'false';
      return `(${everExpr(portOf(name))} ?? null) != null`;
    },
    nodeParam(name, path) {
      let value: unknown = job.workflow.steps.get(name)?.parameters;
      for (const key of path)
        value =
          typeof value === 'object' && value !== null && Object.hasOwn(value, key)
            ? (value as Record<string, unknown>)[key]
            : undefined;
      if (typeof value === 'string' && value.startsWith('='))
        throw new Unsayable(`the setting of “${name}” is an expression itself`);
      return value;
    },
  };
}

type ItemReads = Omit<NodeReads, 'nodeRan' | 'nodeParam'>;

/** The output of a node by which the shortest way leads to a step. */
function outputTowards({ wires }: Workflow, from: string, to: string): number {
  const reached = new Set([to]);
  for (const name of reached)
    for (const wire of wires) {
      if (wire.to !== name || wire.kind !== 'main') continue;
      if (wire.from === from) return wire.output;
      reached.add(wire.from);
    }
  return 0;
}

interface Ports {
  readonly portOf: (name: string) => Port;
  readonly outputOf: (name: string) => Port;
}

/** Their items; `portOf` throws `Unsayable` for a node that cannot be read. */
function readItems(
  job: Job,
  step: Step,
  scope: Scope,
  ...[input, { portOf, outputOf }]: readonly [input: Port | undefined, ports: Ports]
): ItemReads {
  const ran = (name: string, port: Port, which: 'own' | 'any'): string => {
    const isSure = job.sure.get(step.name)?.has(name) === true;
    if (!isSure && which === 'any') tellEarlier(job, step, scope, { name, port });
    return isSure ? port.expr : ranExpr(port, which);
  };
  const own = (name: string, given: Port): string => {
    const port = { ...given, expr: ran(name, given, 'own') };
    if (port.card === 'one') return port.expr;
    const node = { name, port };
    const found = input && itemAt(input, node, 'index');
    if (found !== undefined) return found;
    tellOnly(job, step, name);
    return onlyOf(port.expr, node);
  };
  const at = (name: string, port: Port, which: Which): string => {
    const expr = ran(name, port, 'any');
    if (typeof which === 'object' && which.isThere === true)
      return port.card === 'one' ? expr : `${expr}[${which.at}]`;
    if (port.card === 'one')
      return typeof which === 'object' && which.at !== '0' ? `[${expr}]?.[${which.at}]` : expr;
    if (typeof which === 'object') return `${expr}?.[${which.at}]`;
    return which === 'last' ? `last(${expr})` : `${expr}?.[0]`;
  };
  return {
    nodeItem: (name, which) => (which === 'own' ? own(name, portOf(name)) : at(name, outputOf(name), which)),
    nodeItems(name) {
      const port = outputOf(name);
      const expr = ran(name, port, 'any');
      return port.card === 'many' ? expr : `[${expr}]`;
    },
    nodeItemsIfRan(name) {
      const port = outputOf(name);
      if (job.sure.get(step.name)?.has(name) === true)
        return port.card === 'many' ? port.expr : `[${port.expr}]`;
      tellEarlier(job, step, scope, { name, port });
      const value = everExpr(port);
      return port.card === 'many' ? `(${value} ?? null)` : `((${value} ?? null) == null ? null : [${value}])`;
    },
    ownItemIfRan(name) {
      const port = portOf(name);
      if (port.card === 'one') return `(${port.expr} ?? null)`;
      const node = { name, port, orNull: true };
      const found = input && itemAt(input, node, 'index');
      return `(${found ?? onlyOf(`(${port.expr} ?? [])`, node)} ?? null)`;
    },
  };
}

/** What a node gave in this round, or in the last one of those before in which it ran, as far as that is kept. */
const everExpr = ({ expr, earlier }: Port): string =>
  earlier === undefined ? expr : `(${expr} ?? ${earlier})`;

/** A node that did not run is an error there. Here it is one too where it is read as a whole; with \`?.\` it would be null. */
function ranExpr(port: Port, which: 'own' | 'any'): string {
  const isKept = which === 'any' && port.earlier !== undefined;
  if (!isKept && port.mayBeMissing !== true) return `[${port.expr}][0]`;
  const expr = isKept ? everExpr(port) : port.expr;
  return port.card === 'many' ? `(${expr}).slice(0)` : `pick(${expr}, keys(${expr}))`;
}

/** Of all items of a node only one can be the one that belongs to another. */
function tellOnly({ report, told }: Job, step: Step, name: string): void {
  const key = JSON.stringify([step.name, name, 'only']);
  if (told.has(key)) return;
  told.add(key);
  report.change({
    what: 'expression',
    effect: 'changed',
    node: step.name,
    before: name,
    message: `Which item of “${name}” belongs to its own is not known here: it reads the only one, and fails if there are several.`,
  });
}

/** Rounds over a list know nothing of each other. */
function tellEarlier({ report, told }: Job, step: Step, scope: Scope, { name, port }: Named): void {
  const key = JSON.stringify([step.name, name]);
  if (port.scope !== scope || scope.start === undefined || port.earlier !== undefined || told.has(key))
    return;
  if (scope.round?.port !== undefined || scope.round === undefined) return;
  told.add(key);
  report.change({
    what: 'expression',
    effect: 'changed',
    node: step.name,
    before: name,
    message: `In a round in which “${name}” does not run, it had what “${name}” gave in an earlier round; here that is an error.`,
  });
}
