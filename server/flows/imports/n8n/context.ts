import { operatorInfo, portsOf } from '#engine/check';
import type { Catalog } from '#shared/catalog.ts';
import type { FlowNode } from '#shared/flow.ts';
import { isRecord } from '#shared/json.ts';
import { type Coded, saidByCode } from './expressions/coded.ts';
import { readsFor } from './expressions/reads-of-flow.ts';
import type { Reads } from './expressions/reads.ts';
import { isNothing } from './expressions/nothing.ts';
import { isExpression, plainText, rewriteTemplate } from './expressions/templates.ts';
import {
  areExclusive,
  commonFacts,
  isNever,
  type Port,
  type Scope,
  SPREAD,
  following,
  inARow,
} from './graph.ts';
import type { Job } from './job.ts';
import { type Params, paramsOf } from './params.ts';
import type { Step } from './workflow.ts';

/** The context in which a step is converted. */
export interface Context {
  readonly job: Job;
  readonly step: Step;
  readonly params: Params;
  readonly scope: Scope;
  readonly catalog: Catalog;
  /** All that leads to an input, as one. */
  input(at?: number): Port | undefined;
  /** All that leads to an input, one by one. */
  inputs(at?: number): readonly Port[];
  /** Inputs that wires lead to. */
  readonly inputCount: number;
  /** Adds a node and gives its id. The first one has the name of the step. */
  add(hint: string, node: FlowNode, scope?: Scope): string;
  wire(from: Port | string, to: string, scope?: Scope): void;
  /** The output of a node that was added. */
  port(id: string, output: string, facts: Partial<Port> & Pick<Port, 'card'>): Port;
  reads(input: Port | undefined): Reads;
  /** A value of a param as Weft writes it. */
  value(given: unknown, reads: Reads): unknown;
  /** The same as a text: of values that are none as JSON. */
  text(given: unknown, reads: Reads): string;
  /** The same as an expression without `{{ }}`. */
  expr(given: unknown, reads: Reads): string;
  changed(
    what: 'setting' | 'wire' | 'expression' | 'code' | 'data' | 'secret',
    message: string,
    more?: { before?: string; after?: string; lost?: boolean },
  ): void;
  /** Expressions that a node with code works out before it. */
  readonly coded: Coded;
  /** Ids that were added, in order. */
  readonly added: string[];
  /** The node that does what the step does: the first one with its name. */
  main(): { readonly id: string; readonly scope: Scope } | undefined;
  /** Steps that hang on it by wires of a kind, or all of them. */
  parts(kind: string): readonly Step[];
  allParts(): readonly { readonly kind: string; readonly step: Step }[];
}

export function createContext(
  job: Job,
  step: Step,
  scope: Scope,
  inputs: readonly (readonly Port[])[],
): Context {
  const { naming, around } = job;
  const added: string[] = [];
  const joined = new Map<number, Port | undefined>();
  let main: { id: string; scope: Scope } | undefined;
  const writing = writingFor(job, step, scope);
  const context: Context = {
    job,
    step,
    params: paramsOf(step.parameters),
    scope,
    catalog: around.catalog,
    inputs: (at = 0) => inputs[at] ?? [],
    inputCount: inputs.length,
    input(at = 0) {
      if (!joined.has(at)) joined.set(at, once(context, joinedPort(context, inputs[at] ?? [])));
      return joined.get(at);
    },
    add(hint, node, into = scope) {
      const id = naming.id(hint);
      const { x, y } = step.position;
      // Helpers of a step are below it.
      naming.place(id, { x: x * SPREAD, y: y * SPREAD + added.length * 90 });
      into.nodes.set(id, node);
      added.push(id);
      if (hint === step.name) main ??= { id, scope: into };
      return id;
    },
    wire(from, to, into = scope) {
      const ref = typeof from === 'string' ? from : from.ref;
      into.edges.push({ from: ref, to });
    },
    port: (id, output, facts) => portOf(context, id, output, facts),
    ...writing,
    added,
    main: () => main,
    parts: (kind) =>
      (job.parts.get(step.name) ?? []).filter((one) => one.kind === kind).map((one) => one.step),
    allParts: () => job.parts.get(step.name) ?? [],
  };
  return context;
}

type Writing = Pick<Context, 'reads' | 'value' | 'text' | 'expr' | 'changed' | 'coded'>;

