import { joinRegistries, makeLazyRegistry, type Operator, type Registry } from '#engine';
import type { OperatorInfo } from '#shared/catalog.ts';
import type { ServiceFile } from '#shared/service-file.ts';
import { expressionTools } from '../../base/adapters/expression-tools.ts';
import { ServiceError } from '../../base/errors/errors.ts';

import { shippedIds, shippedRegistry, shippedText } from './shipped.ts';
import type { ServiceStore } from './stores.ts';

/** A service that is there. */
export interface KnownService {
  readonly file: ServiceFile;
  readonly isShipped: boolean;
}

/** A file of a user that yields no operators; the others work. */
export interface ServiceProblem {
  readonly id: string;
  readonly message: string;
}

/**
 * The services: those of the product, and those of users, of which one with the same id comes in place of the product's.
 */
export interface Services {
  /** Their operators now. */
  registry(): Registry;
  problems(): readonly ServiceProblem[];
  list(): Promise<KnownService[]>;
  /** Throws `service_not_found`. */
  get(id: string): Promise<KnownService>;
  /** Stores a service of a user. Throws `service_exists` unless it `replaces` the one there is. */
  put(file: ServiceFile, options: { readonly replaces: boolean }): Promise<void>;
  /** Throws `service_not_found`, also for a service of the product. */
  remove(id: string): Promise<void>;
  /** `listener` is called after the operators have changed. */
  onChanged(listener: () => void): void;
  close(): void;
}

interface Own {
  readonly files: ReadonlyMap<string, ServiceFile>;
  readonly registry: Registry;
  readonly problems: readonly ServiceProblem[];
}

const NONE: Own = {
  files: new Map(),
  registry: { operators: new Map(), catalog: { operators: {} } },
  problems: [],
};

/** `taken` says which groups are those of built-in operators. */
export async function openServices(
  store: ServiceStore,
  taken: (group: string) => boolean,
): Promise<Services> {
  const shipped = shippedRegistry();
  const listeners: (() => void)[] = [];
  let own = await readOwn(store, taken);
  let registry = together(shipped, own);
  let last: Promise<unknown> = Promise.resolve();

  async function read(): Promise<void> {
    own = await readOwn(store, taken);
    registry = together(shipped, own);
    for (const listener of listeners) listener();
  }

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  }

  store.watch(() => void inTurn(read));

  const ownFile = (id: string): ServiceFile => {
    const file = own.files.get(id);
    if (file === undefined) throw missing(id);
    return file;
  };

  async function get(id: string): Promise<KnownService> {
    const file = own.files.get(id);
    if (file !== undefined) return { file, isShipped: false };
    const text = shippedText(id);
    if (text === undefined) throw missing(id);
    const { readServiceText } = await import('./read-service.ts');
    return { file: await readServiceText(text), isShipped: true };
  }

  return {
    registry: () => registry,
    problems: () => own.problems,
    get,
    async list() {
      const ids = new Set([...shippedIds(), ...own.files.keys()]);
      return Promise.all([...ids].sort().map(get));
    },
    put: (file, { replaces }) =>
      inTurn(async () => {
        if (taken(file.id))
          throw new ServiceError('service_exists', `There are built-in operators of the group ${file.id}.`);
        if (!replaces && (own.files.has(file.id) || shippedIds().includes(file.id)))
          throw new ServiceError('service_exists', `There is a service ${file.id} already.`);
        await store.write(file.id, `${JSON.stringify(file, null, 2)}\n`);
        await read();
      }),
    remove: (id) =>
      inTurn(async () => {
        ownFile(id);
        await store.remove(id);
        await read();
      }),
    onChanged: (listener) => void listeners.push(listener),
    close: () => store.close(),
  };
}

function missing(id: string): ServiceError {
  return new ServiceError('service_not_found', `There is no service ${id}.`);
}

async function readOwn(store: ServiceStore, taken: (group: string) => boolean): Promise<Own> {
  const texts = await store.all();
  if (texts.size === 0) return NONE;
  const [{ describeService, serviceOperators }, { readServiceText }] = await Promise.all([
    import('#engine/services'),
    import('./read-service.ts'),
  ]);
  const files = new Map<string, ServiceFile>();
  const problems: ServiceProblem[] = [];
  const catalog: Record<string, OperatorInfo> = {};
  for (const [id, text] of texts) {
    try {
      const file = await readServiceText(text);
      if (file.id !== id) throw new Error(`Its id is ${file.id}, and its file is called ${id}.json.`);
      if (taken(id)) throw new Error(`There are built-in operators of the group ${id}.`);
      Object.assign(catalog, describeService(file));
      files.set(id, file);
    } catch (error) {
      problems.push({ id, message: (error as Error).message });
    }
  }
  const made = new Map<string, ReadonlyMap<string, Operator>>();
  const registry = makeLazyRegistry({ operators: catalog }, (type) => {
    const id = type.slice(0, type.indexOf('.'));
    const known = made.get(id) ?? serviceOperators(files.get(id) as ServiceFile, expressionTools('UTC'));
    made.set(id, known);
    return known.get(type) as Operator;
  });
  return { files, registry, problems };
}

/** Whether a group has operators that are no services. */
export function groupsOf({ catalog }: Registry): (group: string) => boolean {
  const groups = new Set(Object.values(catalog.operators).map(({ group }) => group));
  return (group) => groups.has(group);
}

/** Operators with those of services, which come last. */
export function withServices(registry: Registry, services: Registry): Registry {
  return joinRegistries(joinRegistries(registry, services), registry);
}

/** A service of a user comes in place of the whole service of the product. */
function together(shipped: Registry, { files, registry }: Own): Registry {
  if (files.size === 0) return shipped;
  const all = Object.getOwnPropertyDescriptors(shipped.catalog.operators);
  const kept = Object.entries(all).filter(([type]) => !files.has(type.slice(0, type.indexOf('.'))));
  const rest = makeLazyRegistry(
    { operators: Object.defineProperties({}, Object.fromEntries(kept)) },
    (type) => shipped.operators.get(type) as Operator,
  );
  return joinRegistries(rest, registry);
}
