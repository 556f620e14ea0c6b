import type { Port, Scope } from '../graph.ts';
import type { Job } from '../job.ts';
import { resumeAddress } from '../resume-links.ts';
import type { Step } from '../workflow.ts';
import { nodeReads } from './node-reads.ts';
import { type Reads, Unsayable } from './reads.ts';

/** The values that the expressions of a step read in the flow that is being made. */
export function readsFor(job: Job, step: Step, scope: Scope, input: Port | undefined): Reads {
  const isList = input?.card === 'many';
  const fieldOf = (name: string, field: string): string | undefined =>
    isAddress(name, field) ? addressIn(job, step, scope, input) : factField(job, name, field);
  return {
    from: input,
    isLater: scope.start !== undefined || isBehindWait(job, step),
    item() {
      if (input === undefined) throw new Unsayable('nothing comes before it');
      return 'input';
    },
    items() {
      if (input === undefined) throw new Unsayable('nothing comes before it');
      return isList ? input.expr : `[${input.expr}]`;
    },
    own: step.name,
    index: isList ? 'index' : (input?.place ?? '0'),
    ...nodeReads(job, step, scope, input),
    fact(name) {
      if (name === '$runIndex') return roundOf(scope);
      const field = OLD_FACTS[name];
      return field === undefined ? undefined : fieldOf('$execution', field);
    },
    factField: fieldOf,
  };
}

/** Earlier names of fields of `$execution`. */
const OLD_FACTS: Readonly<Record<string, string>> = { $executionId: 'id', $resumeWebhookUrl: 'resumeUrl' };

const WAITS = new Set(['wait', 'form', 'splitInBatches']);

function isBehindWait({ before, workflow }: Job, { name }: Step): boolean {
  return [...(before.get(name) ?? [])].some((one) => WAITS.has(workflow.steps.get(one)?.kind ?? ''));
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
