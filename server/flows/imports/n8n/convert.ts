import { operatorInfo } from '#engine/check';
import type { ImportedNode } from '#shared/import-report.ts';
import { placeholderNode } from '../frame/placeholder.ts';
import { type Context, createContext, tellUnread } from './context.ts';
import { sinkEnds, tellEnds } from './ends.ts';
import { convertCycle } from './loops/hand-loops.ts';
import { bodyItem, listPort } from './items.ts';
import { type Entry, NotHere } from './entry.ts';
import {
  following,
  bodyOf,
  comesBefore,
  createScope,
  isVisible,
  type Port,
  type Scope,
  itemAt,
  type Origin,
} from './graph.ts';
import type { Given, Job } from './job.ts';
import type { Loop, LoopKey, Shape } from './loops/loops.ts';
import { insertCode } from './code/insert.ts';
import { insertLink } from './nodes/waits.ts';
import { offersFor } from './offers.ts';
import { settle } from './settle.ts';
import { entryOf } from './table.ts';
import { needsInput, unused } from './trigger-item.ts';
import type { Step, Wire } from './workflow.ts';

/** Converts the steps of a workflow one after the other, and the bodies of its loops within. */
export function convertAll(job: Job, shape: Shape): Scope {
  const main = createScope();
  convertIn(job, shape, main, undefined);
  return main;
}

function convertIn(job: Job, shape: Shape, scope: Scope, loop: LoopKey | undefined): void {
  for (const name of shape.order) {
    const step = job.workflow.steps.get(name);
    if (step === undefined) continue;
    const cycle = shape.cycles.get(name);
    if (cycle && cycle.key !== loop && shape.around.get(cycle) === loop) {
      const context = createContext(job, step, scope, inputsOf(job, shape, scope, step));
      convertCycle({ job, shape, cycle, context }, (body) => convertIn(job, shape, body, cycle.key));
      continue;
    }
    if (shape.loopOf.get(name) !== loop || job.absorbed.has(name) || isPart(job, step)) continue;
    convertOne(job, shape, scope, step);
  }
}

function convertOne(job: Job, shape: Shape, scope: Scope, step: Step): void {
  const inputs = inputsOf(job, shape, scope, step);
  const inner = shape.loops.get(step.name);
  const isUnused = inputs.length === 0 && scope.start === undefined && (inner || needsInput(job, step));
  const context = createContext(job, step, scope, isUnused ? [[unused(job, scope, step)]] : inputs);
  const { answer } = job;
  if (inner && !isDisabled(step)) convertLoop(job, shape, context, inner);
  else convertStep(job, context);
  // What never runs answers nobody.
  if (isUnused) job.answer = answer;
}

const isDisabled = ({ settings }: Step): boolean => settings['disabled'] === true;

/** A step that only hangs on others, such as the model of an agent. */
function isPart({ workflow }: Job, { name }: Step): boolean {
  const leaving = workflow.wires.filter(({ from }) => from === name);
  return leaving.length > 0 && leaving.every(({ kind }) => kind !== 'main');
}

/** The ports that lead to each input; for wires from the loop itself, the start of its body. */
function inputsOf(job: Job, shape: Shape, scope: Scope, { name }: Step): Port[][] {
  if (scope.round?.step === name && scope.round.port) return [[scope.round.port]];
  const inputs: Port[][] = [];
  for (const { from, output, to, input } of shape.wires) {
    if (to !== name) continue;
    for (let i = inputs.length; i <= input; i++) inputs.push([]);
    const port = led(job, scope, { from, output, to });
    if (port) inputs[input]?.push(port);
  }
  return inputs;
}

/** The port that a wire brings to a step; undefined if it is reported as lost. */
function led(job: Job, scope: Scope, { from, output, to }: Omit<Wire, 'kind' | 'input'>): Port | undefined {
  const port = job.given.get(from)?.outputs[output];
  if (port === undefined) noteDead(job, from, output, to);
  else if (port.scope === scope) return port;
  else if (isVisible(port.scope, scope) && comesBefore(port, scope)) return brought(job, scope, port, from);
  else noteCrossing(job, scope, port, { from, to });
  return undefined;
}

