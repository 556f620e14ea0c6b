import type { Context } from './context.ts';
import { Unsayable } from './expressions/reads.ts';
import { SPREAD } from './graph.ts';
import type { Job, ResumeLink } from './job.ts';
import type { Step } from './workflow.ts';

/** The address that resumes a run there is made by a node before the step that reads it. */

const KINDS: Readonly<Record<string, ResumeLink['params']['for']>> = { webhook: 'program', form: 'person' };
/** The address stands alone, or at the end of a word. */
const ALONE = /\$execution\.resume(?:Form)?Url\s*\}\}(?![/?&#\w-])/g;
const ANY = /resume(?:Form)?Url/g;

/** The expression of the address that a step reads. Throws `Unsayable`. */
export function resumeAddress(job: Job, step: Step): string {
  const known = job.links.get(step.name);
  if (known) return `nodes.${known.id}.link`;
  const text = JSON.stringify(step.parameters);
  if (text.match(ANY)?.length !== text.match(ALONE)?.length)
    throw new Unsayable('something is done with the address, which has a token at its end here');
  const wait = waitBehind(job, step);
  const to = wait && KINDS[wait.parameters['resume'] as string];
  if (wait === undefined || to === undefined)
    throw new Unsayable('no wait for a call or a form certainly comes behind it');
  const id = job.naming.id(`${step.name} address`);
  job.links.set(step.name, { id, wait: wait.name, params: { node: '', for: to } });
  return `nodes.${id}.link`;
}

/** The wait that the address is of: the only one that does not come before the step. */
function waitBehind({ workflow, before }: Job, { name }: Step): Step | undefined {
  const waits = [...workflow.steps.values()].filter(
    ({ kind, parameters, name: own }) =>
      kind === 'wait' && KINDS[parameters['resume'] as string] && before.get(name)?.has(own) !== true,
  );
  const behind = waits.filter((wait) => before.get(wait.name)?.has(name) === true);
  const [only, ...others] = behind.length > 0 ? behind : waits;
  const first = others.every((other) => before.get(other.name)?.has(only?.name ?? '') === true);
  return first ? only : undefined;
}

/** Puts the node that makes the address between what leads to the step and its nodes. */
export function insertLink(context: Context): void {
  const { job, step, scope, added } = context;
  const link = job.links.get(step.name);
  const port = context.input();
  if (link === undefined || port === undefined) return;
  scope.nodes.set(link.id, { operator: 'human.link', params: link.params });
  job.naming.place(link.id, { x: step.position.x * SPREAD, y: step.position.y * SPREAD - 90 });
  const readers = new Set(added);
  const rest = context.add(`${step.name} behind address`, {
    operator: 'core.map',
    params: { value: '{{ input.input }}' },
  });
  for (const [i, edge] of scope.edges.entries())
    if (edge.from === port.ref && readers.has(edge.to.split('.')[0] as string))
      scope.edges[i] = { ...edge, from: `${rest}.out` };
  context.wire(port, `${link.id}.in`);
  context.wire(`${link.id}.out`, `${rest}.in`);
  added.push(link.id);
}

/** Names the nodes that wait; a wait that became none is told. */
export function finishLinks({ links, waiting, report }: Job): void {
  for (const [step, { wait, params }] of links) {
    params.node = waiting.get(wait) ?? 'wait_that_is_missing';
    if (!waiting.has(wait))
      report.change({
        what: 'expression',
        effect: 'lost',
        node: step,
        message: `It reads the address of “${wait}”, which waits for nobody here.`,
      });
  }
}