/** How values of params become those of Weft. */
function writingFor(job: Job, step: Step, scope: Scope): Writing {
  const changed: Context['changed'] = (what, message, { before, after, lost = false } = {}) =>
    job.report.change({
      what,
      effect: lost ? 'lost' : 'changed',
      node: step.name,
      ...(before !== undefined && { before }),
      ...(after !== undefined && { after }),
      message,
    });
  const coded: Coded = { id: undefined, sources: [], port: undefined };
  const insteadOf =
    (reads: Reads): Instead =>
    (source, why) => {
      if (isNever(reads.from as Port | undefined, job.unused)) {
        changed('expression', `It is empty, since its node never runs: ${why}.`, { before: source });
        return 'null';
      }
      if (isNothing(source)) {
        changed('expression', 'It names nothing that there is, so it is empty, as there: write a value.', {
          before: source,
        });
        return 'null';
      }
      // Code stands before the node, which nothing within a body of the node can do.
      const isHere = (reads.from as Port | undefined)?.scope === scope;
      const said = isHere
        ? saidByCode(coded, source, reads, () => job.naming.id(`${step.name} code`))
        : undefined;
      changed(
        'expression',
        said === undefined
          ? `It has to be written anew: ${why}.`
          : `It is code now, in the node ${coded.id}: ${why}.`,
        { before: source, ...(said === undefined && { lost: true }) },
      );
      // An error that names it, so that the flow does not go live with another value.
      return said ?? `not_imported(${JSON.stringify(source.slice(0, 1000))})`;
    };
  return {
    changed,
    reads: (input) => readsFor(job, step, scope, input),
    coded,
    value: (given, reads) => valueOf(given, reads, insteadOf(reads)),
    text(given, reads) {
      const value = valueOf(given, reads, insteadOf(reads));
      if (typeof value === 'string') return value;
      return value === undefined || value === null ? '' : JSON.stringify(value);
    },
    expr: (given, reads) => exprOf(given, reads, insteadOf(reads)),
  };
}

function portOf(
  { scope, catalog, input }: Context,
  id: string,
  output: string,
  facts: Partial<Port> & Pick<Port, 'card'>,
): Port {
  const node = scope.nodes.get(id) as FlowNode;
  const info = operatorInfo(catalog, node.operator);
  const several = info !== undefined && portsOf({ ...node, onError: 'fail' }, info).outputs.length > 1;
  return {
    ref: `${id}.${output}`,
    expr: several || output === 'error' ? `nodes.${id}.${output}` : `nodes.${id}`,
    mayBeEmpty: false,
    aligned: new Set(),
    // Looked up only where it is not given: an input of several wires is itself a port.
    taken: facts.taken ?? input()?.taken ?? new Map<string, number>(),
    triggers: facts.triggers ?? input()?.triggers ?? new Set<string>(),
    scope,
    // All that is made of one item belongs to what that one belongs to.
    ...(!('origin' in facts) && { origin: originOfOne(input()) }),
    ...facts,
  };
}

function originOfOne(port: Port | undefined): Port['origin'] {
  return port?.card === 'one' ? port.origin : undefined;
}

/** Several wires at one input: n8n runs the node once for each of them. */
function joinedPort(context: Context, ports: readonly Port[]): Port | undefined {
  const [only] = ports;
  if (ports.length < 2) return only;
  const apart = ports.every((a, i) => ports.slice(i + 1).every((b) => areExclusive(a, b)));
  if (apart && ports.every(({ card }) => card === 'one')) {
    const id = context.add(`${context.step.name} in`, { operator: 'core.merge' });
    ports.forEach((port, order) => context.scope.edges.push({ from: port.ref, to: `${id}.in`, order }));
    return context.port(id, 'out', { card: 'one', ...commonFacts(ports), origin: eitherOf(ports) });
  }
  if (!apart)
    context.changed(
      'wire',
      'Several wires lead to it: it runs once over the items of all of them, not once for each wire.',
    );
  return concatenated(context, ports);
}

/** Where the item came from, if it is the same for all. */
function eitherOf(ports: readonly Port[]): Port['origin'] {
  return (node, place) => {
    const items = new Set(ports.map((port) => port.origin?.(node, place)));
    return items.size === 1 ? [...items][0] : undefined;
  };
}

