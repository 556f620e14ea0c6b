import type { Context } from '../../context.ts';
import type { Entry } from '../../entry.ts';
import { gives, type Given } from '../../job.ts';
import { cronsOf } from '../../schedules.ts';
import { triggered } from '../../trigger-item.ts';

/** Triggers of workflows besides webhooks and forms. */

function manual(context: Context): Given {
  const id = context.add(context.step.name, { operator: 'trigger.manual' });
  const item = context.add(`${context.step.name} item`, {
    operator: 'core.map',
    params: { value: '{{ input ?? { } }}' },
  });
  context.wire(`${id}.out`, `${item}.in`);
  return gives(
    context.port(item, 'out', {
      card: 'one',
      aligned: new Set([context.step.name]),
      triggers: new Set([context.step.name]),
    }),
  );
}

/** A workflow that others call: they give its items. */
function called(context: Context): Given {
  const { params, step } = context;
  params.skip('inputSource', 'workflowInputs', 'jsonExample');
  const id = context.add(step.name, { operator: 'trigger.manual' });
  const items = context.add(`${step.name} items`, {
    operator: 'core.map',
    params: { value: '{{ [input].flat() }}' },
  });
  context.wire(`${id}.out`, `${items}.in`);
  return gives(
    context.port(items, 'out', {
      card: 'many',
      aligned: new Set([step.name]),
      triggers: new Set([step.name]),
      mayBeEmpty: true,
    }),
  );
}

const TIMES = {
  timestamp: '{{ input.at }}',
  'Readable date': '{{ formatDate(input.at, "LLLL d yyyy, HH:mm:ss") }}',
  'Readable time': '{{ formatDate(input.at, "HH:mm:ss") }}',
  'Day of week': '{{ formatDate(input.at, "cccc") }}',
  Year: '{{ formatDate(input.at, "yyyy") }}',
  Month: '{{ formatDate(input.at, "LLLL") }}',
  'Day of month': '{{ formatDate(input.at, "dd") }}',
  Hour: '{{ formatDate(input.at, "HH") }}',
  Minute: '{{ formatDate(input.at, "mm") }}',
  Second: '{{ formatDate(input.at, "ss") }}',
  Timezone: '{{ formatDate(input.at, "z") }}',
};

function schedule(context: Context): Given {
  const { params, step, job } = context;
  const zone = job.workflow.settings['timezone'];
  const timezone = isZone(zone) ? zone : 'UTC';
  const rules = step.kind === 'cron' ? params.list('triggerTimes.item') : params.list('rule.interval');
  if (step.kind === 'interval')
    rules.push({ field: params.text('unit') ?? 'seconds', every: params.number('interval') ?? 1 });
  const crons = cronsOf(rules.length > 0 ? rules : [{ field: 'days' }], (message) =>
    context.changed('setting', message),
  );
  tellTimes(context, zone, crons);
  const ids = crons.map((cron, i) =>
    context.add(i === 0 ? step.name : `${step.name} ${i + 1}`, {
      operator: 'trigger.schedule',
      params: { cron, timezone, catchUp: 'none' },
    }),
  );
  const item = context.add(`${step.name} item`, { operator: 'core.map', params: { value: TIMES } });
  if (ids.length === 1) context.wire(`${ids[0]}.out`, `${item}.in`);
  else {
    const merge = context.add(`${step.name} any`, { operator: 'core.merge' });
    for (const id of ids) context.wire(`${id}.out`, `${merge}.in`);
    context.wire(`${merge}.out`, `${item}.in`);
  }
  return gives(
    context.port(item, 'out', { card: 'one', aligned: new Set([step.name]), triggers: new Set([step.name]) }),
  );
}

function tellTimes(context: Context, zone: unknown, crons: readonly string[]): void {
  if (isZone(zone) || !crons.some((cron) => hasHour(cron))) return;
  context.changed('setting', 'The file names no time zone, so its times of day are in UTC.', {
    after: 'UTC',
  });
}

const isZone = (zone: unknown): zone is string =>
  typeof zone === 'string' && zone !== '' && zone !== 'DEFAULT';

/** Whether a pattern names hours of a day. */
const hasHour = (cron: string): boolean => cron.split(/\s+/).at(-4)?.startsWith('*') === false;

function chat(context: Context): Given {
  const { params, step } = context;
  params.skip('public', 'mode', 'availableInChat');
  const node = { operator: 'trigger.chat', params: { title: step.name } };
  return gives(
    triggered(context, node, {
      sessionId: '{{ input?.conversation ?? run.id }}',
      action: 'sendMessage',
      chatInput: '{{ input?.text ?? last(input?.messages ?? [])?.content }}',
    }),
  );
}

function failed(context: Context): Given {
  const value = {
    execution: {
      id: '{{ input?.run }}',
      error: { message: '{{ input?.error?.message }}', name: '{{ input?.error?.code }}' },
      lastNodeExecuted: '{{ input?.error?.node }}',
    },
    workflow: { id: '{{ input?.flow }}', name: '{{ input?.flow }}' },
  };
  return gives(triggered(context, { operator: 'trigger.manual' }, value));
}

export const triggerEntries: readonly Entry[] = [
  { kind: 'manualTrigger', word: 'equal', becomes: '`trigger.manual`', convert: manual },
  { kind: 'start', word: 'equal', becomes: '`trigger.manual`', convert: manual },
  {
    kind: 'scheduleTrigger',
    versions: '1 to 1.2',
    word: 'close',
    becomes: '`trigger.schedule`',
    difference: 'Intervals that do not divide a day, a month or a year start again with each of them.',
    convert: schedule,
  },
  {
    kind: 'cron',
    word: 'close',
    becomes: '`trigger.schedule`',
    difference: 'Intervals that do not divide a day start again with each day.',
    convert: schedule,
  },
  {
    kind: 'interval',
    word: 'close',
    becomes: '`trigger.schedule`',
    difference: 'Intervals that do not divide a day start again with each day.',
    convert: schedule,
  },
  {
    kind: 'executeWorkflowTrigger',
    word: 'equal',
    becomes: '`trigger.manual`, whose input are the items',
    convert: called,
  },
  {
    kind: 'chatTrigger',
    word: 'close',
    becomes: '`trigger.chat`',
    difference:
      'People chat over the chat pages and the chat API here, not over the hosted chat page of n8n.',
    convert: chat,
  },
  {
    kind: 'manualChatTrigger',
    word: 'close',
    becomes: '`trigger.chat`',
    difference: 'People chat over the chat pages and the chat API here.',
    convert: chat,
  },
  {
    kind: 'errorTrigger',
    word: 'close',
    becomes: '`trigger.manual` of the flow that `settings.onFailure` names',
    difference: 'The error has a code in place of a stack.',
    convert: failed,
  },
];
