import { z } from 'zod';
import { parseKeepingDigits } from '#shared/lost-digits.ts';

/** A step of a plan. */
export interface PlannedStep {
  /** The task of the step. */
  readonly name: string;
  /** The agent that does it. */
  readonly agent: string;
  /** Indexes in the plan, from 0, of the steps it depends on. */
  readonly dependsOn: readonly number[];
}

const MAX_STEPS = 30;

const PlannedSteps = z.object({
  steps: z.array(
    z.object({
      name: z.string().trim().min(1),
      agent: z.string(),
      dependsOn: z.array(z.union([z.string(), z.int()])).default([]),
    }),
  ),
});
type Draft = z.infer<typeof PlannedSteps>['steps'][number];

/**
 * The schema of a planner's answer for these agents. It has only features that all providers accept; `readPlan` checks
 * the rest.
 */
export function planSchema(agents: readonly string[]): Readonly<Record<string, unknown>> {
  const step = {
    type: 'object',
    required: ['name', 'agent', 'dependsOn'],
    additionalProperties: false,
    properties: {
      name: { type: 'string', description: 'What is to be done, as an order to the agent.' },
      agent: { type: 'string', enum: [...agents] },
      dependsOn: {
        type: 'array',
        items: { type: 'integer' },
        description: 'Numbers of the steps whose results this one needs; the first step is 1.',
      },
    },
  };
  return {
    type: 'object',
    required: ['steps'],
    additionalProperties: false,
    properties: { steps: { type: 'array', items: step } },
    examples: [{ steps: agents.map((agent) => ({ name: `What ${agent} can do`, agent, dependsOn: [] })) }],
  };
}

/** Reads a planner's answer: an executable plan, or all its problems. */
export function readPlan(
  text: string,
  agents: readonly string[],
): { readonly steps: PlannedStep[] } | { readonly problems: string[] } {
  const read = PlannedSteps.safeParse(jsonIn(text));
  if (!read.success) {
    const issues = read.error.issues.map(
      ({ path, message }) => `${path.join('.') || 'the answer'}: ${message}`,
    );
    return { problems: ['The answer is not the JSON that was asked for.', ...issues.slice(0, 5)] };
  }
  const drafts = read.data.steps;
  if (drafts.length === 0 || drafts.length > MAX_STEPS)
    return { problems: [`A plan has 1 to ${MAX_STEPS} steps, not ${drafts.length}.`] };
  const problems = drafts.flatMap((draft, at) => problemsOf(draft, at, drafts, agents));
  const steps = drafts.map((draft, at) => stepOf(draft, at, drafts, agents));
  const circle = problems.length === 0 ? circleIn(steps) : [];
  if (circle.length > 0) problems.push(`Steps ${circle.join(', ')} wait for each other in a circle.`);
  return problems.length > 0 ? { problems } : { steps };
}

/** Some models put text or a fence around their JSON. */
function jsonIn(text: string): unknown {
  try {
    return parseKeepingDigits(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
  } catch {
    return undefined;
  }
}

function problemsOf(
  { agent, dependsOn }: Draft,
  at: number,
  drafts: readonly Draft[],
  agents: readonly string[],
): string[] {
  const problems: string[] = [];
  if (agentNamed(agent, agents) === undefined)
    problems.push(`Step ${at + 1}: there is no agent \`${agent}\`; the agents are ${agents.join(', ')}.`);
  for (const on of dependsOn) {
    const place = placeOf(on, drafts);
    if (place === undefined) problems.push(`Step ${at + 1} depends on ${on}, which is no step.`);
    if (place === at) problems.push(`Step ${at + 1} depends on itself.`);
  }
  return problems;
}

function stepOf(
  { name, agent, dependsOn }: Draft,
  at: number,
  drafts: readonly Draft[],
  agents: readonly string[],
): PlannedStep {
  const places = dependsOn.flatMap((on) => placeOf(on, drafts) ?? []).filter((place) => place !== at);
  return { name, agent: agentNamed(agent, agents) ?? agent, dependsOn: [...new Set(places)] };
}

function agentNamed(wanted: string, agents: readonly string[]): string | undefined {
  const lower = wanted.trim().toLowerCase();
  return agents.find((name) => name === wanted) ?? agents.find((name) => name.toLowerCase() === lower);
}

/** The index of a step that is given by its number or its name. */
function placeOf(on: string | number, drafts: readonly Draft[]): number | undefined {
  const number = typeof on === 'number' ? on : /^\d+$/.test(on) ? Number(on) : undefined;
  const place = number === undefined ? drafts.findIndex(({ name }) => name === on) : number - 1;
  return place >= 0 && place < drafts.length ? place : undefined;
}

/** Numbers of the steps that can never start. */
function circleIn(steps: readonly PlannedStep[]): number[] {
  const left = new Set(steps.keys());
  for (let found = true; found; ) {
    found = false;
    for (const at of left) {
      if (steps[at]?.dependsOn.some((on) => left.has(on))) continue;
      left.delete(at);
      found = true;
    }
  }
  return [...left].map((at) => at + 1);
}
