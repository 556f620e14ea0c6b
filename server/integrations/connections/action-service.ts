import { type Asker, type ConnectionService, WeftError } from '#engine';
import type { ConnectionKindName } from '#shared/connection.ts';
import type { Action, Session } from './kind.ts';
import { kindFor, type Turn, type UsedConnection } from './kinds.ts';
import { lending, lendingAgain, type Pool, within } from './pool.ts';

interface ActionServiceDeps {
  /** The connection for this use. Throws `connection_missing`, `connection_not_granted`, `secret_draft`. */
  granted(connection: string, by: Asker): UsedConnection;
  /** The sessions of the connection for this use. Throws the same. */
  poolFor(connection: string, by: Asker): Promise<Pool<Session>>;
  readonly turn: Turn;
}

/** Lends sessions to operators, for the actions of their kind. */
export function createActionService({ granted, poolFor, turn }: ActionServiceDeps): ConnectionService {
  return {
    ask: ({ connection, kind, action, given, timeoutMs }, by, signal) =>
      within({ timeoutMs, late: lateAction }, signal, async (deadline) => {
        checkKind(connection, kind, granted(connection, by).kind);
        const asked = await actionOf(connection, kind as ConnectionKindName, action);
        const taken = givenTo(asked, `${kind}.${action}`, given);
        await turn(connection, by, timeoutMs, deadline.signal);
        const pool = await poolFor(connection, by);
        if (asked.isRead)
          return lendingAgain(pool, by, deadline, (session, stop) => asked.run(session, taken, stop));
        return lending(pool, by, deadline, ({ session }, stop) => asked.run(session, taken, stop));
      }),
  };
}

export function lateAction(timeoutMs: number): WeftError {
  return new WeftError('action_timeout', `There was no answer within ${timeoutMs} ms.`);
}

function checkKind(name: string, asked: string, its: ConnectionKindName): void {
  if (asked === its) return;
  throw new WeftError(
    'connection_missing',
    `The connection ${name} is of the kind ${its}; this node needs one of the kind ${asked}.`,
  );
}

async function actionOf(name: string, kind: ConnectionKindName, action: string): Promise<Action> {
  const { actions } = await kindFor('actions', name, kind);
  const found = Object.hasOwn(actions, action) ? actions[action] : undefined;
  if (found !== undefined) return found;
  const known = Object.keys(actions).join(', ');
  throw new WeftError('action_invalid', `The kind ${kind} has no action ${action}; it has ${known}.`);
}

/** The checked arguments of an action. Operators of packages may pass anything. */
function givenTo({ takes }: Action, name: string, given: unknown): unknown {
  const result = takes.safeParse(given);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const place = issue?.path.join('.') ?? '';
  throw new WeftError(
    'action_invalid',
    `The action ${name} does not accept its arguments: ${place === '' ? '' : `\`${place}\`: `}${issue?.message ?? ''}.`,
  );
}
