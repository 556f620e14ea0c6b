import { type Services as HostServices, WeftError } from '#engine';
import type { ServiceChoice } from '#engine/services';
import type { ServiceFile } from '#shared/service-file.ts';
import type { ServiceChoices } from '#shared/service-parts.ts';
import { expressionTools } from '../../base/adapters/expression-tools.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import type { Services } from './services.ts';

/** The request of a form for choices. */
export interface ChoicesWish {
  readonly flow: string;
  readonly operator: string;
  readonly param: string;
  /** The params of the node. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly search?: string | undefined;
  readonly limit: number;
  /** Asks the service although the answer is known. */
  readonly fresh: boolean;
}

export interface FoundChoices {
  readonly items: readonly ServiceChoice[];
  /** There may be more than `limit`. */
  readonly more: boolean;
  /** Whether the service searches; otherwise the form does. */
  readonly searches: boolean;
}

interface Deps {
  readonly services: Pick<Services, 'get'>;
  readonly host: { readonly services?: HostServices | undefined; now(): number; random(): number };
}

/** How long an answer is good, in milliseconds, and how many are kept. */
const KEPT_MS = 60_000;
const MOST = 200;
const TIMEOUT_MS = 30_000;

const kept = new WeakMap<
  Deps['services'],
  Map<string, { readonly at: number; readonly found: FoundChoices }>
>();

/**
 * The choices of a param, from a call of its service. Throws `service_not_found`, `invalid_request` if it has none or something is
 * missing, and the errors of the call, such as `service_failed` and `connection_not_granted`.
 */
export async function findChoices({ services, host }: Deps, wish: ChoicesWish): Promise<FoundChoices> {
  const { choicesOf } = await import('#engine/services');
  const { operator, param, params } = wish;
  const { file } = await services.get(operator.slice(0, operator.indexOf('.')));
  const choices = choicesOf(file, operator, param);
  if (choices === undefined)
    throw new ServiceError('invalid_request', `No call lists choices for ${param} of ${operator}.`, {
      param: 'param',
    });
  const wanted = ['connection', ...choices.takes];
  const missing = wanted.filter((name) => !isFixed(params[name]));
  if (missing.length > 0)
    throw new ServiceError(
      'invalid_request',
      `First enter ${missing.join(' and ')}, without an expression.`,
      {
        param: 'params',
      },
    );
  const given = Object.fromEntries(wanted.map((name) => [name, params[name]]));
  const search = choices.search === undefined ? '' : (wish.search ?? '').trim();
  const cache = kept.get(services) ?? new Map();
  kept.set(services, cache);
  const key = JSON.stringify([wish.flow, operator, param, given, search, wish.limit, file.version]);
  const known = cache.get(key);
  if (!wish.fresh && known !== undefined && host.now() - known.at < KEPT_MS) return known.found;
  const items = await asked(host, wish, { file, choices, given, search });
  const searches = choices.search !== undefined;
  const found = { items, more: items.length === wish.limit, searches };
  cache.delete(key);
  cache.set(key, { at: host.now(), found });
  for (const old of cache.keys()) if (cache.size > MOST) cache.delete(old);
  return found;
}

function isFixed(value: unknown): boolean {
  if (typeof value === 'number') return true;
  return typeof value === 'string' && value !== '' && !value.includes('{{');
}

async function asked(
  host: Deps['host'],
  { flow, operator, limit }: ChoicesWish,
  of: {
    readonly file: ServiceFile;
    readonly choices: ServiceChoices;
    readonly given: Readonly<Record<string, unknown>>;
    readonly search: string;
  },
): Promise<ServiceChoice[]> {
  const { listChoices } = await import('#engine/services');
  const by = {
    asker: { flow, version: '', run: 'choices', node: 'choices', operator },
    signal: AbortSignal.timeout(TIMEOUT_MS),
    idempotencyKey: '',
    random: () => host.random(),
    now: () => host.now(),
    log: () => undefined,
    service<K extends keyof HostServices>(name: K): NonNullable<HostServices[K]> {
      const found = host.services?.[name];
      if (found === undefined) throw new WeftError('service_missing', `There is no \`${name}\` here.`);
      return found as NonNullable<HostServices[K]>;
    },
  };
  const { file, choices, given, search } = of;
  return listChoices(by, { file, tools: expressionTools('UTC') }, choices, { params: given, search, limit });
}
