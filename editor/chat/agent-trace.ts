import type { RunEvent } from '#shared/run-event.ts';

/** A tool that an agent called. */
export interface TracedCall {
  readonly tool: string;
  /** Undefined if it was refused before it was called. */
  readonly arguments: unknown;
  /** The result that the agent got; undefined while the tool works. */
  readonly content: string | undefined;
  readonly failed: boolean;
}

/** One question to a model, and the calls that it asked for. */
export interface TracedRound {
  readonly model: string;
  /** The names of its tools; undefined in runs of older versions. */
  readonly offered: readonly string[] | undefined;
  /** Calls were forbidden in this round. */
  readonly isLast: boolean;
  readonly said: string;
  readonly calls: readonly TracedCall[];
}

/** The work of an agent in a run. */
export interface TracedAgent {
  readonly name: string;
  readonly rounds: readonly TracedRound[];
  /** Resources that it was given and could not use. */
  readonly unusable: readonly { readonly name: string; readonly reason: string }[];
}

interface Facts {
  readonly agent?: string;
  readonly model?: string;
  readonly tools?: readonly string[];
  readonly toolChoice?: string;
  readonly said?: string;
  readonly tool?: string;
  readonly call?: string;
  readonly arguments?: unknown;
  readonly content?: string;
  readonly resource?: string;
  readonly message?: string;
}

type Open<T> = { -readonly [K in keyof T]: T[K] };
type OpenCall = Open<TracedCall> & { readonly id: string | undefined };
type OpenRound = Omit<Open<TracedRound>, 'calls'> & { readonly calls: OpenCall[] };
type OpenAgent = Omit<TracedAgent, 'rounds' | 'unusable'> & {
  readonly rounds: OpenRound[];
  readonly unusable: TracedAgent['unusable'][number][];
};

/** The work of the agents of a run, from the lines that they wrote into its log. */
export function tracedAgents(events: readonly RunEvent[]): readonly TracedAgent[] {
  const agents = new Map<string, OpenAgent>();
  for (const event of events) {
    if (event.kind !== 'log' || typeof event.data !== 'object' || event.data === null) continue;
    const facts = event.data as Facts;
    if (facts.agent === undefined) continue;
    const agent = agents.get(facts.agent) ?? { name: facts.agent, rounds: [], unusable: [] };
    agents.set(agent.name, agent);
    take(agent, facts, event.level === 'warn');
  }
  return [...agents.values()];
}

function take(agent: OpenAgent, facts: Facts, isWarning: boolean): void {
  const { resource, message = '', model, tools, toolChoice, said = '', tool } = facts;
  if (resource !== undefined) agent.unusable.push({ name: resource, reason: message });
  else if (tool !== undefined) takeCall(agent, { ...facts, tool }, isWarning);
  else if (model !== undefined)
    agent.rounds.push({ model, offered: tools, isLast: toolChoice === 'none', said, calls: [] });
}

function takeCall({ rounds }: OpenAgent, facts: Facts & { readonly tool: string }, isWarning: boolean): void {
  const round = rounds.at(-1);
  if (round === undefined) return;
  const { tool, call: id, content } = facts;
  let call = round.calls.find((one) => one.id === id && one.tool === tool && one.content === undefined);
  if (call === undefined) {
    call = { id, tool, arguments: facts.arguments, content: undefined, failed: false };
    round.calls.push(call);
  }
  if (content === undefined) return;
  call.content = content;
  // A call that never began was refused.
  call.failed = isWarning || call.arguments === undefined;
}
