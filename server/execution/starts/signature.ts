import type { CompiledFlow, Plan, TriggerRequest } from '#engine';
import { normalisePath } from '#engine/check';
import type { LiveFlow } from '../../flows/service/flow-types.ts';
import { pathParams } from '../../base/requests/path.ts';
import { createRequestModel, type RequestModel } from '../../base/requests/request-model.ts';
import { inputSchema, requestFor, startValue } from './manual-run.ts';

/** The input of a flow at one of its triggers, for callers that start it with a value instead of a request. */
export interface Signature {
  /**
   * The input of the run, checked and completed by the trigger's schema, path params included. Throws
   * `invalid_request` with all problems as `detail`.
   */
  accept(input: unknown): { readonly output: unknown; readonly request: TriggerRequest };
}

/**
 * The assumed size of an input in characters: small enough to list all problems, without repeating whole objects in
 * them.
 */
const ASSUMED_SIZE = 32 * 1024;

const signatures = new WeakMap<CompiledFlow, Map<string, Signature>>();

/** `trigger` is one of the flow's. Prepared once for each version of a flow. */
export function signatureOf(flow: LiveFlow, trigger: string): Signature {
  const { compiled } = flow;
  let known = signatures.get(compiled);
  if (known === undefined) signatures.set(compiled, (known = new Map()));
  let signature = known.get(trigger);
  if (signature === undefined) known.set(trigger, (signature = prepare(flow, trigger)));
  return signature;
}

function prepare(flow: LiveFlow, trigger: string): Signature {
  const { params } = flow.compiled.plans.get(trigger) as Plan;
  const path = typeof params['path'] === 'string' ? params['path'] : undefined;
  const names = path === undefined ? [] : pathParams(normalisePath(path));
  const schema = inputSchema(flow, trigger);
  const model = schema && createRequestModel(schema, names);
  return { accept: (input) => accept(input, { flow, trigger, names, model }) };
}

interface Taker {
  readonly flow: LiveFlow;
  readonly trigger: string;
  /** The names of the path's params. */
  readonly names: readonly string[];
  readonly model: RequestModel | undefined;
}

function accept(input: unknown, { flow, trigger, names, model }: Taker): ReturnType<Signature['accept']> {
  const params = pathTexts(names, input);
  const output = model ? model.fromJson(input, params, ASSUMED_SIZE) : startValue(flow, trigger, input);
  const request = requestFor(flow, trigger, output);
  return { output, request: names.length > 0 ? { ...request, params } : request };
}

/** A path carries text, whatever the input contains. */
function pathTexts(names: readonly string[], input: unknown): Record<string, string> {
  if (names.length === 0 || typeof input !== 'object' || input === null) return {};
  const fields = input as Readonly<Record<string, unknown>>;
  const given = names.filter((name) => fields[name] !== undefined && fields[name] !== null);
  return Object.fromEntries(
    given.map((name) => [
      name,
      typeof fields[name] === 'string' ? fields[name] : JSON.stringify(fields[name]),
    ]),
  );
}
