import type { DurableStep } from '../base/host.ts';
import type { ConnectionAsk } from '../base/services.ts';

/**
 * Describes a request to a service, for people and to detect a run that takes another path. It contains nothing that may
 * hold a secret: no user or query of an address, no headers or body of a request.
 */
export function describeAsk(service: string, method: string, args: readonly unknown[]): string {
  const [first] = args;
  const about = TEXTS.get(service)?.(first) ?? namedText(first) ?? texts(args);
  return `${service}.${method} ${about}`.trimEnd();
}

const TEXTS: ReadonlyMap<string, (asked: unknown) => string> = new Map([
  ['http', requestText],
  ['sql', sqlText],
  ['connections', actionText],
]);

/** A step of a durable run, described by what it does: in another version the node may be a different one. */
export function describeStep({ key, operator, params }: Omit<DurableStep, 'signal'>): string {
  const isRequest = typeof params === 'object' && params !== null && 'url' in params;
  const about = isRequest && typeof params.url === 'string' ? requestText(params) : namedText(params);
  return `${key} (${operator}${about === undefined ? '' : ` ${about}`})`;
}

function requestText(request: unknown): string {
  const {
    method = '',
    url = '',
    connection,
  } = request as {
    method?: string;
    url?: string;
    connection?: string;
  };
  return `${method} ${connection === undefined ? '' : `${connection} `}${url.replace(/[?#].*$/s, '').replace(/\/\/[^/]*@/, '//')}`;
}

/** The text of a statement never contains its values. */
function sqlText(call: unknown): string {
  const { connection, sql, statements } = call as {
    connection: string;
    sql?: string;
    statements?: readonly { readonly sql: string }[];
  };
  const all = statements?.map((statement) => statement.sql).join('; ') ?? sql ?? '';
  return `${connection} ${all.slice(0, 200)}`;
}

/** Without what it is given. */
function actionText(ask: unknown): string {
  const { connection, kind, action } = ask as Pick<ConnectionAsk, 'connection' | 'kind' | 'action'>;
  return `${connection} ${kind}.${action}`;
}

function namedText(call: unknown): string | undefined {
  if (typeof call !== 'object' || call === null) return undefined;
  const { flow, node, unit, model } = call as {
    flow?: unknown;
    node?: unknown;
    unit?: { node?: unknown };
    model?: unknown;
  };
  const named = flow ?? node ?? unit?.node ?? model;
  return typeof named === 'string' ? named : undefined;
}

function texts(args: readonly unknown[]): string {
  return args.filter((arg) => typeof arg === 'string').join(' ');
}
