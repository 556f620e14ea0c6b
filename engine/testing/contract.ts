import { ICON_DRAWING, type OperatorExample, type OperatorInfo } from '#shared/catalog.ts';
import { isAsyncFunction } from '../base/is-promise.ts';
import { WeftError } from '../base/errors.ts';
import { freezeValue } from '../foreign/foreign.ts';
import type { Operator } from '../base/operator.ts';
import { describeOne, inputPort, runOperator, startOperator } from './call.ts';
import { undescribed } from './described.ts';
import { oddValues, silentStream, trap } from './odd-values.ts';
import { sameValue } from './same-value.ts';

/**
 * The contract of every operator, built in or a user's. It needs no test runner: our own tests and the command line run the
 * same rules.
 */
export interface ContractRule {
  readonly name: string;
  /** The broken rules, one sentence each; empty if there are none. May hang if the operator does. */
  check(): Promise<string[]>;
}

/** The rules for one operator. Throws `bad_operator` for one that cannot even be described. */
export function operatorContract(type: string, operator: Operator): ContractRule[] {
  const subject = { type, operator, info: describeOne(type, operator) };
  const rules = operator.trigger ? described : [...described, ...behaviour];
  return [
    ...rules.map(({ name, check }) => ruleOf(name, () => check(subject))),
    ...subject.info.examples.map((example) =>
      ruleOf(`keeps its example: ${example.title}`, () => brokenExample(subject, example)),
    ),
  ];
}

function ruleOf(name: string, check: () => string[] | Promise<string[]>): ContractRule {
  return {
    name,
    async check() {
      try {
        return await check();
      } catch (error) {
        return [`It could not be told, for it threw ${shown(error)}.`];
      }
    },
  };
}

interface Subject {
  readonly type: string;
  readonly operator: Operator;
  readonly info: OperatorInfo;
}

interface Rule {
  readonly name: string;
  check(subject: Subject): string[] | Promise<string[]>;
}

const described: readonly Rule[] = [
  {
    name: 'can be described as JSON',
    check: ({ info }) =>
      sameValue(JSON.parse(JSON.stringify(info)), info) ? [] : ['Its description is no JSON.'],
  },
  {
    name: 'has a title, a doc in whole sentences, an icon and an example',
    check: ({ info }) => [
      ...(/^[A-Z]/.test(info.title) ? [] : ['title must begin with a capital letter.']),
      ...(/^[A-Z].+\.$/s.test(info.doc)
        ? []
        : ['doc must be a sentence that begins with a capital and ends with a full stop.']),
      ...(/^[a-z][a-z0-9-]*$/.test(info.icon) || ICON_DRAWING.test(info.icon)
        ? []
        : [
            'icon must be the name of a lucide icon, such as `square-function`, or the path of an SVG of 24 × 24.',
          ]),
      ...(info.examples.length > 0 ? [] : ['examples must hold at least one.']),
    ],
  },
  {
    name: 'describes every param and port',
    check: ({ info }) => undescribed(info).map((place) => `${place} has no description.`),
  },
  {
    name: 'says what each example gives',
    check: ({ info }) => {
      const hasOutputs = info.outputs.length > 0 || info.derivedOutputs !== undefined;
      const silent = info.examples.filter((example) => hasOutputs && !example.outputs && !example.error);
      return silent.map(({ title }) => `The example ${title} has neither outputs nor error.`);
    },
  },
];

const behaviour: readonly Rule[] = [
  {
    name: 'is written async exactly when it gives a promise, so that the engine knows what may wait',
    check: ({ type, operator, info }) => {
      const promised = goodExamples(info).map(({ params, inputs }) => {
        const { result } = startOperator(type, operator, { params, inputs });
        const given = typeof (result as PromiseLike<unknown> | undefined)?.then === 'function';
        if (given) (result as Promise<unknown>).catch(() => {});
        return given;
      });
      const isAsync = isAsyncFunction(operator.run);
      return promised.every((given) => given === isAsync)
        ? []
        : [isAsync ? 'run is async, but need not be.' : 'run gives a promise, so it must be written async.'];
    },
  },
  {
    name: 'has no state: the same call gives the same again',
    check: ({ type, operator, info }) =>
      gather(goodExamples(info), async ({ title, params, inputs }) => {
        const first = await runOperator(type, operator, { params, inputs });
        const second = await runOperator(type, operator, { params, inputs });
        return sameValue(first, second)
          ? []
          : [`The example ${title} gave ${asJson(first)}, then ${asJson(second)}.`];
      }),
  },
  {
    name: 'ends as soon as its signal aborts, whatever it waits for',
    check: ({ type, operator, info }) =>
      gather(goodExamples(info), async ({ title, params, inputs = {} }) => {
        const reason = new WeftError('run_cancelled', 'stop');
        const silent = Object.fromEntries(
          Object.entries(inputs).map(([name, value]) => [name, silentWhereStream(info, name, value)]),
        );
        const { call, result } = startOperator(type, operator, {
          params,
          inputs: silent,
          endlessSleep: true,
        });
        if (!(result instanceof Promise)) return [];
        call.abort(reason);
        const thrown = await attempt(() => result);
        // An operator that had nothing to wait for may have succeeded.
        if (thrown === undefined || thrown === reason) return [];
        return [`The example ${title} ended with ${shown(thrown)} instead of the reason of its signal.`];
      }),
  },
  {
    name: 'gives a value or a coded error for odd inputs',
    check: (subject) =>
      gather([...subject.info.examples.entries()], ([index, { params }]) =>
        // A long text takes seconds, so one example gets it.
        gather(
          oddValues().filter((odd) => index === 0 || !isLong(odd)),
          (odd) => uncodedErrors(subject.type, subject.operator, params, odd),
        ),
      ),
  },
  {
    name: 'gives a value or a coded error for an object whose fields throw when they are read',
    // Expressions leave such an error to the engine, so only the operator itself is tested.
    check: (subject) =>
      gather(
        subject.info.examples.filter((example) => !hasExpression(example.params)),
        ({ params }) => uncodedErrors(subject.type, subject.operator, params, trap()),
      ),
  },
];

