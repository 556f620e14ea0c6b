import type { Outcome, Run, RunAnswer, TriggerRequest } from '#engine';
import type { RunLine, StartedRun } from '#shared/api.ts';
import type { ChatInput } from '#shared/chat-item.ts';
import type { FlowNode } from '#shared/flow.ts';
import { isStream, type JsonSchema } from '#shared/json.ts';
import { asSchema, resolve, typesOf } from '#shared/json-schema.ts';
import type { LiveFlow } from '../../flows/service/flow-types.ts';
import { CHAT_TRIGGER } from './built-in-flows.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { SCHEDULE } from '../../base/requests/schedule-spec.ts';
import type { Redactor } from '../../base/secrets/redactor.ts';
import { jsonCoercion } from '../../base/requests/coercion.ts';
import { boundValue } from '../history/bound-value.ts';
import { boundError } from '../history/recorded-event.ts';

/** Runs that a person starts at a trigger, with any input. */

/** The trigger to start at: the named one, or the only one. */
export function chooseTrigger(flow: LiveFlow, named: string | undefined): string {
  const triggers = [...flow.compiled.plans.keys()];
  const list = triggers.map((id) => `\`${id}\``).join(', ') || 'none';
  if (named !== undefined) {
    if (triggers.includes(named)) return named;
    throw new ServiceError(
      'invalid_request',
      `The flow has no trigger \`${named}\`; its triggers: ${list}.`,
      {
        param: 'trigger',
      },
    );
  }
  const [only, ...others] = triggers;
  if (only !== undefined && others.length === 0) return only;
  throw new ServiceError(
    'invalid_request',
    `Name the \`trigger\` to start at; the flow's triggers: ${list}.`,
    {
      param: 'trigger',
    },
  );
}

/** The schema of a trigger's input; undefined if it accepts anything. A schedule's input is a value, not a schema. */
export function inputSchema(flow: LiveFlow, trigger: string): JsonSchema | undefined {
  if (flow.flow.nodes[trigger]?.operator === SCHEDULE) return undefined;
  const params = flow.compiled.plans.get(trigger)?.params ?? {};
  return asSchema(params['request'] ?? params['input']);
}

/**
 * The input of a run by hand, completed as its trigger would complete it: defaults of its schema are filled in, a text
 * becomes a chat message, a schedule adds its time. It is not checked, so that wrong inputs can be tried.
 */
export function startValue(flow: LiveFlow, trigger: string, input: unknown): unknown {
  const schema = inputSchema(flow, trigger);
  if (schema) return completed(schema, input);
  const node = flow.flow.nodes[trigger];
  return node?.operator === SCHEDULE ? dueNow(node, input) : chatStart(flow, trigger, input);
}

function completed(schema: JsonSchema, input: unknown): unknown {
  const takesFields = typesOf(resolve(schema, schema))?.includes('object') ?? true;
  const given = input === undefined && takesFields ? {} : input;
  return jsonCoercion(schema, schema)?.(given) ?? given;
}

function dueNow({ params }: FlowNode, input: unknown): unknown {
  const due = { at: new Date().toISOString(), late: false, input: params?.['input'] ?? null };
  if (input === undefined || input === null) return due;
  return asSchema(input) ? { ...due, ...input } : input;
}

/**
 * The input of a run at this trigger, made from an entered value: at a chat trigger a text, or an object with a `text`,
 * is a message. Throws `invalid_request` for values that cannot be one.
 */
function chatStart({ flow }: LiveFlow, trigger: string, input: unknown): unknown {
  if (flow.nodes[trigger]?.operator !== CHAT_TRIGGER) return input;
  if (typeof input === 'string' || input === undefined || input === null) return message(input ?? '');
  const { text } = input as { readonly text?: unknown };
  if (typeof text === 'string') return { ...message(text), ...(input as object) };
  throw new ServiceError(
    'invalid_request',
    'A chat starts with a text, or with an object that has one as `text`.',
    { param: 'input' },
  );
}

