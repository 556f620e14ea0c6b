import { Unsayable } from './expressions/reads.ts';
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
