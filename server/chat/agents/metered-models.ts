import { type Asker, type Host, type ModelCall, type ModelService, WeftError } from '#engine';
import type { ChatItem } from '#shared/chat-item.ts';
import type { AgentBudgets } from '#shared/agent-budget.ts';
import type { Models } from '../../integrations/models/models.ts';
import { costOf } from '../../integrations/models/price.ts';
import { rootRequest } from '../../execution/runs/root-request.ts';
import type { RunHub } from '../../execution/runs/run-types.ts';
import type { RunRequest } from '../../flows/service/run-request.ts';
import type { Accounts } from './accounts.ts';
import { type Budget, createBudget, type Meter, type Price } from './budget.ts';
import { type Account, createLedger } from './ledger.ts';

export interface MeteredDeps {
  readonly models: Models;
  readonly accounts: Accounts;
  readonly budgets: () => AgentBudgets;
  readonly runs: Pick<RunHub, 'requestOf'>;
  readonly host: Pick<Host, 'timer' | 'now'>;
}

/** The usage of one chat answer, over all calls of its nodes, and when the first call started. */
interface Answer {
  readonly ledger: Account['ledger'];
  readonly began: number;
}

/** No limit, for limits that an answer's budget does not set. */
const OPEN = Number.POSITIVE_INFINITY;

/**
 * The models as nodes of flows call them, within the budgets of their callers. Agents enforce their own budgets.
 * MM1. The budget of a key applies to every run that the key started, the budget for an answer to every run that a chat
 *      started; runs that are parts of other runs count as theirs.
 * MM2. Nothing is counted if no budget is set.
 */
export function meteredModels({ models, accounts, budgets, runs, host }: MeteredDeps): ModelService {
  const answers = new WeakMap<RunRequest, Answer>();
  const price: Price = (name, usage) =>
    costOf(models.list().find(({ id }) => id === name)?.prices, usage) ?? 0;

  async function open(by: Asker): Promise<Budget | undefined> {
    const { answer, keys } = budgets();
    if (Object.keys(answer).length === 0 && Object.keys(keys).length === 0) return undefined;
    // A node may call a model in the turn in which its run starts, before the run can be looked up.
    await Promise.resolve();
    const request = rootRequest(runs, by.run);
    if (request === undefined) return undefined;
    const { shared } = accounts.open({ app: undefined, key: request.apiKey });
    const isChat = request.source === 'chat';
    const { timeMs = OPEN, tokens = OPEN, cost = OPEN, steps = OPEN } = isChat ? answer : {};
    const own = answerOf(request);
    const left = timeMs - (host.now() - own.began);
    return createBudget({
      limits: { tokens: OPEN, steps: OPEN, timeMs: Math.max(1, left) },
      accounts: [{ name: 'One answer', limits: { tokens, cost, steps }, ledger: own.ledger }, ...shared],
      price,
      host,
    });
  }

  function answerOf(request: RunRequest): Answer {
    const known = answers.get(request);
    if (known) return known;
    const made = { ledger: createLedger(), began: host.now() };
    answers.set(request, made);
    return made;
  }

  return {
    async *chat(call, by, signal) {
      const budget = await open(by);
      if (budget === undefined) yield* models.chat(call, by, signal);
      else yield* withinBudget(budget, call, (own) => models.chat(call, by, own), signal);
    },
    async embed(call, by, signal) {
      const budget = await open(by);
      if (budget === undefined) return models.embed(call, by, signal);
      try {
        const meter = await budget.open(call.texts.join(' '));
        let end: Parameters<typeof meter.close>[0];
        try {
          const embedded = await models.embed(call, by, AbortSignal.any([signal, budget.signal]));
          end = { model: models.find(call.model, 'embedding').id, usage: embedded.usage };
          return embedded;
        } finally {
          await meter.close(end);
        }
      } finally {
        budget.close();
      }
    },
  };
}

async function* withinBudget(
  budget: Budget,
  { messages, tools = [] }: ModelCall,
  ask: (signal: AbortSignal) => AsyncIterable<ChatItem>,
  asked: AbortSignal,
): AsyncGenerator<ChatItem> {
  let partial = '';
  try {
    const meter = await budget.open(JSON.stringify([messages, tools]));
    for await (const item of counted(ask(AbortSignal.any([asked, budget.signal])), meter)) {
      if (item.type === 'text') partial += item.text;
      yield item;
    }
  } catch (error) {
    throw budget.signal.aborted ? endedBy(budget.signal.reason, partial) : error;
  } finally {
    budget.close();
  }
}

async function* counted(items: AsyncIterable<ChatItem>, meter: Meter): AsyncGenerator<ChatItem> {
  let end: Extract<ChatItem, { type: 'finish' }> | undefined;
  try {
    for await (const item of items) {
      if (item.type === 'finish') end = item;
      const asked = item.type === 'text' || item.type === 'reasoning' ? meter.wrote(item.text) : undefined;
      if (asked) await asked;
      yield item;
    }
  } finally {
    await meter.close(end);
  }
}

function endedBy(reason: unknown, partial: string): unknown {
  if (!(reason instanceof WeftError)) return reason;
  const { code, message, data } = reason;
  return new WeftError(code, message, { data: { ...(data as object), partial } });
}
