import {
  type AgentCall,
  type Asker,
  type DataService,
  type FileService,
  type Host,
  type HttpService,
  type KnowledgeService,
  type SecretService,
  type SubFlowService,
  WeftError,
} from '#engine';
import { answerSettings, type ChatInput, type ChatItem } from '#shared/chat-item.ts';
import type { Apps } from '../apps/apps.ts';
import type { LiveFlow } from '../../flows/service/flow-types.ts';
import type { Models } from '../../integrations/models/models.ts';
import { costOf } from '../../integrations/models/price.ts';
import type { Accounts } from './accounts.ts';
import { type Budget, createBudget, type Price } from './budget.ts';
import { flowTeam } from './flow-team.ts';
import type { AgentResult } from './loop.ts';
import { planTeam } from './plan-team.ts';
import type { Emit } from './emitted-items.ts';
import { createKept } from './kept.ts';
import { singleAgent } from './single.ts';
import { inlineTeam, type Team, teamOf } from './team.ts';
import type { usableTypes } from '#shared/app-warnings.ts';
import type { Openers, OpenResource } from './toolbox.ts';
import { pauseOn } from './with-signal.ts';
import { openDataTool } from './tools/data-tools.ts';
import { openFlowTool } from './tools/flow-tools.ts';
import { openHttpTool } from './tools/http-tools.ts';
import { openKnowledgeTool } from './tools/knowledge-tools.ts';
import { openMcpTools } from './tools/mcp-tools.ts';
import type { SharedWork } from './work.ts';

/** The services that agents work with. */
export interface AgentDeps {
  readonly apps: Pick<Apps, 'get'>;
  readonly models: Pick<Models, 'chat' | 'find'>;
  readonly live: (id: string) => LiveFlow | undefined;
  readonly flows: SubFlowService;
  readonly http: HttpService;
  readonly secrets: SecretService | undefined;
  /** Keeps the files that tools return; without it they are only named. */
  readonly files?: FileService | undefined;
  readonly knowledge?: Pick<KnowledgeService, 'search'> | undefined;
  readonly data?: DataService | undefined;
  readonly accounts: Accounts;
  /** The name of the API key that started the run, if any. */
  readonly keyOf: (run: string) => string | undefined;
  readonly host: Pick<Host, 'timer'>;
}

/** Lets agents answer: emits the items that `AgentService` defines. Ends as soon as `signal` aborts. */
export type Answering = (
  call: AgentCall,
  by: Asker,
  emit: Emit<ChatItem>,
  signal: AbortSignal,
) => Promise<void>;

export function createAnswering(deps: AgentDeps): Answering {
  const all = { ...deps, openers: openersOf(deps) };
  return (call, by, emit, signal) => answer(call, { by, emit, signal }, all);
}

export function openersOf(
  deps: Omit<AgentDeps, 'accounts' | 'keyOf' | 'apps' | 'models' | 'host'>,
): Record<(typeof usableTypes)[number], OpenResource> {
  const flow = openFlowTool(deps);
  const mcp = openMcpTools(deps);
  const { knowledge, data } = deps;
  return {
    flow,
    awel_flow: flow,
    http: openHttpTool(deps),
    mcp,
    tool: mcp,
    knowledge: openKnowledgeTool(knowledge),
    database: openDataTool(data),
  };
}

type Deps = AgentDeps & { readonly openers: Openers };