const isLong = (value: unknown): boolean => typeof value === 'string' && value.length > 1_000_000;

/** Runs it with this value at every input: every thrown value must be a WeftError. */
export async function uncodedErrors(
  type: string,
  operator: Operator,
  params: Record<string, unknown> | undefined,
  value: unknown,
): Promise<string[]> {
  const inputs = everywhere(describeOne(type, operator), params, value);
  const thrown = await attempt(() => runOperator(type, operator, { params, inputs }));
  if (thrown === undefined || thrown instanceof WeftError) return [];
  return [`For the input ${shown(value)} it threw ${shown(thrown)}; throw a WeftError with a code instead.`];
}

async function brokenExample({ type, operator, info }: Subject, example: OperatorExample): Promise<string[]> {
  const { params, inputs = {}, outputs = {}, error } = example;
  if (!operator.params.safeParse(params ?? {}).success && !hasExpression(params))
    return ['Its params are refused.'];
  if (info.trigger) return [];
  // The example belongs to the operator, so a copy is frozen.
  const frozen = structuredCopy(inputs);
  freezeValue(frozen);
  const given: { outputs?: Record<string, unknown> } = {};
  const thrown = await attempt(async () => {
    given.outputs = await runOperator(type, operator, { params, inputs: frozen });
  });
  if (error !== undefined) {
    const code = thrown instanceof WeftError ? thrown.code : shown(thrown ?? given.outputs);
    return code === error ? [] : [`It must end with the error ${error}, but ended with ${code}.`];
  }
  if (!given.outputs) return [`It failed with ${shown(thrown)}.`];
  if (!sameValue(given.outputs, outputs))
    return [`It must give ${asJson(outputs)}, but gave ${asJson(given.outputs)}.`];
  return Object.entries(operator.outputs).flatMap(([port, { schema }]) =>
    schema && port in outputs && !schema.safeParse(outputs[port]).success
      ? [`${port} does not fit its schema.`]
      : [],
  );
}

function goodExamples(info: OperatorInfo): OperatorExample[] {
  return info.examples.filter((example) => example.error === undefined);
}

async function gather<T>(items: readonly T[], check: (item: T) => Promise<string[]>): Promise<string[]> {
  const faults: string[] = [];
  for (const item of items) faults.push(...(await check(item)));
  return faults;
}

async function attempt(run: () => unknown): Promise<unknown> {
  try {
    await run();
    return undefined;
  } catch (error) {
    return error ?? new Error('It threw nothing.');
  }
}

/** The value for every input; for an input with several edges, the engine gives a list. */
function everywhere(
  info: OperatorInfo,
  params: Record<string, unknown> | undefined,
  value: unknown,
): Record<string, unknown> {
  const derived = info.derivedInputs ? derivedNames(params, info) : [];
  return Object.fromEntries([
    ...info.inputs.map((port) => [port.name, port.many ? [value, value] : value] as const),
    ...derived.map((name) => [name, value] as const),
  ]);
}

function derivedNames(params: Record<string, unknown> | undefined, info: OperatorInfo): string[] {
  const param = info.derivedInputs?.param ?? '';
  const properties = info.params['properties'] as Record<string, { default?: unknown }> | undefined;
  const list = (params?.[param] ?? properties?.[param]?.default ?? []) as { name: string }[];
  return list.map((port) => port.name);
}

function silentWhereStream(info: OperatorInfo, name: string, value: unknown): unknown {
  const { kind, many } = inputPort(info, name) ?? {};
  if (kind !== 'stream') return value;
  return many ? [silentStream(), silentStream()] : silentStream();
}

function hasExpression(value: unknown): boolean {
  return JSON.stringify(value ?? null).includes('{{');
}

function structuredCopy(value: Record<string, unknown>): Record<string, unknown> {
  return JSON.parse(JSON.stringify(value)) as Record<string, unknown>;
}

/** Output of an example, which is small. */
function asJson(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, MAX_SHOWN);
}

const MAX_SHOWN = 200;

/** Bounded, even for a value that would never end as JSON. */
function shown(value: unknown): string {
  if (value instanceof Error) return `${value.name}: ${value.message}`.slice(0, MAX_SHOWN);
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value !== 'object' || value === null)
    return String(JSON.stringify(value) ?? typeof value).slice(0, MAX_SHOWN);
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return `an object with ${Object.keys(value).slice(0, 5).join(', ') || 'nothing'}`;
}
