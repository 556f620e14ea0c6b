import { isRecord } from '#shared/json.ts';
import type { ToolCall } from '#shared/chat-item.ts';
import { type WaitAsk, type WaitDecision, waitId } from '#shared/wait.ts';

import type { Tool } from './tools/tool.ts';
import type { Work } from './work.ts';

/** How often a waiting answer says that it waits, in milliseconds, so that nobody takes it for a stalled one. */
const AGAIN_MS = 20_000;
/** The most characters of a title. */
const MAX_TITLE = 200;

/** The decision about a call of a tool: the arguments to call it with, or the text for the model instead of its result. */
export type Approval = { readonly args: unknown; readonly note: string } | { readonly refused: string };

/** Asks people whether the agent may make this call. `name` is that of the call in its step. */
export async function askApproval(
  {
    tool,
    call,
    agent,
    name,
  }: { readonly tool: Tool; readonly call: ToolCall; readonly agent: string; readonly name: string },
  work: Work,
): Promise<Approval> {
  const { strand, signal, log, budget } = work;
  const ask: WaitAsk = {
    kind: 'tool',
    tool: { name: tool.name, agent, ...(tool.description !== '' && { description: tool.description }) },
    data: call.arguments,
    schema: tool.parameters,
  };
  const title = `${agent} wants to use ${tool.name}`.slice(0, MAX_TITLE);
  log('info', `${agent} asks whether it may use ${tool.name}`, { agent, tool: tool.name, call: call.id });
  const stopTelling = tellWaiting(name, call, { agent, title }, work);
  const goOn = budget.holdClock();
  try {
    const decision = (await strand.wait(name, { kind: 'answer', title, ask }, signal)) as
      | Partial<WaitDecision>
      | undefined;
    return readDecision(decision, call);
  } finally {
    goOn();
    stopTelling();
  }
}

/** The item that tells readers of a stream what it waits for, again and again; a record needs none. */
function tellWaiting(
  name: string,
  { name: tool, arguments: args }: ToolCall,
  { agent, title }: { readonly agent: string; readonly title: string },
  { strand, by, emit, timer }: Work,
): () => void {
  if (strand.isRecorded) return () => {};
  const item = {
    type: 'waiting',
    wait: waitId(by.run, strand.keyOf(name)),
    title,
    agent,
    tool,
    arguments: args,
  } as const;
  let stop = (): void => {};
  const tell = (): void => {
    // Items of waits are few, so their reader is not awaited.
    void emit(item);
    stop = timer(AGAIN_MS, tell);
  };
  tell();
  return () => stop();
}

function readDecision(
  given: Partial<WaitDecision> | undefined,
  { name, arguments: args }: ToolCall,
): Approval {
  if (given?.decision === undefined)
    return { refused: `Nobody approved this call of ${name} in time, so it was not made.` };
  const { decision, by = '', comment = '', data } = given;
  const said = comment === '' ? '' : ` They said: ${JSON.stringify(comment)}`;
  if (decision !== 'approved')
    return { refused: `${by} refused this call of ${name}; it was not made.${said}` };
  if (!isRecord(data)) return { args, note: said.trim() };
  const changed = `${by} changed the arguments of this call to ${JSON.stringify(data)}.`;
  return { args: data, note: `${changed}${said}` };
}
