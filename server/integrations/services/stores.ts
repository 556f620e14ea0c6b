import { existsSync, type FSWatcher, watch } from 'node:fs';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Db } from '../../base/adapters/db.ts';
import { writeFileAtomic } from '../../base/files/atomic-file.ts';

/** Where the services of users are. */
export interface ServiceStore {
  /** The texts by id. */
  all(): Promise<ReadonlyMap<string, string>>;
  write(id: string, text: string): Promise<void>;
  remove(id: string): Promise<void>;
  /** `listener` is called when they may have changed from outside. */
  watch(listener: () => void): void;
  close(): void;
}

const FILE = /^([a-z][a-z0-9_-]{1,39})\.json$/;
/** Larger files are no services. */
const MAX_BYTES = 5_000_000;
/** Changes within this time are one, in milliseconds. */
const GATHER_MS = 200;

/** Files in the folder `.services` beside the flows, where servers that do not know it see no flow. */
export function servicesInFolder(flows: string): ServiceStore {
  const folder = join(flows, '.services');
  let watcher: FSWatcher | undefined;
  let timer: NodeJS.Timeout | undefined;

  /** Until the folder is there, those around it are watched for it. */
  function follow(told: () => void): void {
    watcher?.close();
    const place = [folder, flows, dirname(flows)].find((one) => existsSync(one));
    if (place === undefined) return;
    const next = place === flows ? '.services' : basename(flows);
    watcher = watch(place, { persistent: false }, (_, name) => {
      if (place === folder || name === next) told();
    });
    // It was removed.
    watcher.on('error', () => watcher?.close());
  }

  return {
    async all() {
      if (!existsSync(folder)) return new Map();
      const found = new Map<string, string>();
      for (const name of (await readdir(folder)).sort()) {
        const id = FILE.exec(name)?.[1];
        if (id === undefined) continue;
        const text = await readFile(join(folder, name), 'utf8').catch(() => '');
        if (text.length <= MAX_BYTES) found.set(id, text);
      }
      return found;
    },
    async write(id, text) {
      await mkdir(folder, { recursive: true });
      await writeFileAtomic(join(folder, `${id}.json`), text);
    },
    remove: (id) => rm(join(folder, `${id}.json`), { force: true }),
    watch(listener) {
      const told = (): void => {
        timer ??= setTimeout(() => {
          timer = undefined;
          follow(told);
          listener();
        }, GATHER_MS).unref();
      };
      follow(told);
    },
    close() {
      clearTimeout(timer);
      watcher?.close();
    },
  };
}

/** Documents of the server, which servers on one database share. */
export function servicesInDocuments(db: Db): ServiceStore {
  return {
    async all() {
      return new Map(Object.entries(db.data.services).map(([id, file]) => [id, JSON.stringify(file)]));
    },
    write: (id, text) => db.change('services', (now) => ({ ...now, [id]: JSON.parse(text) as unknown })),
    remove: (id) => db.change('services', ({ [id]: _, ...others }) => others),
    watch: (listener) => db.onOthers('services', listener),
    close: () => {},
  };
}
