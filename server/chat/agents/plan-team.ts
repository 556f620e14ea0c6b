import { WeftError } from '#engine';
import type { AgentMessage, AgentPlan, ChatInput, PlanStatus } from '#shared/chat-item.ts';
import { askModel } from './ask-model.ts';
import { letWork, type AgentResult } from './loop.ts';
import type { PlannedStep } from './plan.ts';
import { runPlan, type StepEnd } from './plan-runner.ts';
import { makePlan } from './planner.ts';
import { reportPrompt, type StepReport, reportTask, stepTask, taskMessage } from './prompts.ts';
import { USER } from './single.ts';
import type { Member, Team } from './team.ts';
import { type Openers, openToolbox } from './toolbox.ts';
import { aside, inStrand, type SharedWork, type Work } from './work.ts';

const CONCURRENCY = 4;
const ATTEMPTS = 3;
const FIRST_PAUSE_MS = 500;

export interface TeamDeps {
  readonly openers: Openers;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * A planner splits the question into steps for named agents, these work in parallel if they can, and then the planner
 * reports.
 */
export async function planTeam(
  { planner, members }: Extract<Team, { mode: 'plan' }>,
  input: ChatInput,
  work: SharedWork,
  deps: TeamDeps,
): Promise<AgentResult> {
  const steps = await inStrand(work, 'plan_', (own) => makePlan(planner, members, input, own));
  const modelOf = (agent: string): string | null =>
    work.modelName(members.find(({ name }) => name === agent)?.models[0]);
  const board = new PlanBoard(steps, planner, modelOf);
  const ends = await runPlan({
    steps,
    concurrency: CONCURRENCY,
    attempts: ATTEMPTS,
    signal: work.signal,
    mayRetry: (error) => !(error instanceof WeftError) || error.transient,
    pause: (attempt) => deps.sleep(FIRST_PAUSE_MS * 2 ** (attempt - 2), work.signal),
    run: (at, results, attempt) => {
      // Texts that an agent of a plan emits along the way are not part of the team's answer; its result is.
      const own = aside(work, `${work.key}:${at + 1}`);
      const place = attempt === 1 ? `s${at + 1}_` : `s${at + 1}a${attempt}_`;
      const all = { steps, planner, members, input, board, deps };
      return inStrand(own, place, (line) => execute(at, results, { ...all, work: line }));
    },
    changed: (at, status, error) => {
      const plan = board.moved(at, status, error);
      work.log(status === 'failed' ? 'warn' : 'info', `Plan ${plan.num}: ${status}`, plan);
      // These items are few, so their reader is not awaited.
      void work.emit({ type: 'plan', plan });
    },
  });
  const reports = ends.map((end, at) => reportOf(steps[at] as PlannedStep, end));
  if (reports.every(({ failed }) => failed)) throw allFailed(reports);
  await work.emit({
    type: 'speaker',
    sender: planner.name,
    receiver: USER,
    model: work.modelName(planner.models[0]),
  });
  const messages = [
    { role: 'system', content: reportPrompt(planner) },
    ...input.history,
    { role: 'user', content: reportTask(input.text, reports) },
  ] as const;
  return inStrand(work, 'report_', (own) => askModel(planner, { messages }, own));
}

interface StepWork {
  readonly steps: readonly PlannedStep[];
  readonly planner: Member;
  readonly members: readonly Member[];
  readonly input: ChatInput;
  readonly board: PlanBoard;
  readonly work: Work;
  readonly deps: TeamDeps;
}

async function execute(
  at: number,
  results: readonly string[],
  { steps, planner, members, input, board, work, deps }: StepWork,
): Promise<string> {
  const step = steps[at] as PlannedStep;
  const member = members.find(({ name }) => name === step.agent) as Member;
  const before = step.dependsOn.map((on, i) => ({ name: steps[on]?.name ?? '', text: results[i] ?? '' }));
  const task = stepTask(input.text, step, before);
  board.asked(at, work.modelName(planner.models[0]));
  const toolbox = await openToolbox(member, deps.openers, work);
  const { text, model } = await letWork(member, [taskMessage(task, input)], toolbox, work);
  board.answered(at, text, model);
  return text;
}

function reportOf({ name, agent }: PlannedStep, end: StepEnd): StepReport {
  const failed = end.status === 'failed';
  return { name, agent, failed, text: failed ? failureText(end.error) : end.text };
}

function failureText(error: unknown): string {
  return error instanceof Error ? error.message : 'It failed.';
}

function allFailed(reports: readonly StepReport[]): WeftError {
  const [first] = reports;
  return new WeftError(
    'agent_failed',
    `No step of the plan could be done. “${first?.name}”: ${first?.text}`,
    {
      data: { plans: reports },
    },
  );
}

/** The plans as readers see them: each step with its status and its messages. */
class PlanBoard {
  private readonly plans: AgentPlan[];
  private readonly planner: string;
  private readonly modelOf: (agent: string) => string | null;

  /** `modelOf` returns the model that an agent calls first. */
  constructor(steps: readonly PlannedStep[], planner: Member, modelOf: (agent: string) => string | null) {
    this.planner = planner.name;
    this.modelOf = modelOf;
    this.plans = steps.map(({ name, agent }, at) => ({
      name,
      num: at + 1,
      status: 'todo',
      agent,
      messages: [],
    }));
  }

  moved(at: number, status: PlanStatus, error?: unknown): AgentPlan {
    const plan = this.plans[at] as AgentPlan;
    const model = this.modelOf(plan.agent);
    const failure =
      status === 'failed' ? [this.message(plan.agent, this.planner, model, failureText(error))] : [];
    return this.put(at, { ...plan, status, messages: [...plan.messages, ...failure] });
  }

  /** A new attempt starts a new conversation. `model` is the planner's. */
  asked(at: number, model: string | null): void {
    const plan = this.plans[at] as AgentPlan;
    this.put(at, { ...plan, messages: [this.message(this.planner, plan.agent, model, plan.name)] });
  }

  answered(at: number, text: string, model: string): void {
    const plan = this.plans[at] as AgentPlan;
    this.put(at, {
      ...plan,
      messages: [...plan.messages, this.message(plan.agent, this.planner, model, text)],
    });
  }

  private put(at: number, plan: AgentPlan): AgentPlan {
    this.plans[at] = plan;
    return plan;
  }

  private message(sender: string, receiver: string, model: string | null, markdown: string): AgentMessage {
    return { sender, receiver, model, markdown };
  }
}
