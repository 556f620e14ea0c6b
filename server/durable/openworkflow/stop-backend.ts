import { BackendSqlite } from 'openworkflow/sqlite';

/**
 * Closes the library's file. What the library still asks for is never answered: what it was at is left for the next process,
 * and it would say on the console that the file is closed.
 */
export async function stopBackend(backend: BackendSqlite): Promise<void> {
  const stop = backend.stop.bind(backend);
  for (const name of Object.getOwnPropertyNames(BackendSqlite.prototype))
    Object.defineProperty(backend, name, { value: () => new Promise(() => {}) });
  await stop();
}
