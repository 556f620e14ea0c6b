import { testTools } from '../expr/testing/test-tools.ts';
import type { InputPort, OperatorInfo, PortKind } from '#shared/catalog.ts';
import type { LogLevel } from '#shared/run-event.ts';
import { isStream } from '#shared/json.ts';
import { compileParams } from '../plan/params.ts';
import type { Env } from '../expr/index.ts';
import type {
  Answer,
  Call,
  Operator,
  PartOfStep,
  Strand,
  TriggerRequest,
  WaitFor,
} from '../base/operator.ts';
import { makeRegistry } from '../catalog/registry.ts';
import type { StepScope } from '../plan/plan.ts';
import { WeftError } from '../base/errors.ts';
import { exampleAnswer, exampleServices } from './services.ts';
import type { Asker, Services } from '../base/services.ts';

/** What a test gives an operator: params and inputs as a flow and its edges would give them. */
export interface CallSetup {
  readonly params?: Record<string, unknown> | undefined;
  /**
   * By port. For a stream input a list, which is sent item by item (a list of lists for several edges), or any
   * `AsyncIterable`.
   */
  readonly inputs?: Record<string, unknown> | undefined;
  readonly trigger?: TriggerRequest;
  /** Waits only end with the signal. */
  readonly endlessSleep?: boolean;
  /** The answer of people; a fitting value by default. */
  readonly decision?: unknown;
  /** The services of the host; flows and state for examples by default. */
  readonly services?: Services;
}

/** A `Call` without a run: time stands still, waits end at once, and the operator's logs are collected for the test. */
export class TestCall implements Call {
  params: unknown = undefined;
  item: unknown = undefined;
  index: number | undefined = undefined;
  acc: unknown = undefined;
  readonly attempt = 1;
  readonly body = undefined;
  readonly idempotencyKey = 'run:node';
  readonly node = 'node';
  readonly input: unknown;
  readonly inputs: Record<string, unknown>;
  readonly trigger: TriggerRequest;
  readonly vars = {};
  readonly logs: { level: LogLevel; text: string; data: unknown }[] = [];
  readonly answers: Answer[] = [];
  private readonly controller = new AbortController();
  readonly asker: Asker = {
    flow: 'flow',
    version: 'v1',
    run: 'run',
    node: 'node',
    operator: 'test.operator',
  };
  private readonly endlessSleep: boolean;
  private readonly decision: unknown;
  private readonly services: Services;

  constructor(inputs: Record<string, unknown>, setup: CallSetup) {
    this.inputs = inputs;
    this.input = Object.values(inputs)[0];
    this.trigger = setup.trigger ?? {};
    this.endlessSleep = setup.endlessSleep ?? false;
    this.decision = setup.decision;
    this.services = setup.services ?? exampleServices();
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  abort(reason: unknown): void {
    this.controller.abort(reason);
  }

  log(level: LogLevel, text: string, data?: unknown): void {
    this.logs.push({ level, text, data });
  }

  strand(): Strand {
    return {
      part: (_, fn) => fn(),
      wait: (_, what) => this.wait(what),
      isRecorded: false,
      keyOf: (name) => `node/${name}`,
      end: () => {},
    };
  }

  part(_of: PartOfStep, fn: () => unknown): unknown {
    return fn();
  }

  sleep(): Promise<void> {
    if (!this.endlessSleep) return Promise.resolve();
    return new Promise((_, reject) => {
      this.signal.addEventListener('abort', () => reject(this.signal.reason), { once: true });
    });
  }

  /** People answer at once, with a fitting value, unless the time for it is already over. */
  async wait(what: WaitFor): Promise<unknown> {
    await this.sleep();
    if (what.kind === 'time' || (what.until ?? 1) <= this.now()) return undefined;
    return this.decision ?? exampleAnswer(what.ask);
  }

  respond(answer: Answer): void {
    this.answers.push(answer);
  }

  now(): number {
    return 0;
  }

  random(): number {
    return 0;
  }

  service<K extends keyof Services>(name: K): NonNullable<Services[K]> {
    const service = this.services[name];
    if (service) return service;
    throw new WeftError('service_missing', `The test offers no ${name}.`);
  }
}

export interface Started {
  readonly call: TestCall;
  /** The return value of `run`, untouched. */
  readonly result: unknown;
}

/** Evaluates the params as the engine does, then calls `run`. Throws the errors of both. */
export function startOperator(type: string, operator: Operator, setup: CallSetup): Started {
  const info = describeOne(type, operator);
  const call = new TestCall(inputsOf(info, setup.inputs ?? {}), setup);
  const compiled = compileParams(setup.params ?? {}, operator, info, expressionEnv(setup));
  // Params only read from a call what the env below reads, and a TestCall has that.
  call.params = compiled.makeParams ? compiled.makeParams(call as unknown as StepScope) : compiled.params;
  return { call, result: operator.run?.(call) };
}

/** Runs to the end and returns the live outputs by port, a stream as the list of its items. */
export async function runOperator(
  type: string,
  operator: Operator,
  setup: CallSetup,
): Promise<Record<string, unknown>> {
  const { result } = startOperator(type, operator, setup);
  return await outputsOf(operator, await result);
}

async function outputsOf(operator: Operator, result: unknown): Promise<Record<string, unknown>> {
  const names = Object.keys(operator.outputs);
  const single = names.length === 1 && operator.derivedOutputs === undefined;
  const byPort: Record<string, unknown> = single
    ? { [names[0] as string]: result }
    : { ...(result as object) };
  const live = Object.entries(byPort).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    await Promise.all(live.map(async ([name, value]) => [name, await collected(value)] as const)),
  );
}

async function collected(value: unknown): Promise<unknown> {
  if (!isStream(value)) return value;
  const items: unknown[] = [];
  for await (const item of value) items.push(item);
  return items;
}

function inputsOf(info: OperatorInfo, given: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const { kind, many } = inputPort(info, name) ?? {};
      if (kind !== 'stream' || !Array.isArray(value)) return [name, value];
      return [name, many ? value.map(streamOfList) : streamOfList(value)];
    }),
  );
}

/** An input of an operator, either its own or one that a param defines. */
export function inputPort(
  info: OperatorInfo,
  name: string,
): { kind: PortKind; many?: InputPort['many'] } | undefined {
  return info.inputs.find((port) => port.name === name) ?? info.derivedInputs;
}

function streamOfList(value: unknown): unknown {
  return Array.isArray(value) ? streamOf(value) : value;
}

async function* streamOf(items: readonly unknown[]): AsyncGenerator<unknown> {
  yield* items;
}

export function describeOne(type: string, operator: Operator): OperatorInfo {
  return makeRegistry(new Map([[type, operator]])).catalog.operators[type] as OperatorInfo;
}

const moments = { start: () => 0, now: () => 0, random: () => 0 };

function expressionEnv(setup: CallSetup): Env<StepScope> {
  const roots: Record<string, (call: StepScope) => unknown> = {
    input: (call) => call.input,
    inputs: (call) => call.inputs,
    trigger: () => setup.trigger ?? {},
    item: (call) => call.item,
    index: (call) => call.index,
    acc: (call) => call.acc,
  };
  return { root: (name) => roots[name], tools: testTools, moments };
}