async function answer(
  call: AgentCall,
  { by, emit, signal: asked }: Pick<SharedWork, 'by' | 'emit' | 'signal'>,
  deps: Deps,
): Promise<void> {
  const team = await findTeam(call, deps);
  const budget = await openBudget(call, team, by, deps);
  const signal = AbortSignal.any([asked, budget.signal]);
  const { models } = deps;
  const kept = createKept();
  let partial = '';
  const work: SharedWork = {
    by,
    signal,
    budget,
    models,
    emit(item) {
      if (item.type === 'text') partial += item.text;
      return isHidden(item, call) ? undefined : emit(item);
    },
    // A run that is over has nothing more to report.
    log: (...args) => asked.aborted || call.log(...args),
    kept,
    key: call.key,
    begin: () => call.strand(),
    timer: deps.host.timer,
    wishes: answerSettings(call.input),
    modelName: (name) => nameOf(models, name),
  };
  try {
    await emit(finish(await teamAnswer(team, call, work, deps), budget));
  } catch (error) {
    throw failureOf(signal.aborted ? signal.reason : error, partial, work);
  } finally {
    budget.close();
    const closed = kept.close();
    // Stopping an answer does not wait for the servers of its tools.
    if (!signal.aborted) await closed;
  }
}

/** A client with tools of its own would mistake the agents' calls for calls of its tools. */
function isHidden({ type }: ChatItem, { input }: AgentCall): boolean {
  return input.tools !== undefined && (type === 'tool-call' || type === 'tool-result');
}

async function findTeam({ who, input }: AgentCall, { apps, models }: AgentDeps): Promise<Team> {
  if (typeof who !== 'string') return inlineTeam(who);
  const app = await apps.get(who);
  if (app) return teamOf(app, knownModel(input, { models }));
  throw new WeftError('app_not_found', `There is no app with the code \`${who}\`.`);
}

/** Clients of DB-GPT name some model in every request; an unknown one is ignored. */
function knownModel({ model }: ChatInput, { models }: Pick<AgentDeps, 'models'>): string | undefined {
  return model === null ? undefined : infoOf(models, model)?.id;
}

async function openBudget(
  { who, budget }: AgentCall,
  { mode }: Team,
  { run }: Asker,
  { accounts, models, host, keyOf }: Deps,
): Promise<Budget> {
  // A flow's nodes charge its model calls to the key.
  const key = mode === 'flow' ? undefined : keyOf(run);
  const app = typeof who === 'string' ? who : undefined;
  const { answer: usual, shared } = accounts.open({ app, key });
  const price: Price = (model, usage) => priceOf(models, model, usage);
  return createBudget({ limits: { ...usual, ...given(budget) }, accounts: shared, price, host });
}

/** The fields without omitted ones. */
function given<T extends object>(fields: T): Partial<T> {
  const there = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(there) as Partial<T>;
}

function priceOf(models: Pick<Models, 'find'>, model: string, usage: Parameters<Price>[1]): number {
  return costOf(infoOf(models, model)?.prices, usage) ?? 0;
}

function nameOf(models: Pick<Models, 'find'>, model: string | undefined): string | null {
  return infoOf(models, model)?.id ?? model ?? null;
}

/** Providers may report a model under another name, and a model may be removed meanwhile. */
function infoOf(
  models: Pick<Models, 'find'>,
  model: string | undefined,
): ReturnType<Models['find']> | undefined {
  try {
    return models.find(model);
  } catch {
    return undefined;
  }
}

function teamAnswer(team: Team, { input }: AgentCall, work: SharedWork, deps: Deps): Promise<AgentResult> {
  switch (team.mode) {
    case 'single':
      return singleAgent(team.member, input, work, deps.openers);
    case 'plan':
      return planTeam(team, input, work, { openers: deps.openers, sleep: pauseOn(deps.host) });
    case 'flow':
      return flowTeam(team, { ...input, model: knownModel(input, deps) ?? null }, work, deps);
  }
}

function finish({ reason, model }: AgentResult, { usage }: Budget): ChatItem {
  // A tool call as the last allowed step is no finish reason that a reader could use.
  return { type: 'finish', reason: reason === 'tool-calls' ? 'stop' : reason, usage, model };
}

/** When a budget is used up, the error carries the text so far. */
function failureOf(error: unknown, partial: string, { log }: SharedWork): unknown {
  if (!(error instanceof WeftError) || error.code !== 'agent_budget') return error;
  const { code, message, data } = error;
  log('warn', message, data);
  return new WeftError(code, message, { data: { ...(data as object), partial } });
}