function noteCrossing(
  { report }: Job,
  scope: Scope,
  port: Port,
  { from, to }: Pick<Wire, 'from' | 'to'>,
): void {
  report.change({
    what: 'wire',
    effect: 'lost',
    node: from,
    before: `${from} → ${to}`,
    message: isVisible(port.scope, scope)
      ? 'It leads into a loop from a node that does not come before it.'
      : 'It leads out of a loop other than by its end.',
  });
}

function noteDead(job: Job, from: string, output: number, to: string): void {
  job.report.change({
    what: 'wire',
    effect: 'lost',
    node: from,
    before: `${from} → ${to}`,
    message: `“${from}” has no output ${output + 1} here.`,
  });
}

/** A value from outside a body, in it. */
function brought({ naming }: Job, scope: Scope, port: Port, from: string): Port {
  const id = naming.id(`${from} outside`);
  scope.nodes.set(id, { operator: 'core.map', params: { value: `{{ ${port.expr} }}` } });
  scope.edges.push({ from: `${scope.start}.out`, to: `${id}.in` });
  return { ...port, ref: `${id}.out`, expr: `nodes.${id}`, scope };
}

function convertStep(job: Job, context: Context): void {
  const { step } = context;
  const entry = entryOf(step);
  const input = context.input();
  // A node that no edge leads to would run in each round of a loop.
  const isLoose = context.scope.start !== undefined && input === undefined;
  const convert = isLoose ? looseInLoop : entry?.convert;
  const given = convert ? attempted(context, convert) : undefined;
  const made = given && 'outputs' in given ? given : undefined;
  const why = given && !made ? (given as NotHere) : undefined;
  const result = made ? settle(context, made) : placeholder(context, why);
  tellUnwired(context);
  const shown = isDisabled(step) ? disabled(context, result, input) : result;
  job.given.set(step.name, withEarlier(context, shown));
  tell(context, made ? entry : undefined, why);
}

/** Lets a round that skips the step read its output of an earlier round. */
function withEarlier({ scope, step }: Context, given: Given): Given {
  const earlier = scope.round?.last?.(step.name);
  const { item } = given;
  const isSame = item?.scope === scope && item.card === scope.round?.port?.card;
  return earlier !== undefined && isSame ? { ...given, item: { ...item, earlier } } : given;
}

function looseInLoop(): never {
  throw new NotHere('nothing leads to it in its loop');
}

/** Wires to inputs that the node does not have here, such as those that lead to a trigger. */
function tellUnwired(context: Context): void {
  const { scope, step, job } = context;
  const own = new Set(context.added);
  for (let at = 0; at < context.inputCount; at++)
    for (const { ref } of context.inputs(at))
      if (!scope.edges.some(({ from, to }) => from === ref && own.has(to.split('.')[0] as string)))
        job.report.change({
          what: 'wire',
          effect: 'lost',
          node: step.name,
          before: `${ref} → ${step.name}`,
          message: 'It leads to an input that the node does not have here.',
        });
}

function attempted(context: Context, convert: NonNullable<Entry['convert']>): Given | NotHere {
  const { scope } = context;
  const nodes = new Set(scope.nodes.keys());
  const edges = scope.edges.length;
  try {
    const given = convert(context);
    insertCode(context);
    insertLink(context);
    return given;
  } catch (error) {
    if (!(error instanceof NotHere)) throw error;
    context.job.links.delete(context.step.name);
    // What it has added so far belongs to nothing; the input, which may be a node of several wires, stays.
    const input = context.input()?.ref.split('.')[0];
    for (const id of scope.nodes.keys()) if (!nodes.has(id) && id !== input) scope.nodes.delete(id);
    const kept = scope.edges.splice(edges).filter(({ to }) => to.split('.')[0] === input);
    scope.edges.push(...kept);
    return error;
  }
}

