import type { TriggerRequest } from '#engine';
import type { Serving } from '../flows/entry.ts';
import { requestFor } from '../runs/manual-run.ts';
import { endpointOf } from '../triggers/endpoint.ts';
import { pathParams } from '../triggers/path.ts';

/**
 * What a run by hand starts with. For an HTTP trigger the input is what a caller would send, path params included, and is
 * checked and completed by the request schema; it throws `invalid_request` where that refuses it.
 */
export function runInput(
  { live, routes }: Serving,
  trigger: string,
  input: unknown,
): { output: unknown; request: TriggerRequest } {
  const route = routes.find(({ node }) => node === trigger);
  if (!route) return { output: input, request: requestFor(live, trigger, input) };
  const params = pathTexts(pathParams(route.path), input);
  const { model } = endpointOf(route);
  const output = model ? model.fromJson(input, params, JSON.stringify(input).length) : input;
  return { output, request: { ...requestFor(live, trigger, output), params } };
}

/** A path carries text, whatever the input holds. */
function pathTexts(names: readonly string[], input: unknown): Record<string, string> {
  if (typeof input !== 'object' || input === null) return {};
  const fields = input as Readonly<Record<string, unknown>>;
  const given = names.filter((name) => fields[name] !== undefined && fields[name] !== null);
  return Object.fromEntries(
    given.map((name) => [
      name,
      typeof fields[name] === 'string' ? fields[name] : JSON.stringify(fields[name]),
    ]),
  );
}
