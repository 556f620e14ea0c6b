import type { ServiceFile } from '#shared/service-file.ts';
import type { ServiceChoices } from '#shared/service-parts.ts';
import { toText } from '../base/operator.ts';
import type { ExprTools } from '../expr/index.ts';
import { parametersOf } from './describe.ts';
import { fieldAt } from './fields.ts';
import { createMaker } from './making.ts';
import type { Values } from './request.ts';
import { runCall, type User } from './run.ts';

/** One of the choices of a param. */
export interface ServiceChoice {
  readonly value: string | number;
  readonly label: string;
}

/** From where the choices of a param come; undefined if it has none, or there is no such operator. */
export function choicesOf(file: ServiceFile, operator: string, param: string): ServiceChoices | undefined {
  const id = operator.slice(file.id.length + 1);
  const trigger = file.triggers.find((one) => one.id === id);
  const parameters = trigger
    ? parametersOf(file, trigger)
    : (file.calls.find((one) => one.id === id)?.parameters ?? []);
  return parameters.find(({ name }) => name === param)?.choices;
}

interface Asked {
  /** The params of the node. */
  readonly params: Values;
  readonly search: string | undefined;
  readonly limit: number;
}

/** Lists choices, at most `limit`. Throws the errors of `runCall`. */
export async function listChoices(
  by: Omit<User, 'file' | 'maker'>,
  { file, tools }: { readonly file: ServiceFile; readonly tools: ExprTools },
  choices: ServiceChoices,
  { params, search, limit }: Asked,
): Promise<ServiceChoice[]> {
  const call = file.calls.find(({ id }) => id === choices.call);
  if (call === undefined) throw new Error('The file was checked.');
  const taken = Object.fromEntries(choices.takes.map((name) => [name, params[name]]));
  const typed = choices.search !== undefined && search ? { [choices.search]: search } : {};
  const values = { ...choices.given, ...taken, ...typed, connection: params['connection'], limit };
  const found = fieldAt(
    await runCall({ ...by, file, maker: createMaker(tools) }, call, values),
    choices.items,
  );
  const items: readonly unknown[] = Array.isArray(found) ? found : [];
  return items.flatMap((item) => choiceIn(item, choices)).slice(0, limit);
}

function choiceIn(item: unknown, { value: at, label }: ServiceChoices): ServiceChoice[] {
  const value = fieldAt(item, at);
  if (typeof value !== 'string' && typeof value !== 'number') return [];
  const named = label === undefined ? undefined : fieldAt(item, label);
  const shown = named === undefined || named === null || named === '' ? toText(value) : toText(named);
  return [{ value, label: shown.slice(0, 300) }];
}
