import { z } from 'zod';
import { ID_PATTERN } from '#shared/flow.ts';
import { isRecord } from '#shared/json.ts';
import { summaryFault } from '#shared/summary.ts';
import type { Operator } from '../base/operator.ts';

/**
 * The rules for operators that the compiler cannot enforce, since users load operators of their own. Each describes its fault in
 * one sentence; the schema of the catalog checks the shapes of single fields.
 */
type Rule = (operator: Operator, type: string) => string | undefined;

/** The type of an operator, by which flows name it: `group.name`. */
const TYPE_PATTERN = /^[a-z][a-z0-9_-]*\.[a-z][a-z0-9_-]*$/;

/** The output that the engine adds to every node with `onError: route`. */
const RESERVED_OUTPUT = 'error';

/** The faults of an operator; empty if there are none. Accepts any value, since a user's file may export any value. */
export function operatorFaults(type: string, operator: Operator): string[] {
  if (!isRecord(operator)) return ['It is not an operator: export default defineOperator({ … }).'];
  const wrongShape = shapeRules.map((rule) => rule(operator, type)).filter((fault) => fault !== undefined);
  if (wrongShape.length > 0) return wrongShape;
  return meaningRules.map((rule) => rule(operator, type)).filter((fault) => fault !== undefined);
}

const shapeRules: readonly Rule[] = [
  (_, type) =>
    TYPE_PATTERN.test(type)
      ? undefined
      : 'Group and file name may hold only a-z, 0-9, _ and -, and start with a letter.',
  (o) => (o.params instanceof z.ZodObject ? undefined : 'params must be a z.object.'),
  (o) => (isText(o.title) ? undefined : 'title is missing.'),
  (o) => (isText(o.doc) ? undefined : 'doc is missing.'),
  (o) => (isText(o.icon) ? undefined : 'icon is missing.'),
  (o) =>
    hasPorts(o.inputs) ? undefined : 'inputs must be an object of input(), optionalInput() or manyInput().',
  (o) => (hasPorts(o.outputs) ? undefined : 'outputs must be an object of output().'),
  (o) => (Array.isArray(o.examples) ? undefined : 'examples must be a list.'),
];

const meaningRules: readonly Rule[] = [
  badPortName,
  badRun,
  badTrigger,
  badListen,
  badLift,
  badExclusive,
  badEither,
  badDerived,
  badByParam,
  badSummary,
  badOptions,
];

function badPortName({ inputs, outputs }: Operator): string | undefined {
  const bad = [...Object.keys(inputs), ...Object.keys(outputs)].filter((name) => !ID_PATTERN.test(name));
  if (bad.length > 0)
    return `A port is called ${JSON.stringify(bad[0])}: names hold a-z, 0-9 and _ and start with a letter.`;
  return Object.hasOwn(outputs, RESERVED_OUTPUT)
    ? 'No output may be named error: every node can have an output of that name.'
    : undefined;
}

function badRun({ run, trigger }: Operator): string | undefined {
  if (trigger)
    return run === undefined ? undefined : 'A trigger has no run: its output is what the run starts with.';
  return typeof run === 'function' ? undefined : 'run is missing.';
}

function badListen({ trigger, listen }: Operator): string | undefined {
  if (listen === undefined) return undefined;
  if (!trigger) return 'Only a trigger has listen.';
  return typeof listen === 'function' ? undefined : 'listen must be a function.';
}

function badTrigger({
  trigger,
  inputs,
  outputs,
  derivedInputs,
  derivedOutputs,
}: Operator): string | undefined {
  if (!trigger) return undefined;
  const sound =
    Object.keys(inputs).length === 0 &&
    Object.keys(outputs).length === 1 &&
    !derivedInputs &&
    !derivedOutputs;
  return sound ? undefined : 'A trigger has no inputs and exactly one output.';
}

function badLift({ lift, inputs, derivedInputs }: Operator): string | undefined {
  if (!lift) return undefined;
  const ports = Object.values(inputs);
  const sound =
    ports.length === 1 && !derivedInputs && ports[0]?.kind === 'value' && ports[0].many === undefined;
  return sound ? undefined : 'lift needs exactly one input, of kind value, that takes one edge.';
}

function badExclusive({ exclusive, outputs, derivedOutputs }: Operator): string | undefined {
  const several = Object.keys(outputs).length > 1 || derivedOutputs !== undefined;
  return exclusive && !several ? 'exclusive needs at least two outputs.' : undefined;
}

function badEither({ inputs, outputs }: Operator): string | undefined {
  const followsNothing =
    Object.values(outputs).some((port) => port.kind === 'either') &&
    !Object.values(inputs).some((port) => port.kind === 'either');
  return followsNothing
    ? 'An output of kind either needs an input of kind either, which it follows.'
    : undefined;
}

function badDerived({ params, derivedInputs, derivedOutputs }: Operator): string | undefined {
  const known = Object.keys((params as z.ZodObject).shape);
  const bad = [derivedInputs, derivedOutputs].find((ports) => ports && !known.includes(ports.param));
  return bad ? `Ports are derived from ${JSON.stringify(bad.param)}, which is not a param.` : undefined;
}

function badByParam({
  params,
  outputs,
  effectsByParam,
  readsRun,
  retriesBy,
  keyParam,
  exclusive,
}: Operator): string | undefined {
  const known = Object.keys((params as z.ZodObject).shape);
  const text = typeof readsRun === 'object' ? readsRun.param : undefined;
  const named = [
    effectsByParam?.name,
    keyParam,
    text,
    retriesBy?.param,
    typeof exclusive === 'object' ? exclusive.unless : undefined,
    ...Object.values(outputs).map(({ when }) => when?.param),
  ];
  const bad = named.find((name) => name !== undefined && !known.includes(name));
  return bad === undefined
    ? undefined
    : `Effects, the key or an output depend on ${JSON.stringify(bad)}, which is not a param.`;
}

function badSummary({ summary, synonyms, params }: Operator): string | undefined {
  if (synonyms !== undefined && !isText(synonyms)) return 'synonyms must be words, separated by commas.';
  if (summary === undefined) return undefined;
  if (!isText(summary)) return 'summary must be a text.';
  const fault = summaryFault(summary, Object.keys((params as z.ZodObject).shape));
  return fault === undefined ? undefined : `Its summary ${fault}.`;
}

function badOptions({ params, options }: Operator): string | undefined {
  if (options === undefined) return undefined;
  const groups = isRecord(options) ? Object.values(options) : [undefined];
  if (!groups.every((names) => Array.isArray(names))) return 'options must be lists of params, by group.';
  const { shape } = params as z.ZodObject;
  const names = groups.flat() as string[];
  const unknown = names.find((name) => !Object.hasOwn(shape, name));
  if (unknown !== undefined) return `Its options name ${JSON.stringify(unknown)}, which is not a param.`;
  const needed = names.find((name) => !(shape[name] as z.ZodType).safeParse(undefined).success);
  if (needed !== undefined)
    return `Its options name ${JSON.stringify(needed)}, which every node needs; leave it out of them.`;
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  return twice === undefined ? undefined : `Its options name ${JSON.stringify(twice)} twice.`;
}

function hasPorts(ports: unknown): boolean {
  return (
    isRecord(ports) &&
    Object.values(ports).every((port) => isRecord(port) && typeof port['kind'] === 'string')
  );
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}
