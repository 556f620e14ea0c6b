import { onTestFinished } from 'vitest';
import type { HttpService, Outcome } from '#engine';
import type { AgentBudgets } from '#shared/agent-budget.ts';
import type { App, AppDetail } from '#shared/app.ts';
import type { ChatItem } from '#shared/chat-item.ts';
import type { Flow } from '#shared/flow.ts';
import type { RunEvent } from '#shared/run-event.ts';
import { createHost } from '../../../base/adapters/node-host.ts';
import { createOutbound } from '../../../base/outbound/outbound.ts';
import { createFlowBed, type FlowBed, rowFlow } from '../../../execution/runs/testing/flow-bed.ts';
import { createMemoryState } from '../../../execution/state/memory-state.ts';
import { createAccounts } from '../accounts.ts';
import { createAgents } from '../agents.ts';
import type { AgentDeps } from '../answering.ts';

export interface AgentBedDeps {
  readonly models: AgentDeps['models'];
  readonly apps?: readonly App[];
  readonly flows?: readonly Flow[];
  readonly budgets?: Partial<AgentBudgets>;
  readonly http?: HttpService;
  readonly secrets?: AgentDeps['secrets'];
  readonly files?: AgentDeps['files'];
  readonly knowledge?: AgentDeps['knowledge'];
  readonly data?: AgentDeps['data'];
  /** For the accounts of apps and keys. */
  readonly state?: ReturnType<typeof createMemoryState>;
  readonly now?: () => number;
}

export interface Answered {
  readonly items: readonly ChatItem[];
  /** The text of all emitted items. */
  readonly text: string;
  readonly error: { readonly code: string; readonly message: string; readonly data?: unknown } | undefined;
  readonly run: string;
  readonly events: readonly RunEvent[];
}

export interface AgentBed extends FlowBed {
  /** Opens a bed with a flow `asking` of one `agent.run` node with these params. */
  open(params: Readonly<Record<string, unknown>>): Promise<FlowBed>;
  /** Runs a flow of one `agent.run` node with these params, for the holder of `key` if given. */
  ask(params: Readonly<Record<string, unknown>>, question?: unknown, key?: string): Promise<Answered>;
}

/** The agents of a server over the real engine: every answer is a run. */
export async function createAgentBed(deps: AgentBedDeps): Promise<AgentBed> {
  const http = deps.http ?? openHttp();
  const host = createHost();
  const state = deps.state ?? createMemoryState(Date.now);
  const budgets = { answer: {}, apps: {}, keys: {}, ...deps.budgets };
  const accounts = createAccounts({
    budgets: () => budgets,
    state,
    now: deps.now ?? Date.now,
    warn: () => {},
  });
  const asking = rowFlow('asking', { agents: { operator: 'agent.run', params: { app: 'x' } } });
  const flowOf = (params: Readonly<Record<string, unknown>>): Flow => ({
    ...asking,
    nodes: { ...asking.nodes, agents: { operator: 'agent.run', params } },
  });
  const open = (flow: Flow, key?: string) =>
    createFlowBed([flow, ...(deps.flows ?? [])], {
      services: ({ live, subFlows }) => ({
        ...(deps.files && { files: deps.files }),
        agents: createAgents({
          apps: { get: async (code) => deps.apps?.find(({ app_code }) => app_code === code) },
          models: deps.models,
          live,
          flows: subFlows,
          http,
          secrets: deps.secrets,
          files: deps.files,
          knowledge: deps.knowledge,
          data: deps.data,
          accounts,
          keyOf: () => key,
          host,
        }),
      }),
    });
  const bed = await open(asking);
  return {
    ...bed,
    open: (params) => open(flowOf(params)),
    async ask(params, question = 'What is up?', key) {
      return answerOf(await open(flowOf(params), key), question);
    },
  };
}

function openHttp(): HttpService {
  const http = createOutbound({ allow: ['127.0.0.1'] });
  onTestFinished(() => http.close());
  return http;
}

async function answerOf(bed: FlowBed, question: unknown): Promise<Answered> {
  const run = bed.start('asking', question);
  const items: ChatItem[] = [];
  await new Promise<void>((resolve) => {
    run.onAnswer((answer) => {
      const body = answer.kind === 'value' ? (answer.body as AsyncIterable<ChatItem>) : undefined;
      void collect(body, items).finally(resolve);
    });
  });
  const outcome = await new Promise<Outcome>((resolve) => run.onEnd(resolve));
  const events = run.events();
  const text = items.map((item) => (item.type === 'text' ? item.text : '')).join('');
  return { items, text, error: outcome.error, run: run.id, events };
}

async function collect(body: AsyncIterable<ChatItem> | undefined, items: ChatItem[]): Promise<void> {
  try {
    for await (const item of body ?? []) items.push(item);
  } catch {
    // The run's outcome reports it.
  }
}

const AT = '2026-01-01T00:00:00.000Z';

/** An app with all its fields. */
export function testApp(changes: Partial<App>): App {
  return {
    app_code: 'demo',
    app_name: 'Demo',
    app_describe: 'An app.',
    team_mode: 'single_agent',
    language: 'en',
    team_context: null,
    user_code: null,
    sys_code: null,
    is_collected: 'false',
    icon: null,
    created_at: AT,
    updated_at: AT,
    details: [],
    ...changes,
  };
}

export function testDetail(name: string, changes: Partial<AppDetail> = {}): AppDetail {
  return {
    app_code: 'demo',
    app_name: 'Demo',
    agent_name: name,
    node_id: name,
    resources: [],
    prompt_template: `You are ${name}.`,
    llm_strategy: 'default',
    llm_strategy_value: null,
    created_at: AT,
    updated_at: AT,
    ...changes,
  };
}
