import { isChat, isWaiting } from '../chat-turns.ts';
import { tellPart } from '../agents/parts.ts';
import type { Context } from '../context.ts';
import { type Entry, NotHere } from '../entry.ts';
import type { Port } from '../graph.ts';
import { gives, type Given } from '../job.ts';
import { required } from '../text-steps.ts';

/** Messages into the chat that has started the workflow. */

function chat(context: Context): Given {
  const { params, step, job } = context;
  const input = required(context);
  checkPlace(context);
  params.skip('operation', 'waitUserReply', 'generalNotice');
  for (const part of context.parts('ai_memory'))
    tellPart(context, part, 'a message', 'What it sends is not added to the memory.');
  if (params.flag('options.memoryConnection'))
    context.changed('setting', 'What it sends is not added to the memory of the agent.', {
      before: 'memoryConnection',
      lost: true,
    });
  job.answer = 'said';
  const isLast = !job.workflow.wires.some(({ from, kind }) => from === step.name && kind === 'main');
  return isWaiting(step) && !isLast ? question(context, input) : message(context, input);
}

/** A run answers once. */
function checkPlace({ job, scope, step }: Context): void {
  const offers = ['core.respond, once in a run', 'a flow of its own for each message'];
  if (scope.start !== undefined) throw new NotHere('it sends a message in each round of a loop', offers);
  const earlier = [...(job.before.get(step.name) ?? [])]
    .map((name) => job.workflow.steps.get(name))
    .find((one) => one !== undefined && isChat(one));
  if (earlier !== undefined)
    throw new NotHere(`a run answers a chat once, which “${earlier.name}” does`, offers);
}

/** The message is the answer of the run. */
function message(context: Context, input: Port): Given {
  const { params, step } = context;
  const item = firstOf(context, input);
  const id = context.add(step.name, {
    operator: 'core.respond',
    params: { body: context.text(params.get('message') ?? '', context.reads(item)) },
  });
  context.wire(item, `${id}.in`);
  if (isWaiting(step)) context.params.skip('options.limitWaitTime', 'responseType');
  return { outputs: [input], item: input };
}

/** The chat gets the message with the address of a page, on which the answer is written. */
function question(context: Context, input: Port): Given {
  const { params, step, job } = context;
  const kind = params.text('responseType') ?? 'freeTextChat';
  if (kind !== 'freeTextChat')
    throw new NotHere('it asks for an approval in the chat', ['human.approval with human.link']);
  const item = firstOf(context, input);
  const text = context.text(params.get('message') ?? '', context.reads(item));
  const form = context.add(step.name, {
    operator: 'human.form',
    params: {
      title: step.name.slice(0, 200),
      text: '{{ input.input }}',
      fields: [{ name: 'answer', label: 'Answer', type: 'longtext', required: true }],
      ...expiry(context),
    },
  });
  const asked = context.add(`${step.name} message`, { operator: 'core.map', params: { value: text } });
  const link = context.add(`${step.name} address`, { operator: 'human.link', params: { node: form } });
  const answer = context.add(`${step.name} reply`, {
    operator: 'core.respond',
    params: { body: '{{ input.input }}\n\n{{ input.link }}' },
  });
  context.wire(item, `${asked}.in`);
  context.wire(`${asked}.out`, `${link}.in`);
  context.wire(`${link}.out`, `${answer}.in`);
  context.wire(`${link}.out`, `${form}.in`);
  job.waiting.set(step.name, form);
  const said = { action: 'sendMessage', chatInput: '{{ input.data?.answer }}' };
  const made = context.add(`${step.name} item`, {
    operator: 'core.map',
    params: { value: step.version === 1.1 ? { data: said } : said },
  });
  context.wire(`${form}.submitted`, `${made}.in`);
  return gives(context.port(made, 'out', { card: 'one', aligned: new Set([step.name]), origin: undefined }));
}

const UNITS: Readonly<Record<string, number>> = { minutes: 60_000, hours: 3_600_000, days: 86_400_000 };

function expiry({ params }: Context): { expiresAfter?: number } {
  const at = 'options.limitWaitTime.values';
  if ((params.text(`${at}.limitType`) ?? 'afterTimeInterval') !== 'afterTimeInterval') return {};
  const amount = params.number(`${at}.resumeAmount`);
  if (amount === undefined) return {};
  const unit = UNITS[params.text(`${at}.resumeUnit`) ?? 'minutes'] ?? 3_600_000;
  return { expiresAfter: Math.max(1, Math.round(amount * unit)) };
}

/** It sends once, for the first item. */
function firstOf(context: Context, input: Port): Port {
  if (input.card === 'one') return input;
  const id = context.add(`${context.step.name} first`, {
    operator: 'core.map',
    params: { value: '{{ input[0] }}' },
  });
  context.wire(input, `${id}.in`);
  return context.port(id, 'out', { card: 'one' });
}

export const chatEntries: readonly Entry[] = [
  {
    kind: 'chat',
    versions: '1 to 1.3',
    word: 'close',
    becomes: '`core.respond`; to wait for an answer `human.form` with `human.link`',
    difference:
      'A run answers its chat once: a further message in the same run, or in a loop, is a placeholder. A reply that leads back to the start is the next message of the chat; for any other the chat shows the address of a page on which the person answers.',
    convert: chat,
  },
];