/** With “execute once” only the first item counts. */
function once(context: Context, port: Port | undefined): Port | undefined {
  if (port?.card !== 'many' || context.step.settings['executeOnce'] !== true) return port;
  const id = context.add(`${context.step.name} once`, {
    operator: 'core.map',
    params: { value: '{{ input.slice(0, 1) }}' },
  });
  context.wire(port, `${id}.in`);
  const { taken, triggers, mayBeEmpty } = port;
  return context.port(id, 'out', { card: 'many', ...following(port), taken, triggers, mayBeEmpty });
}

/** Settings that only matter to how it looks, or to how fast it is. */
const MINOR =
  /(?:^|\.)(?:placeholder|acceptFileTypes|multipleFiles|initialMessages|subtitle|inputPlaceholder|showWelcomeScreen|customCss|enableStreaming|returnIntermediateSteps|disableDotNotation|batching|delayBetweenBatches|batchSize|loadPreviousSession|allowFileUploads|timezone|fieldLabelHint|queueMode|cachedResultName|cachedResultUrl|includeLinkToWorkflow|disable_web_page_preview|appendAttribution|guildId|workflowInputs\.(?:mappingMode|schema|matchingColumns|attemptToConvertTypes|convertFieldsToString))(?:\.|$)/;

/** Reports settings that the conversion did not read, so that none is lost silently. */
export function tellUnread({ params, job, step }: Pick<Context, 'params' | 'job' | 'step'>): void {
  for (const { path, value } of params.unread())
    job.report.change({
      what: 'setting',
      effect: MINOR.test(path) ? 'changed' : 'lost',
      node: step.name,
      before: JSON.stringify(job.secrets.cleaned(value, path.slice(path.lastIndexOf('.') + 1))) ?? '',
      message: `The setting ${path} has no place here.`,
    });
}

/** The items of all, in order; those of branches that were not taken are left out. */
export function concatenated(context: Context, ports: readonly Port[]): Port {
  const names = ports.map((_, i) => `in_${i + 1}`);
  const items = ports.map(({ card }, i) =>
    card === 'many' ? `...(inputs?.in_${i + 1} ?? [])` : `...compact([inputs?.in_${i + 1}])`,
  );
  const id = context.add(`${context.step.name} items`, {
    operator: 'core.join',
    params: {
      inputs: names.map((name) => ({ name, required: false })),
      value: `{{ [${items.join(', ')}] }}`,
    },
  });
  ports.forEach((port, i) => context.wire(port, `${id}.${names[i]}`));
  return context.port(id, 'out', {
    card: 'many',
    mayBeEmpty: ports.every(({ mayBeEmpty }) => mayBeEmpty),
    ...commonFacts(ports),
    origin: inARow(ports),
  });
}

/** Gives an expression that stands for one that cannot be said. */
type Instead = (source: string, why: string) => string;

const MOST_DEPTH = 100;

function valueOf(given: unknown, reads: Reads, instead: Instead, depth = 0): unknown {
  if (typeof given === 'string')
    return isExpression(given) ? rewriteTemplate(given, reads, instead) : plainText(given);
  if (depth > MOST_DEPTH || typeof given !== 'object' || given === null) return given;
  if (Array.isArray(given)) return given.map((one) => valueOf(one, reads, instead, depth + 1));
  if (!isRecord(given)) return given;
  return Object.fromEntries(
    Object.entries(given).map(([key, one]) => [key, valueOf(one, reads, instead, depth + 1)]),
  );
}

function exprOf(given: unknown, reads: Reads, instead: Instead): string {
  if (!isExpression(given)) return JSON.stringify(given ?? null);
  const text = rewriteTemplate(given, reads, instead);
  const whole = /^\{\{ ([\s\S]*) \}\}$/.exec(text);
  if (whole && !(whole[1] as string).includes('{{')) return whole[1] as string;
  // A text with several parts is put together as one value.
  const parts = text.split(/(?<!\\)\{\{ | \}\}/);
  return `\`${parts.map((part, i) => (i % 2 === 0 ? escaped(part) : `\${${part}}`)).join('')}\``;
}

const escaped = (text: string): string =>
  text.replaceAll(String.raw`\{{`, '{{').replaceAll(/[\\`]|\$(?=\{)/g, '\\$&');
