import { isVisible, itemAt, type Port, type Scope } from '../graph.ts';
import type { Job } from '../job.ts';
import { resumeAddress } from '../resume-links.ts';
import type { Step } from '../workflow.ts';
import { type Reads, Unsayable, type Which } from './reads.ts';

/** What the expressions of a step read in the flow that is being made. */
export function readsFor(job: Job, step: Step, scope: Scope, input: Port | undefined): Reads {
  const isList = input?.card === 'many';
  const portOf = (name: string): Port => {
    const port = job.given.get(name)?.item;
    if (!job.workflow.steps.has(name)) throw new Unsayable(`there is no node “${name}”`);
    if (!port || !job.before.get(step.name)?.has(name))
      throw new Unsayable(`“${name}” does not come before it, so it may not have run`);
    if (!isVisible(port.scope, scope)) throw new Unsayable(`“${name}” is in a loop that has ended there`);
    return port;
  };
  const own = (name: string, port: Port): string => {
    if (port.card === 'one') return port.expr;
    const found = input && itemAt(input, { name, port }, 'index');
    if (found !== undefined) return found;
    throw new Unsayable(`it is not certain which item of “${name}” belongs to the item`);
  };
  const at = (port: Port, which: Which): string => {
    if (port.card === 'one')
      return typeof which === 'object' && which.at !== '0' ? `[${port.expr}]?.[${which.at}]` : port.expr;
    if (typeof which === 'object') return `${port.expr}?.[${which.at}]`;
    return which === 'last' ? `last(${port.expr})` : `${port.expr}?.[0]`;
  };
  return {
    from: input,
    item() {
      if (input === undefined) throw new Unsayable('nothing comes before it');
      return 'input';
    },
    items() {
      if (input === undefined) throw new Unsayable('nothing comes before it');
      return isList ? input.expr : `[${input.expr}]`;
    },
    index: isList ? 'index' : '0',
    nodeItem: (name, which) => (which === 'own' ? own(name, portOf(name)) : at(portOf(name), which)),
    nodeItems(name) {
      const port = portOf(name);
      if (port.card === 'many') return port.mayBeMissing === true ? `(${port.expr} ?? [])` : port.expr;
      return port.mayBeMissing === true ? `compact([${port.expr}])` : `[${port.expr}]`;
    },
    nodeRan(name) {
      if (!job.workflow.steps.has(name)) throw new Unsayable(`there is no node “${name}”`);
      if (!job.before.get(step.name)?.has(name)) return 'false';
      return `(${portOf(name).expr} ?? null) != null`;
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
    fact: (name) => (name === '$runIndex' ? roundOf(scope) : undefined),
    factField: (name, field) =>
      isAddress(name, field) ? addressIn(job, step, scope, input) : factField(job, name, field),
  };
}

const isAddress = (name: string, field: string): boolean =>
  name === '$execution' && /^resume(?:Form)?Url$/.test(field);

function addressIn(job: Job, step: Step, scope: Scope, input: Port | undefined): string {
  if (scope.start !== undefined) throw new Unsayable('it is read in a loop');
  if (input === undefined) throw new Unsayable('nothing comes before it');
  return resumeAddress(job, step);
}

/** How often a step ran before: once a round, and only the rounds of one loop are counted. */
function roundOf(scope: Scope): string {
  const rounds: string[] = [];
  for (let at: Scope | undefined = scope; at !== undefined; at = at.around)
    if (at.round) rounds.push(at.round.index);
  if (rounds.length > 1) throw new Unsayable('it counts over the rounds of several loops');
  return rounds[0] ?? '0';
}

function factField(job: Job, name: string, field: string): string | undefined {
  const { workflow, around, report } = job;
  if (name === '$workflow') {
    if (field === 'name') return JSON.stringify(workflow.name);
    if (field === 'id') return JSON.stringify(around.id);
    return field === 'active' ? 'true' : undefined;
  }
  if (name === '$execution') return field === 'id' ? 'run.id' : field === 'mode' ? '"production"' : undefined;
  if (name !== '$env' && name !== '$vars') return undefined;
  const key = variableName(field);
  report.need({
    kind: 'variable',
    name: key,
    nodes: [],
    message: `Set the variable ${key}, which was ${name}.${field}.`,
  });
  return `vars.${key}`;
}

/** Names of variables are those of JavaScript. */
const variableName = (field: string): string => field.replaceAll(/\W/g, '_');
