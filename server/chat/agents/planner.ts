import { WeftError } from '#engine';
import type { ChatInput, ChatMessage } from '#shared/chat-item.ts';
import { askModel } from './ask-model.ts';
import { type PlannedStep, planSchema, readPlan } from './plan.ts';
import { conversationOf, plannerPrompt, planProblemsText } from './prompts.ts';
import type { Member } from './team.ts';
import { aside, type Work } from './work.ts';

/**
 * Requests a plan, and once more with the problems of the first one. Throws `agent_failed` if the second one is
 * unusable too.
 */
export async function makePlan(
  planner: Member,
  members: readonly Member[],
  input: ChatInput,
  work: Work,
): Promise<PlannedStep[]> {
  const names = members.map(({ name }) => name);
  const schema = planSchema(names);
  // The plan is emitted as plan items, not as the text that the planner writes.
  const silent = aside(work);
  const system: ChatMessage = { role: 'system', content: plannerPrompt(planner, members) };
  const messages: ChatMessage[] = [system, ...conversationOf(input)];
  let problems: readonly string[] = [];
  for (let attempt = 1; attempt <= 2; attempt++) {
    const { text } = await askModel(planner, { messages: [...messages], schema }, silent);
    const read = readPlan(text, names);
    if ('steps' in read) return logged(read.steps, planner, work);
    problems = read.problems;
    work.log('warn', `${planner.name} made a plan that cannot be executed`, { problems, answer: text });
    messages.push(
      { role: 'assistant', content: text },
      { role: 'user', content: planProblemsText(problems) },
    );
  }
  throw new WeftError(
    'agent_failed',
    `${planner.name} made no plan that can be executed: ${problems.join(' ')}`,
    { data: { problems } },
  );
}

function logged(steps: PlannedStep[], { name }: Member, { log }: Work): PlannedStep[] {
  log('info', `${name} made a plan`, { steps });
  return steps;
}
