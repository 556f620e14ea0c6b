import { BackendSqlite } from 'openworkflow/sqlite';

/**
 * Closes the library's file. Later requests of the library are never answered: unfinished work is left for the next
 * process, and the library would otherwise print that the file is closed.
 */
export async function stopBackend(backend: BackendSqlite): Promise<void> {
  const stop = backend.stop.bind(backend);
  for (const name of Object.getOwnPropertyNames(BackendSqlite.prototype))
    Object.defineProperty(backend, name, { value: () => new Promise(() => {}) });
  await stop();
}