/** Keeps the params and place of a step without a counterpart. */
function placeholder(context: Context, why: NotHere | undefined): Given {
  const { step, job } = context;
  const parameters = job.secrets.cleaned(step.parameters, step.name);
  const node = placeholderNode({
    product: 'n8n',
    type: step.type,
    version: step.version,
    name: step.name,
    parameters,
    offers: why && why.offers.length > 0 ? why.offers : offersFor(step),
  });
  const parts = context.allParts();
  const id = context.add(step.name, {
    ...node,
    ...(parts.length > 0 && {
      parts: parts.map(({ kind, step: part }) => ({
        kind,
        name: part.name,
        type: part.type,
        parameters: job.secrets.cleaned(part.parameters, part.name),
      })),
    }),
  });
  for (const { step: part } of parts) job.absorbed.set(part.name, { into: step.name });
  for (let at = 0; at < context.inputCount; at++) {
    const input = context.input(at);
    if (input) context.wire(input, `${id}.${at === 0 ? 'in' : `in_${at + 1}`}`);
  }
  if (context.scope.start !== undefined && context.input() === undefined)
    context.wire(`${context.scope.start}.out`, `${id}.in`);
  const outputs = Math.max(
    1,
    ...job.workflow.wires
      .filter(({ from, kind }) => from === step.name && kind === 'main')
      .map(({ output }) => output + 1),
  );
  const card = context.input()?.card ?? 'one';
  const same = following(context.input(), step.name);
  const ports = Array.from({ length: Math.min(outputs, 50) }, (_, i) =>
    context.port(id, i === 0 ? 'out' : `out_${i + 1}`, { card, ...same }),
  );
  return { outputs: ports, item: ports[0] };
}

/** Items pass a disabled node; it stays to be seen. A trigger keeps its wires. */
function disabled(context: Context, given: Given, input: Port | undefined): Given {
  const { scope, added } = context;
  const own = new Set(added.filter((id) => id !== nodeOf(input)));
  const main = context.main();
  for (const id of own) {
    const node = scope.nodes.get(id);
    if (node) scope.nodes.set(id, { ...node, disabled: true });
  }
  if (input === undefined || main === undefined) return given;
  const edges = scope.edges.splice(0).filter(({ to }) => !own.has(to.split('.')[0] as string));
  scope.edges.push(...edges);
  for (const id of own) if (id !== main.id) scope.nodes.delete(id);
  const port = passing(context, input, main.id);
  return { outputs: [port], item: port };
}

const nodeOf = (port: Port | undefined): string | undefined => port?.ref.split('.')[0];

/** A node with one output passes its input on when it is disabled; all others count as skipped, so what leads to them leads on. */
function passing(context: Context, input: Port, id: string): Port {
  const info = operatorInfo(context.catalog, context.scope.nodes.get(id)?.operator ?? '');
  const first = info === undefined ? 'in' : info.inputs[0]?.name;
  if (first === undefined) return input;
  context.wire(input, `${id}.${first}`);
  if (info === undefined) return input;
  if (info.outputs.length !== 1 || info.derivedOutputs) return input;
  return { ...input, ref: `${id}.${info.outputs[0]?.name}`, expr: `nodes.${id}` };
}

function tell(context: Context, entry: Entry | undefined, why: NotHere | undefined): void {
  const { step, job, scope } = context;
  const nodes = context.added.filter((id) => scope.nodes.has(id));
  const about = { name: step.name, type: step.type, version: step.version, nodes: [...nodes] };
  if (entry === undefined) {
    const difference = why ? `It cannot be taken over: ${why.message}.` : 'Nothing here does the same.';
    job.report.node({
      ...about,
      word: 'placeholder',
      difference,
      offers: [...(why && why.offers.length > 0 ? why.offers : offersFor(step))].slice(0, 2),
    });
    return;
  }
  tellUnread(context);
  tellSettings(context);
  job.report.node({
    ...about,
    word: wordOf(entry, step),
    ...(entry.difference !== undefined && { difference: entry.difference }),
  });
}

const WORDS: Readonly<Record<Entry['word'], ImportedNode['word']>> = {
  equal: 'equal',
  close: 'close',
  http: 'needs',
  code: 'close',
};

function wordOf({ word, needs }: Entry, step: Step): ImportedNode['word'] {
  const isNeeding = needs?.(step) === true || (word === 'equal' && step.credentials.length > 0);
  return isNeeding ? 'needs' : WORDS[word];
}

