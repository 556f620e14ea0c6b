import { registerHooks } from 'node:module';

interface Repair {
  /** A file in the folder `src` of the driver. */
  readonly file: 'connection.js' | 'query.js';
  /** The replaced texts, and their replacements. */
  readonly from: string;
  readonly to: string;
}

/**
 * The driver `postgres` 3.4.9 discards promises and leaves errors of streams unhandled, so that one bad connection ends the process
 * (docs/decisions/0056-loose-promises.md). It is repaired at these places:
 * PD1. A statement for a connection that has closed is refused, and nothing is left to send when it opens again
 *      (https://github.com/porsager/postgres/issues/1154).
 * PD2. `cancel()` returns the promise of the cancellation, so that its rejection can be handled.
 * PD3. An answer of the server to a login that cannot be read fails the connection.
 * PD4. A COPY whose connection ends is destroyed without an unhandled error.
 * PD5. A connection that ends while the driver asks for its state fails the statement that waits for it.
 */
export const REPAIRS: readonly Repair[] = [
  {
    file: 'connection.js',
    from: 'if (terminated)\n      return queryError(q,',
    to: "if (socket === null) return (queryError(q, Errors.connection('CONNECTION_CLOSED', options)), true)\n    if (terminated)\n      return queryError(q,",
  },
  {
    file: 'connection.js',
    from: 'socket.removeAllListeners()\n    socket = null',
    to: 'socket.removeAllListeners()\n    socket = chunk = nextWriteTimer = null',
  },
  {
    file: 'connection.js',
    from: 'const x = socket.write(chunk, fn)',
    to: 'if (socket === null) return (chunk = nextWriteTimer = null, true)\n    const x = socket.write(chunk, fn)',
  },
  {
    file: 'query.js',
    from: 'return this.canceller && (this.canceller(this), this.canceller = null)',
    to: 'const cancelling = this.canceller && this.canceller(this)\n    this.canceller = null\n    cancelling && cancelling.catch(() => {})\n    return cancelling',
  },
  {
    file: 'connection.js',
    from: 'noop\n    )(x, type)',
    to: 'noop\n    )(x, type)?.catch(e => (error(e), socket && socket.destroy()))',
  },
  {
    file: 'connection.js',
    from: 'stream && (stream.destroy(err), stream = null)',
    to: "stream && (stream.on('error', noop), stream.destroy(err), stream = null)",
  },
  {
    file: 'connection.js',
    from: 'query.execute()\n  }',
    to: 'query.execute().catch(noop)\n  }',
  },
];

let isGuarded = false;

/** Call it before the driver is imported, which then loads repaired. A version that differs at these places is left alone. */
export function guardPostgresDriver(): void {
  if (isGuarded) return;
  isGuarded = true;
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      const { source } = loaded;
      const repairs = REPAIRS.filter(({ file }) => url.endsWith(`/postgres/src/${file}`));
      if (repairs.length === 0 || !source) return loaded;
      const text = typeof source === 'string' ? source : Buffer.from(source as Uint8Array).toString();
      return {
        ...loaded,
        source: repairs.reduce((before, { from, to }) => before.replace(from, () => to), text),
      };
    },
  });
}
