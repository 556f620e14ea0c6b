import { registerHooks } from 'node:module';

/**
 * The driver `postgres` 3.4.9 ends the process if a connection closes between a statement and the turn in which it is sent
 * (https://github.com/porsager/postgres/issues/1154): it writes to a socket that is null, where nobody can catch that. A
 * statement for a connection that has closed is refused instead, and nothing is left to send when it opens again. Each pair is
 * what is replaced, and by what.
 */
const REPAIRS = [
  [
    'if (terminated)\n      return queryError(q,',
    "if (socket === null) return (queryError(q, Errors.connection('CONNECTION_CLOSED', options)), true)\n    if (terminated)\n      return queryError(q,",
  ],
  [
    'socket.removeAllListeners()\n    socket = null',
    'socket.removeAllListeners()\n    socket = chunk = nextWriteTimer = null',
  ],
] as const;

let isGuarded = false;

/** To be called before the driver is imported: it is loaded repaired. A version that was changed at these places is left alone. */
export function guardPostgresDriver(): void {
  if (isGuarded) return;
  isGuarded = true;
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      const { source } = loaded;
      if (!url.endsWith('/postgres/src/connection.js') || !source) return loaded;
      return {
        ...loaded,
        source: repaired(typeof source === 'string' ? source : Buffer.from(source as Uint8Array).toString()),
      };
    },
  });
}

function repaired(text: string): string {
  return REPAIRS.reduce((before, [from, to]) => before.replace(from, to), text);
}