/** Settings of nodes that are taken over, or that only matter to the editor there. */
const TAKEN = new Set([
  'disabled',
  'executeOnce',
  'alwaysOutputData',
  'onError',
  'continueOnFail',
  'retryOnFail',
  'maxTries',
  'waitBetweenTries',
  'notes',
  'notesInFlow',
  'notesAlignment',
  'webhookId',
  'color',
  'issues',
  'extendsCredential',
]);

function tellSettings({ step, changed }: Context): void {
  for (const [name, value] of Object.entries(step.settings))
    if (!TAKEN.has(name) && value !== false && value !== null)
      changed('setting', `The setting ${name} of the node has no place here.`, {
        before: JSON.stringify(value) ?? '',
        lost: true,
      });
}

/** Split in Batches: a loop over a body. */
function convertLoop(job: Job, shape: Shape, context: Context, loop: Loop): void {
  const { step, params, scope } = context;
  const input = context.input();
  if (input === undefined) {
    job.given.set(step.name, placeholder(context, undefined));
    tell(context, undefined, undefined);
    convertIn(job, shape, scope, loop.name);
    return;
  }
  const list = listPort(context, input) as Port;
  const size = params.number('batchSize') ?? (step.version >= 2 ? 1 : 10);
  params.skip('options.reset');
  if (params.flag('options.reset'))
    context.changed('setting', 'It began anew each time it was reached.', { lost: true });
  const isCounted = [...loop.body].some((name) => readsRound(job, name));
  const { item: one, params: paired, scope: body } = bodyItem(context, list, step.name, isCounted);
  body.round = {
    step: step.name,
    after: context.inputs(),
    index: isCounted ? `nodes.${body.start}.index` : '0',
  };
  const item: Port =
    size === 1
      ? one
      : {
          ...one,
          card: 'many',
          origin: one.origin && batchOrigin(list, `${body.start}`, size),
        };
  job.given.set(step.name, { outputs: loop.into === 0 ? [item] : [undefined, item], item });
  convertIn(job, shape, body, loop.name);
  const isReturning = endBody(job, shape, step, body);
  const id = context.add(step.name, {
    operator: 'data.for-each',
    params: {
      items: size === 1 ? '{{ input }}' : `{{ chunk(input, ${size}) }}`,
      ...paired,
      concurrency: 1,
      maxItems: 100_000,
    },
    body: bodyOf(body),
  });
  context.wire(list, `${id}.in`);
  const done = context.add(`${step.name} done`, {
    operator: 'core.map',
    params: { value: '{{ compact(input.flat()) }}' },
  });
  context.wire(`${id}.out`, `${done}.in`);
  const end = context.port(done, 'out', { card: 'many', mayBeEmpty: true });
  job.given.set(step.name, { outputs: loop.end === 0 ? [end] : [undefined, end], item: end });
  tellEnds(job, shape, context, isReturning ? loop : undefined);
  tell(context, entryOf(step), undefined);
}

function readsRound({ workflow }: Job, name: string): boolean {
  return JSON.stringify(workflow.steps.get(name)?.parameters).includes('$runIndex');
}

/** Batches have the items of the list one after the other. */
function batchOrigin(list: Port, start: string, size: number): Origin {
  return (node, place) => itemAt(list, node, `nodes.${start}.index * ${size} + ${place}`);
}

/** The result of a round is what leads back; other ends are none. */
function endBody(job: Job, shape: Shape, step: Step, body: Scope): boolean {
  const back = shape.back
    .filter(({ to }) => to === step.name)
    .flatMap(({ from, output }) => job.given.get(from)?.outputs[output] ?? [])
    .filter(({ scope }) => scope === body);
  const inside = createContext(job, step, body, [[...new Set(back)]]);
  const port = inside.input();
  sinkEnds(job, body, port?.ref.split('.')[0]);
  if (port === undefined) return false;
  const result = inside.add(`${step.name} result`, {
    operator: 'core.map',
    params: { value: '{{ input }}' },
  });
  inside.wire(port, `${result}.in`);
  return true;
}