function message(text: string): ChatInput {
  return {
    text,
    messages: [{ role: 'user', content: text }],
    history: [],
    files: [],
    conversation: '',
    model: null,
    stream: true,
  };
}

/** The value that expressions see as `trigger`: the input is where a caller of this trigger would have put it. */
export function requestFor(flow: LiveFlow, trigger: string, input: unknown): TriggerRequest {
  const methods = flow.compiled.plans.get(trigger)?.params['methods'];
  const method = Array.isArray(methods) && typeof methods[0] === 'string' ? methods[0] : 'POST';
  const inQuery = method === 'GET' || method === 'DELETE';
  const empty = { query: {}, params: {}, headers: {} };
  return inQuery ? { method, ...empty, query: input } : { method, ...empty, body: input };
}

const MAX_ITEMS = 10_000;
const MAX_LENGTH = 10 * 1024 * 1024;

/** Waits for the end. A stream is read to its end, because the run does not end before. */
export async function finished(run: Run, redactor: Redactor): Promise<StartedRun> {
  let told: StartedRun = { run: run.id, status: 'running' };
  const items: unknown[] = [];
  for await (const line of runLines(run, redactor)) {
    if (line.kind === 'item') items.push(line.value);
    else if (line.kind === 'ended') told = withEnd(told, line);
    else {
      const { answer } = line;
      told = { ...told, answer: answer.kind === 'value' && line.items ? { ...answer, body: items } : answer };
    }
  }
  return told;
}

function withEnd(run: StartedRun, { status, ms, error, truncated }: Ended): StartedRun {
  const { answer } = run;
  const cut = truncated && answer?.kind === 'value' ? { answer: { ...answer, truncated } } : {};
  return { ...run, ...cut, status, ms, ...(error && { error }) };
}

type Ended = Extract<RunLine, { kind: 'ended' }>;

/** The answer of a run and its end, as they come. Call it in the turn in which the run was started. */
export function runLines(run: Run, redactor: Redactor): AsyncGenerator<AnswerLine> {
  const answered = new Promise<RunAnswer>((resolve) => run.onAnswer(resolve));
  const ended = new Promise<Outcome>((resolve) => run.onEnd(resolve));
  return linesOf(answered, ended, redactor);
}

type AnswerLine = Exclude<RunLine, { kind: 'started' }>;

async function* linesOf(
  answered: Promise<RunAnswer>,
  ended: Promise<Outcome>,
  redactor: Redactor,
): AsyncGenerator<AnswerLine> {
  const answer = await answered;
  yield answerLine(answer, redactor);
  const items = answer.kind === 'value' && isStream(answer.body) ? answer.body : undefined;
  const truncated = items ? yield* itemLines(items, redactor) : false;
  const { status, ms, error } = await ended;
  const masked = error && boundError(error, redactor);
  yield { kind: 'ended', status, ms, ...(masked && { error: masked }), ...(truncated && { truncated }) };
}

function answerLine(answer: RunAnswer, redactor: Redactor): AnswerLine {
  if (answer.kind === 'error')
    return { kind: 'answer', answer: { kind: 'error', error: boundError(answer.error, redactor) } };
  if (answer.kind === 'empty') return { kind: 'answer', answer };
  const { status = 200, headers, body } = answer;
  const head = { kind: 'value' as const, status, ...(headers && { headers: { ...headers } }) };
  if (isStream(body)) return { kind: 'answer', answer: head, items: true };
  return { kind: 'answer', answer: { ...head, body: boundValue(body, MAX_LENGTH, redactor) } };
}

/** Returns whether there were more items than these. */
async function* itemLines(
  stream: AsyncIterable<unknown>,
  redactor: Redactor,
): AsyncGenerator<AnswerLine, boolean> {
  let count = 0;
  let left = MAX_LENGTH;
  try {
    for await (const item of stream) {
      if (count++ >= MAX_ITEMS || left <= 0) return true;
      const value = boundValue(item, left, redactor);
      left -= JSON.stringify(value)?.length ?? 0;
      yield { kind: 'item', value };
    }
  } catch {
    // The outcome of the run reports this failure; the items before it are still worth showing.
  }
  return false;
}
