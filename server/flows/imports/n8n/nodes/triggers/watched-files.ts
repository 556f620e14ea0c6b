import type { Context } from '../../context.ts';
import { type Entry, NotHere } from '../../entry.ts';
import { filePattern } from '../../file-patterns.ts';
import { gives, type Given } from '../../job.ts';
import { below, FOLDER, folderOf } from '../files.ts';

/** Files and folders that are watched: a list each minute, compared with the one before, which the state of the flow keeps. */

const OFFERS = ['trigger.schedule with file.list', 'trigger.http, called by whatever writes the files'];

function watch(context: Context): Given {
  const { params, step } = context;
  params.skip('events', 'options.awaitWriteFinish', 'options.usePolling', 'options.followSymlinks');
  const { folder, taken, isDeep, events } = watchedOf(context);
  const chain = context.add(step.name, {
    operator: 'trigger.schedule',
    params: { cron: '* * * * *', catchUp: 'none' },
  });
  const follow = (hint: string, operator: string, given: Record<string, unknown>, from: string): string => {
    const id = context.add(`${step.name} ${hint}`, { operator, params: given });
    context.wire(`${from}.out`, `${id}.in`);
    return id;
  };
  const there = { folder: FOLDER, path: folder, ...(isDeep && { recursive: true }), limit: 10_000 };
  const list = follow('list', 'file.list', there, chain);
  folderOf(context, list);
  const now = follow('now', 'core.map', { value: stampsOf(taken) }, list);
  const key = `files of ${step.name}`.slice(0, 200);
  const before = follow('before', 'state.get', { key, fallback: null }, now);
  const isFirst = params.get('options.ignoreInitial') === false;
  const value = changesOf(`nodes.${before}`, `nodes.${now}`, events, isFirst);
  const changes = follow('changes', 'core.map', { value }, before);
  const kept = follow('kept', 'state.set', { key, value: `{{ nodes.${now} }}` }, changes);
  const own = new Set([step.name]);
  return gives(
    context.port(kept, 'out', {
      card: 'many',
      mayBeEmpty: true,
      aligned: own,
      triggers: own,
      origin: undefined,
    }),
  );
}

interface Watched {
  readonly folder: string;
  /** Conditions for what counts in it. */
  readonly taken: readonly string[];
  readonly isDeep: boolean;
  readonly events: readonly string[];
}

function watchedOf(context: Context): Watched {
  const { params } = context;
  const path = params.text('path') ?? '';
  if (path === '' || path.startsWith('=')) throw new NotHere('it names no fixed path', OFFERS);
  const own = below(path.replace(/\/+$/, ''));
  if (params.text('triggerOn') === 'file')
    return {
      folder: own.split('/').slice(0, -1).join('/'),
      taken: [`one.path == ${JSON.stringify(own)}`],
      isDeep: false,
      events: ['change'],
    };
  const depth = Number(params.get('options.depth') ?? -1);
  return {
    folder: own,
    taken: [...depthRule(own, depth), ...ignoredRule(context)],
    isDeep: depth !== 0,
    events: eventsOf(context),
  };
}

/** When each file was changed, by its path. */
function stampsOf(taken: readonly string[]): string {
  const rule = taken.length === 0 ? 'input' : `input.filter(one => ${taken.join(' && ')})`;
  return `{{ fromEntries(${rule}.map(one => [one.path, one.kind == "folder" ? "folder" : one.modified])) }}`;
}

const EVENTS: Readonly<Record<string, (before: string, now: string) => string>> = {
  add: (before, now) => `entries(${now}).filter(one => one[1] != "folder" && !has(${before}, one[0]))`,
  change: (before, now) =>
    `entries(${now}).filter(one => one[1] != "folder" && has(${before}, one[0]) && ${before}[one[0]] != one[1])`,
  unlink: (before, now) => `entries(${before}).filter(one => one[1] != "folder" && !has(${now}, one[0]))`,
  addDir: (before, now) => `entries(${now}).filter(one => one[1] == "folder" && !has(${before}, one[0]))`,
  unlinkDir: (before, now) => `entries(${before}).filter(one => one[1] == "folder" && !has(${now}, one[0]))`,
};

function eventsOf({ params }: Context): readonly string[] {
  const given = params.get('events');
  const events = Array.isArray(given) ? given.map(String) : [];
  if (events.length === 0 || events.some((one) => !Object.hasOwn(EVENTS, one)))
    throw new NotHere('it waits for no event that is known', OFFERS);
  return events;
}

/** The first list is no change, unless what is there already counts. */
function changesOf(before: string, now: string, events: readonly string[], isFirst: boolean): string {
  const from = `(${before} ?? { })`;
  const lists = events.map(
    (event) =>
      `...${(EVENTS[event] as (typeof EVENTS)[string])(from, now)}.map(one => ({ event: ${JSON.stringify(event)}, path: one[0] }))`,
  );
  const all = `[${lists.join(', ')}]`;
  return isFirst ? `{{ ${all} }}` : `{{ ${before} == null ? [] : ${all} }}`;
}

function depthRule(folder: string, depth: number): string[] {
  if (depth <= 0) return [];
  const parts = folder === '' ? 0 : folder.split('/').length;
  return [`length(split(one.path, "/")) <= ${parts + depth + 1}`];
}

function ignoredRule({ params }: Context): string[] {
  const ignored = params.text('options.ignored');
  if (ignored === undefined) return [];
  if (params.text('options.ignoreMode') === 'contain')
    return [`!one.path.includes(${JSON.stringify(ignored)})`];
  const pattern = filePattern(ignored);
  if (pattern === undefined) throw new NotHere('what it ignores is no plain pattern', OFFERS);
  return [`!matches(one.path, ${JSON.stringify(pattern.source)})`];
}

export const watchedFileEntries: readonly Entry[] = [
  {
    kind: 'localFileTrigger',
    word: 'close',
    becomes: '`trigger.schedule` with `file.list`, which are compared with those before',
    difference:
      'It looks once a minute, and the changes of that minute are the items of one run. Paths are below one folder that the administrator names; links are left out.',
    convert: watch,
  },
];
